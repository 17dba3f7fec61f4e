// Fingers: rows swiped to read or star them, a list pulled down to fetch, a bar that hides.

import { isStarred, isUnread, mark } from "./marks.js";
import { fetchNew } from "./refresh.js";
import { attempt, toast } from "./toasts.js";

const SWIPE_PX = 72;
const PULL_PX = 90;
const NARROW = matchMedia("(width < 48rem)");
let touch = null;

const isAtTop = () => document.scrollingElement.scrollTop <= 0;

document.addEventListener("touchstart", (event) => {
  const [finger] = event.touches;
  const row = event.target.closest?.(".row[data-item], .item[data-item]");
  const pulls = NARROW.matches && isAtTop() && event.target.closest?.("[data-reader]:not(.has-article), [data-river]:not(.has-item)");
  touch = event.touches.length === 1 && (row || pulls) ? { row, pulls, x: finger.clientX, y: finger.clientY, way: null } : null;
}, { passive: true });

document.addEventListener("touchmove", (event) => {
  if (!touch) return;
  const [finger] = event.touches;
  const [x, y] = [finger.clientX - touch.x, finger.clientY - touch.y];
  touch.way ??= Math.hypot(x, y) < 10 ? null : Math.abs(x) > 2 * Math.abs(y) ? "across" : y > 0 && touch.pulls ? "down" : "other";
  if (touch.way === "across" && touch.row) {
    touch.by = x;
    touch.row.classList.add("is-swiped");
    touch.row.dataset.swipe = x > 0 ? "read" : "star";
    touch.row.style.setProperty("--swipe", `${Math.max(-120, Math.min(120, x))}px`);
  }
  touch.pulled = touch.way === "down" ? y : 0;
  document.getElementById("progress-bar").classList.toggle("is-pulled", touch.pulled > PULL_PX);
}, { passive: true });

function letGo() {
  if (!touch) return;
  const { row, by = 0, pulled = 0 } = touch;
  touch = null;
  document.getElementById("progress-bar").classList.remove("is-pulled");
  if (pulled > PULL_PX && isAtTop()) attempt(fetchNew);
  if (!row) return;
  row.classList.remove("is-swiped");
  row.style.removeProperty("--swipe");
  if (Math.abs(by) >= SWIPE_PX) attempt(() => swiped(row.dataset.item, by > 0));
}
document.addEventListener("touchend", letGo);
document.addEventListener("touchcancel", () => {
  if (touch) touch.by = touch.pulled = 0;
  letGo();
});

async function swiped(item, reads) {
  const is = reads ? !isUnread(item) : isStarred(item);
  const [verb, back] = reads ? (is ? ["unread", "read"] : ["read", "unread"]) : is ? ["unstarred", "starred"] : ["starred", "unstarred"];
  await mark([item], verb);
  const words = { read: "Marked as read.", unread: "Marked as unread.", starred: "Starred.", unstarred: "Star removed." };
  toast(words[verb], { undo: () => mark([item], back) });
}

// On a phone the bar at the top gives its place to what is read.
let last = 0;
document.addEventListener("scroll", () => {
  const now = Math.max(0, document.scrollingElement.scrollTop);
  if (Math.abs(now - last) < 8) return;
  document.body.classList.toggle("bar-away", NARROW.matches && now > last && now > 120);
  last = now;
}, { passive: true });
