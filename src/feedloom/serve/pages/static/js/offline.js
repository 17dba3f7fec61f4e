// Reading without a network. The service worker keeps articles and what was done to them;
// pages tell it who is signed in, and ask it where the server cannot be reached.

import { show } from "./marks.js";

const SENT_LATER = /^\/(articles\/mark|feeds\/\d+\/items\/\d+\/save)$/;
const LATER_MARKS = ["read", "unread", "starred", "unstarred"];
/* A worker of an earlier release does not answer. */
const LONGEST_MS = 15_000;
const LOOK_EVERY_MS = 5_000;
const isOfflinePage = () => Boolean(document.querySelector("[data-offline]"));
const user = () => Number(document.body.dataset.user);

/* Asks the service worker; null when there is none. */
async function ask(verb, given = {}) {
  const worker = navigator.serviceWorker?.controller ?? (await navigator.serviceWorker?.getRegistration())?.active;
  if (!worker) return null;
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    if (verb === "queue") setTimeout(resolve, LONGEST_MS, null);
    worker.postMessage({ verb, ...given }, [port2]);
  });
}

/* Keeps an action that could not be sent, or cannot be. Returns whether it is kept. */
export async function keepForLater(path, body, at) {
  const mark = body.get("mark");
  if (!SENT_LATER.test(path) || (mark && !LATER_MARKS.includes(mark))) return false;
  const fields = [...body].filter(([name]) => name !== "item");
  fields.push(["item", body.getAll("item").join(",")]);
  const said = await ask("queue", { path, fields, at });
  // Browsers also believe that there is no network when the server is on the same machine.
  if (said?.queued && !navigator.onLine) ask("send");
  return Boolean(said?.queued);
}

/* Fetches an article, or takes the one that is kept. This is no work for the service worker:
   with it in between, Chromium lost answers that followed an overtaken request. */
export async function fetchKept(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    const name = isOfflinePage() ? null : `feedloom-kept-${user()}`;
    const found = error.name === "AbortError" ? null : await globalThis.caches?.match(path, name ? { cacheName: name } : {});
    if (!found) throw error;
    return found;
  }
}

export async function start() {
  drawSettings();
  if (!navigator.serviceWorker) return;
  if (document.body.matches(".signed-in")) {
    await navigator.serviceWorker.register("/service-worker.js").catch(() => {});
    await navigator.serviceWorker.ready;
    ask("hello", { user: user() }).then(() => drawSettings());
  } else if (isOfflinePage()) drawKept();
  else if (document.querySelector('form[action="/auth/login"]')) {
    ask("gone", { everything: new URLSearchParams(location.search).get("did") === "out" });
  }
}

document.addEventListener("submit", (event) => {
  if (event.target.getAttribute("action") !== "/auth/logout") return;
  ask("gone", { everything: true });
  localStorage.clear();
  sessionStorage.clear();
});

async function goOnline() {
  const isThere = await fetch("/robots.txt", { cache: "no-store" }).then((answer) => answer.ok, () => false);
  if (isThere && await ask("send") && isOfflinePage()) location.reload();
}
addEventListener("online", goOnline);
/* Browsers notice late, or not at all, that a network is back. */
if (isOfflinePage()) setInterval(() => document.hidden || goOnline(), LOOK_EVERY_MS);

/* A link to a page that cannot be had leads to what is kept. */
document.addEventListener("htmx:error", async ({ detail: { ctx, error } }) => {
  if (error?.name === "AbortError" || ctx.target?.id !== "main" || ctx.request.method !== "GET") return;
  if ((await ask("state", { user: user() }))?.count) location.assign(ctx.request.action);
});

/* An article that was kept is as its row says: its text is older. */
document.addEventListener("htmx:after:swap", () => {
  if (navigator.onLine && !isOfflinePage()) return;
  const item = document.querySelector("#article [data-article]")?.dataset.article;
  const row = document.querySelector(`.row[data-item="${item}"]`);
  if (!row) return;
  const [isUnread, isStarred] = [row.matches(".is-unread"), row.matches(".is-starred")];
  show(item, isUnread ? "unread" : "read");
  show(item, isStarred ? "starred" : "unstarred");
}, true);

async function drawKept() {
  const said = await ask("list");
  if (!said?.articles.length) return;
  const page = document.querySelector("[data-offline]");
  page.replaceChildren(document.querySelector("template[data-kept]").content.cloneNode(true));
  const reader = page.querySelector("[data-reader]");
  reader.dataset.path = location.pathname;
  reader.dataset.markOnOpen = said.markOnOpen ? "yes" : "no";
  reader.querySelector("#article").append(reader.querySelector("template[data-none]").content.cloneNode(true));
  drawRows(location.pathname === "/read/starred" ? "starred" : "unread", said.articles);
}

function drawRows(kind, articles) {
  for (const button of document.querySelectorAll("[data-show]")) button.setAttribute("aria-pressed", button.dataset.show === kind);
  const wanted = articles.filter((article) => article[kind]);
  const list = document.querySelector("[data-offline] .rows");
  list.replaceChildren(...wanted.map(rowOf));
  for (const { item, unread, starred } of wanted) {
    if (unread) show(item, "unread");
    if (starred) show(item, "starred");
  }
  htmx.process(list);
}

document.addEventListener("click", async ({ target }) => {
  const kind = target.closest?.("[data-show]")?.dataset.show;
  if (kind) drawRows(kind, (await ask("list")).articles);
});

/* The time of today's articles, the day of earlier ones. */
function shortly(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString([], { timeStyle: "short" }) : date.toLocaleDateString([], { day: "numeric", month: "short" });
}

function rowOf({ item, feed, url, title, text, source, at }) {
  const row = document.querySelector("template[data-row]").content.firstElementChild.cloneNode(true);
  Object.assign(row.dataset, { item, feed, url });
  const link = row.querySelector(".row-link");
  link.href = `?item=${item}`;
  link.setAttribute("hx-get", `/articles/${item}`);
  link.setAttribute("hx-push-url", `?item=${item}`);
  for (const [part, words] of [[".row-title", title || "(no title)"], [".row-text", text], [".cut", source], ["time", shortly(at)]]) {
    row.querySelector(part).textContent = words;
  }
  row.querySelector(".icon-star").value = `starred.${item}`;
  row.querySelector(".icon-read").value = `unread.${item}`;
  return row;
}

// Settings: for this browser only, so nothing about it is on the server.

let isChanging = false;

async function drawSettings(state) {
  const card = document.querySelector("[data-offline-settings]");
  if (!card) return;
  const [box, field, words] = ["input", "select", "output"].map((name) => card.querySelector(name));
  if (!navigator.serviceWorker) {
    box.disabled = field.disabled = true;
    words.textContent = "This browser can't keep articles: that needs a secure connection (HTTPS).";
    return;
  }
  const { count, kept, waiting, isFull } = state || (await ask("state", { user: user() })) || {};
  // Somebody has just chosen otherwise.
  if (isChanging) return;
  box.checked = Boolean(count);
  if (count) field.value = count;
  words.textContent = count ? `${kept === 1 ? "1 article is" : `${kept} articles are`} kept on this device.` : "";
  if (isFull) words.textContent += " There's no room for more.";
  if (waiting) words.textContent += ` ${waiting === 1 ? "1 change waits" : `${waiting} changes wait`} to be sent.`;
}

document.addEventListener("change", async ({ target }) => {
  const card = target.closest?.("[data-offline-settings]");
  if (!card) return;
  const count = card.querySelector("input").checked ? Number(card.querySelector("select").value) : 0;
  card.querySelector("output").textContent = count ? "Fetching articles…" : "";
  isChanging = true;
  await navigator.serviceWorker.ready;
  const state = await (count ? ask("on", { user: user(), count }) : ask("off"));
  isChanging = false;
  drawSettings(state);
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => ctx.target?.id === "main" && drawSettings());
