// What is being fetched: how far it is, which sites asked for patience. Lists change by
// themselves when something arrived; while the tab is hidden, nothing is asked.

import { get } from "./server.js";
import { toast } from "./toasts.js";

const SINCE = "feedloom-fetching";
const SOON_MS = 2_000;
const LATER_MS = 15_000;
const GOES_AFTER_MS = 6_000;
const MOST_HOSTS = 3;
const box = () => document.getElementById("fetching");
const number = (count, word) => `${count.toLocaleString()} ${word}${count === 1 ? "" : "s"}`;
let timer = 0;
let shown = 0;
let newest = null;
let isAsked = false;
let lookedAt = 0;

/* Follows fetches that were just asked for, until they are over. */
export async function follow({ asked = false } = {}) {
  isAsked ||= asked;
  shown = 0;
  if (asked) newest ??= (await get("/ui/counts"))?.newest ?? null;
  look();
}

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  lookedAt = Date.now();
  const since = sessionStorage.getItem(SINCE);
  const said = await get(since ? `/ui/fetching?since=${since}` : "/ui/fetching").catch(() => null);
  if (!said) return stop();
  if (said.done !== shown) {
    shown = said.done;
    document.dispatchEvent(new CustomEvent("counts"));
    document.dispatchEvent(new CustomEvent("fetched"));
  }
  if (said.waiting || since) tell(said);
  if (!said.waiting) return finish(said);
  sessionStorage.setItem(SINCE, said.since);
  const isSoon = said.running || said.waiting > said.hosts.reduce((sum, host) => sum + host.feeds, 0);
  timer = setTimeout(look, isSoon ? SOON_MS : LATER_MS);
}

async function finish(said) {
  stop();
  if (!said.hosts.length) setTimeout(() => sessionStorage.getItem(SINCE) || (box().hidden = true), GOES_AFTER_MS);
  const now = isAsked ? await get("/ui/counts").catch(() => null) : null;
  if (now && newest !== null && now.newest > newest) toast(`${number(now.newest - newest, "new article")}.`);
  isAsked = false;
  newest = null;
}

function stop() {
  sessionStorage.removeItem(SINCE);
}

function tell({ waiting, done, failed, hosts }) {
  const words = [waiting ? `Fetching feeds: ${done.toLocaleString()} of ${(done + waiting).toLocaleString()}` : `${number(done, "feed")} fetched`];
  if (failed) words.push(`${failed.toLocaleString()} failed`);
  const lines = hosts.slice(0, MOST_HOSTS).map(({ host, until, feeds }) => {
    const time = new Date(until).toLocaleTimeString([], { timeStyle: "short" });
    return `${host} asked us to wait until ${time} (${number(feeds, "feed")}).`;
  });
  if (hosts.length > MOST_HOSTS) lines.push(`So did ${number(hosts.length - MOST_HOSTS, "other site")}.`);
  box().querySelector("[data-words]").textContent = `${words.join(", ")}.`;
  const bar = box().querySelector("progress");
  [bar.max, bar.value, bar.hidden] = [done + waiting, done, !waiting];
  box().querySelector("ul").replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
  box().hidden = false;
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-hide-fetching]")) box().hidden = true;
  if (!event.target.closest("[data-show-new]")) return;
  event.target.closest("[data-show-new]").remove();
  scrollTo(0, 0);
  document.dispatchEvent(new CustomEvent("reload"));
});
document.addEventListener("visibilitychange", () => sessionStorage.getItem(SINCE) && look());

/* Forms that have something fetched; a search for a feed tells by itself when it is over. */
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
  if (ctx.request.method !== "POST" || ctx.response.status >= 300) return;
  if (/^\/(feeds(\/|$)|ui\/add)/.test(ctx.request.action)) follow();
});

/* Somebody who reads or types is not interrupted: the new rows wait until asked for. */
const isBusy = () =>
  document.querySelector(".has-article, .has-item, .is-current, dialog[open], [data-menu][open], main input:focus, main input:checked[name=feed]") !== null
  || [...document.querySelectorAll("main input:not([type=hidden], [type=checkbox])")].some((field) => field.value !== field.defaultValue)
  || document.scrollingElement.scrollTop > 80 || (document.querySelector(".list-pane")?.scrollTop ?? 0) > 80;

document.addEventListener("fetched", () => {
  if (document.querySelector("#feed-list-container") && !isBusy()) htmx.trigger(document.body, "refreshFeedList");
});

document.addEventListener("arrived", () => {
  const head = document.querySelector("[data-reader] .list-head, [data-river] .river-head");
  if (!head || head.querySelector("[data-show-new]")) return;
  if (!isBusy()) return document.dispatchEvent(new CustomEvent("reload"));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-small show-new";
  button.dataset.showNew = "";
  button.textContent = "Show new articles";
  head.append(button);
});

/* Feeds that nobody fetched yet, after an import say; or a page that was loaded again. */
export function start() {
  if (sessionStorage.getItem(SINCE)) look();
  else if (document.querySelector(".sidebar .dot-pending")) follow();
}
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.id === "nav" && !sessionStorage.getItem(SINCE) && Date.now() - lookedAt > 2 * SOON_MS) start();
});
