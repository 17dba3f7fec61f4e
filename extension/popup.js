// The popup: the site's latest items, its switch, subscribing and saving.

import { ask, itemsOf, pattern, save, settings } from "./server.js";

const api = globalThis.browser ?? globalThis.chrome;
const LATEST = 10;
const at = (id) => document.getElementById(id);
const say = (text) => { at("said").textContent = text; };

async function page() {
  const asked = new URLSearchParams(location.search).get("url");
  if (asked) return asked;
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  return tab?.url ?? "";
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    say(error.message);
  }
}

function list(items) {
  at("items").replaceChildren(...items.map((item) => {
    const row = document.createElement("li");
    const link = document.createElement("a");
    link.href = item.url;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    link.textContent = item.title;
    if (item.result) link.title = item.result.title_original;
    const score = document.createElement("span");
    score.className = "score";
    score.textContent = item.score === null ? "not judged" : item.score.toFixed(2);
    row.append(link, " ", score);
    return row;
  }));
}

async function setCalm(url, isOn) {
  const site = pattern(url);
  if (isOn && !(await api.permissions.request({ origins: [site] }))) {
    at("calm").checked = false;
    return;
  }
  const { sites } = await settings();
  const others = sites.filter((one) => one !== site);
  await save({ sites: isOn ? [...others, site] : others });
  await api.runtime.sendMessage("sites");
  if (!isOn) await api.permissions.remove({ origins: [site] }).catch(() => {});
  say(isOn ? "Load the page again to see calm headlines." : "The page's own headlines are back.");
}

const url = await page();
const isPage = /^https?:/.test(url);
at("subscribe").disabled = at("bookmark").disabled = !isPage;
at("subscribe").addEventListener("click", () => attempt(async () => {
  say("Looking for a feed…");
  const feed = await ask("/feeds", { url });
  say(feed.title ? `Subscribed to ${feed.title}.` : "Feedloom is looking for a feed.");
}));
at("bookmark").addEventListener("click", () => attempt(async () => {
  await ask("/api/bookmarks", { url });
  say("Saved to your bookmarks.");
}));
at("calm").addEventListener("change", (event) => attempt(() => setCalm(url, event.target.checked)));

if (isPage) {
  await attempt(async () => {
    const items = await itemsOf(url, LATEST);
    if (!items) return;
    at("calm").checked = (await settings()).sites.includes(pattern(url));
    list(items);
    at("site").hidden = false;
  });
}
