// The keyboard. Letters work where nobody is typing.

import { chosen, current, goBack, open, step } from "./lists.js";
import { dismiss, sweep, toggle } from "./marks.js";
import { attempt, undo } from "./toasts.js";

const PLACES = { r: "/ui/?view=feeds", u: "/read/unread", a: "/read/all", s: "/read/starred", d: "/dashboard", b: "/ui/?view=bookmarks", p: "/settings" };
const GO_MS = 1200;
let going = 0;

const withChosen = (work) => {
  const found = chosen();
  if (found) work(found);
};

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  o: () => open(current()),
  v: () => withChosen(({ url }) => url && window.open(url, "_blank", "noopener,noreferrer")),
  m: () => withChosen(({ item }) => toggle(item, "read")),
  s: () => withChosen(({ item }) => toggle(item, "star")),
  b: () => document.querySelector("[data-save]")?.click(),
  x: () => withChosen(({ item }) => attempt(() => dismiss(item))),
  A: () => {
    const form = document.querySelector("[data-sweep]");
    if (form) attempt(() => sweep(form));
  },
  r: () => document.dispatchEvent(new CustomEvent("reload")),
  u: () => undo(),
  "/": () => {
    const fields = [...document.querySelectorAll("[data-search], #search")];
    const seen = fields.find((field) => field.checkVisibility());
    if (!seen) document.getElementById("sidebar")?.showPopover();
    (seen || fields[0])?.focus();
  },
  "?": () => document.getElementById("help").showModal(),
  g: () => (going = Date.now()),
};

function isTyping(target) {
  return target.closest?.("input, textarea, select, [contenteditable]") && !target.matches("[type=checkbox], [type=radio], [type=button]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.body.dataset.keys === "off" || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && !isTyping(event.target)) return void goBack();
  if (isTyping(event.target)) return;
  if (Date.now() - going < GO_MS && PLACES[event.key]) {
    going = 0;
    event.preventDefault();
    const link = document.querySelector(`.nav-link[href="${PLACES[event.key]}"]`);
    if (link) link.click();
    return;
  }
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
