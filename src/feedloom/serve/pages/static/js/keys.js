// The keyboard. Letters work where nobody is typing.

import { fetchNew } from "./refresh.js";
import { chosen, current, goBack, open, startReading, step } from "./lists.js";
import { dismiss, sweep, toggle } from "./marks.js";
import { attempt, undo } from "./toasts.js";

const PLACES = { r: "/ui/?view=feeds", u: "/read/unread", a: "/read/all", s: "/read/starred", d: "/dashboard", b: "/ui/?view=bookmarks", p: "/settings" };
const GO_MS = 1200;
let going = 0;

const withChosen = (work) => {
  const found = chosen();
  if (found) work(found);
};

const ACTIONS = {
  next: () => step(1),
  previous: () => step(-1),
  open: () => open(current()),
  original: () => withChosen(({ url }) => url && window.open(url, "_blank", "noopener,noreferrer")),
  read: () => withChosen(({ item }) => toggle(item, "read")),
  star: () => withChosen(({ item }) => toggle(item, "star")),
  listen: () => document.querySelector(".speaks [data-listen]")?.click(),
  save: () => document.querySelector("[data-save]")?.click(),
  dismiss: () => withChosen(({ item }) => attempt(() => dismiss(item))),
  sweep: () => {
    const form = document.querySelector("[data-sweep]:not(.menu-panel form)");
    if (form) attempt(() => sweep(form));
  },
  calm: () => document.querySelector("[data-calm]")?.click(),
  refresh: () => attempt(fetchNew),
  next_feed: () => stepThrough(".tree .nav-link[data-feed]", 1),
  previous_feed: () => stepThrough(".tree .nav-link[data-feed]", -1),
  next_folder: () => stepThrough(".tree .branch > .nav-link", 1),
  previous_folder: () => stepThrough(".tree .branch > .nav-link", -1),
  move: () => {
    const focused = document.activeElement?.closest(".nav-link[data-feed]")?.dataset.feed;
    const feed = focused || location.pathname.match(/^\/(?:read\/feed|feeds)\/(\d+)/)?.[1];
    if (feed) htmx.ajax("GET", `/feeds/${feed}/edit?part=folder`, { target: "#dialog", swap: "innerHTML" });
  },
  undo: () => undo(),
  search: () => {
    const fields = [...document.querySelectorAll("[data-search], #search")];
    const seen = fields.find((field) => field.checkVisibility());
    if (!seen) document.getElementById("sidebar")?.showPopover();
    (seen || fields[0])?.focus();
  },
  help: () => document.getElementById("help").showModal(),
  go: () => (going = Date.now()),
};

/* The next link of its kind after the current page's, in the order of the sidebar. */
function stepThrough(selector, by) {
  const links = [...document.querySelectorAll(`${selector}, .nav-link[aria-current]`)];
  const here = links.findIndex((link) => link.matches("[aria-current]"));
  const steps = by > 0 ? links.slice(here + 1) : links.slice(0, Math.max(here, 0)).reverse();
  const next = steps.find((link) => link.matches(selector));
  if (!next) return;
  // Marked before its page is there, so that the next press goes on from here.
  links[here]?.removeAttribute("aria-current");
  next.setAttribute("aria-current", "page");
  next.click();
}

/* Space reads on: a screenful at a time, then the next article. */
function readOn(back) {
  const pane = document.querySelector("#article:has([data-article])");
  if (!pane) return !back && startReading();
  const box = pane.scrollHeight > pane.clientHeight && getComputedStyle(pane).overflowY !== "visible" ? pane : document.scrollingElement;
  const rest = box.scrollHeight - box.clientHeight - box.scrollTop;
  if (!back && rest < 2) step(1);
  else box.scrollBy({ top: (back ? -0.85 : 0.85) * box.clientHeight });
  return true;
}

function leaveSearch() {
  if (location.pathname !== "/search") return;
  document.querySelector('.nav-link[href="/read/unread"]')?.click();
}

function isTyping(target) {
  return target.closest?.("input, textarea, select, [contenteditable]") && !target.matches("[type=checkbox], [type=radio], [type=button]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const keys = document.body.dataset.keys;
  if (!keys || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (event.target.matches?.("input[type=search]")) event.target.blur();
    else if (!isTyping(event.target) && !goBack()) leaveSearch();
    return;
  }
  if (isTyping(event.target)) return;
  if (Date.now() - going < GO_MS && PLACES[event.key]) {
    going = 0;
    event.preventDefault();
    document.querySelector(`.nav-link[href="${PLACES[event.key]}"]`)?.click();
    return;
  }
  if (event.key === " ") {
    if (!event.target.closest?.("button, summary, audio, video, [role=button]") && readOn(event.shiftKey)) event.preventDefault();
    return;
  }
  const act = ACTIONS[JSON.parse(keys)[event.key]];
  if (act) {
    event.preventDefault();
    act();
  }
});
