// The place in a list: going back to it, or loading it again, brings rows, scroll and
// selection back as they were. It is kept for this tab only, and not longer than an hour.

const KEPT_MS = 3_600_000;
const MOST_CHARACTERS = 1_000_000;
const MOST_PLACES = 12;
const PREFIX = "feedloom-place ";

const list = () => document.querySelector("[data-reader] .rows, #river");
const view = () => document.querySelector("[data-reader], [data-river]");
const pane = () => document.querySelector(".list-pane");
const scrolls = () => (pane() && getComputedStyle(pane()).overflowY !== "visible" ? pane() : document.scrollingElement);

/* The name of the list on the page: its address may have changed before it is swapped. */
let here = "";
let left = null;
let isReturning = ["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type);

function name() {
  const url = new URL(location.href);
  url.searchParams.delete("item");
  return PREFIX + url.pathname + url.search;
}

/* While an article covers its list, the list's own scroll is the one before. */
export function rememberScroll() {
  left = { list: list(), top: scrolls().scrollTop };
}

/* Takes away an article that may cover its list, which is then where it was before. */
export function uncover(close) {
  const covered = list() && !list().checkVisibility();
  close();
  if (covered && left?.list === list()) scrolls().scrollTop = left.top;
}

function keep() {
  if (!list() || !document.body.matches(".signed-in")) return;
  const covers = view().matches(".has-article") && !pane().checkVisibility();
  const top = covers ? (left?.list === list() ? left.top : 0) : scrolls().scrollTop;
  const current = document.querySelector("[data-item].is-current")?.dataset.item;
  const kept = JSON.stringify({ at: Date.now(), rows: list().innerHTML, top, current });
  if (kept.length > MOST_CHARACTERS) return;
  const places = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
  while (places.length >= MOST_PLACES) sessionStorage.removeItem(places.shift());
  try {
    sessionStorage.setItem(here, kept);
  } catch {
    forget(); // The browser's room is used up; the next page starts afresh.
  }
}

export function forget() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

/* Puts a list back as it was left, when somebody returns to it. */
export function bringBack() {
  if (!document.body.matches(".signed-in")) forget();
  const kept = isReturning && list() ? JSON.parse(sessionStorage.getItem(name()) || "null") : null;
  isReturning = false;
  here = name();
  if (!kept || Date.now() - kept.at > KEPT_MS) return;
  const fresh = new Map([...list().querySelectorAll("[data-item]")].map((row) => [row.dataset.item, row.className]));
  list().innerHTML = kept.rows;
  // What the server just said about a row is newer than what was kept.
  for (const row of list().querySelectorAll("[data-item]")) {
    row.className = fresh.get(row.dataset.item) ?? row.className;
    row.classList.toggle("is-current", row.dataset.item === kept.current);
    delete row.dataset.observed;
  }
  htmx.process(list());
  scrolls().scrollTop = kept.top;
}

addEventListener("pagehide", keep);
document.addEventListener("visibilitychange", () => document.hidden && keep());
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (["main", "body"].includes(ctx.target?.id || ctx.target?.localName)) keep();
});
document.addEventListener("htmx:before:history:restore", (event) => {
  if (!event.defaultPrevented) isReturning = true;
});
