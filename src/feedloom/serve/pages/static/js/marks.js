// Marks on articles. The page changes at once; when the server refuses, it changes back.

import { forgetAhead } from "./ahead.js";
import { post, send } from "./server.js";
import { attempt, toast } from "./toasts.js";

const OPPOSITE = { read: "unread", unread: "read", starred: "unstarred", unstarred: "starred", hidden: "shown" };
const LABELS = { read: "Mark read", unread: "Mark unread", starred: "Star", unstarred: "Unstar" };

const shown = (item) => document.querySelectorAll(`[data-item="${item}"], [data-article="${item}"]`);

export function isUnread(item) {
  return [...shown(item)].some((place) => place.classList.contains("is-unread"));
}

export function isStarred(item) {
  return [...shown(item)].some((place) => place.classList.contains("is-starred"));
}

/* Marks of one article are sent one after the other: lines do not keep their order. Who
   leaves the page does not wait. */
const marking = new Map();
let marks = 0;
const leaving = new Promise((resolve) => addEventListener("pagehide", resolve));

function inTurn(items, work) {
  const before = Promise.allSettled(items.map((item) => marking.get(item)));
  const done = Promise.race([before, leaving]).then(work);
  for (const item of items) marking.set(item, done);
  const forget = () => items.forEach((item) => marking.get(item) === done && marking.delete(item));
  done.then(forget, forget);
  marks += 1;
  return done;
}

/* Returns how many marks were made so far, once the server knows them all. */
export async function countMarks() {
  while (marking.size) await Promise.allSettled(marking.values());
  return marks;
}

export async function mark(items, verb, fields = {}) {
  items.forEach(forgetAhead);
  const changed = items.filter((item) => show(item, verb));
  try {
    const done = await inTurn(items, () => post("/articles/mark", { mark: verb, item: items, ...fields }));
    if (done.queued) return done;
    for (const item of done.items) show(String(item), verb);
    if (done.items.length > items.length) document.dispatchEvent(new CustomEvent("counts"));
    return done;
  } catch (error) {
    for (const item of changed) show(item, OPPOSITE[verb]);
    throw error;
  }
}

export function toggle(item, what) {
  const on = what === "star" ? isStarred(item) : isUnread(item);
  const verb = what === "star" ? (on ? "unstarred" : "starred") : on ? "read" : "unread";
  return attempt(() => mark([item], verb));
}

/* Returns whether anything changed. */
export function show(item, verb) {
  const places = [...shown(item)];
  if (!places.length) return false;
  const name = verb.endsWith("starred") ? "is-starred" : "is-unread";
  const on = verb === "unread" || verb === "starred";
  const was = places.some((place) => place.classList.contains(name));
  for (const place of places) {
    place.classList.toggle(name, on);
    for (const button of place.querySelectorAll("button[name=do]")) turn(button, item, verb);
  }
  if (was === on) return false;
  count(name, places[0].dataset.feed, on ? 1 : -1);
  return true;
}

function turn(button, item, verb) {
  const [now] = button.value.split(".");
  if (now !== verb && now !== OPPOSITE[verb]) return;
  const next = OPPOSITE[verb];
  button.value = `${next}.${item}`;
  const words = button.querySelector(".verb");
  if (words) words.textContent = LABELS[next];
  else button.setAttribute("aria-label", LABELS[next]);
  if (button.title) button.title = LABELS[next];
  if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", next === "unstarred");
}

function count(name, feed, by) {
  if (name === "is-starred") return add(document.querySelector("[data-total=starred]"), by);
  add(document.querySelector("[data-total=unread]"), by);
  const link = document.querySelector(`.nav-link[data-feed="${feed}"]`);
  add(link, by);
  for (let branch = link?.closest(".branch"); branch; branch = branch.parentElement.closest(".branch")) {
    add(branch.querySelector(":scope > .nav-link"), by);
  }
}

function add(link, by) {
  const place = link?.querySelector(".count");
  if (place) place.textContent = Math.max(0, Number(place.textContent || 0) + by) || "";
}

export async function sweep(form) {
  const fields = Object.fromEntries(new FormData(form));
  const done = await post("/articles/sweep", fields);
  const feed = form.closest("[data-source]")?.dataset.source;
  const rows = document.querySelectorAll(`:is(.row, .item).is-unread${feed ? `[data-feed="${feed}"]` : ""}`);
  for (const row of rows) show(row.dataset.item, "read");
  document.dispatchEvent(new CustomEvent("counts"));
  if (!done.count) return toast("There were no unread articles.");
  const words = done.count === 1 ? "1 article marked as read." : `${done.count.toLocaleString()} articles marked as read.`;
  toast(words, {
    undo: async () => {
      await post("/articles/unsweep", { token: done.token });
      document.dispatchEvent(new CustomEvent("reload"));
    },
  });
}

export async function dismiss(item) {
  const wasUnread = isUnread(item);
  const rows = [...document.querySelectorAll(`[data-item="${item}"]`)];
  const homes = rows.map((row) => [row, row.parentElement, row.nextElementSibling]);
  const all = [...document.querySelectorAll("[data-item]")];
  const place = all.indexOf(rows[0]);
  const next = place < 0 ? null : all[place + 1] || all[place - 1];
  if (wasUnread) show(item, "read");
  for (const row of rows) {
    // It may come back, when another one is current.
    row.classList.remove("is-current");
    row.querySelector("[aria-current]")?.removeAttribute("aria-current");
    row.remove();
  }
  document.dispatchEvent(new CustomEvent("dismissed", { detail: { item, next } }));
  try {
    await post("/articles/mark", { mark: "hidden", item });
  } catch (error) {
    bringBack(homes, item, wasUnread);
    throw error;
  }
  toast("Dismissed.", {
    undo: async () => {
      await post("/articles/mark", { mark: "shown", item, unread: wasUnread ? "1" : "" });
      bringBack(homes, item, wasUnread);
    },
  });
}

function bringBack(homes, item, wasUnread) {
  for (const [row, list, next] of homes) list.insertBefore(row, next?.parentElement === list ? next : null);
  if (wasUnread) show(item, "unread");
}

async function save(button) {
  const words = button.querySelector(".verb");
  const before = words.textContent;
  button.disabled = true;
  const path = button.getAttribute("formaction");
  const kept = await post(path, {}).catch((error) => {
    button.disabled = false;
    throw error;
  });
  words.textContent = "Saved";
  if (kept.queued) return toast("Will be saved to Bookmarks when you're back online.");
  toast("Saved to Bookmarks.", {
    undo: async () => {
      await send("DELETE", `/api/bookmarks/${kept.id}`);
      words.textContent = before;
      button.disabled = false;
    },
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.submitter?.matches("[data-save]")) {
    event.preventDefault();
    attempt(() => save(event.submitter));
    return;
  }
  if (form.matches("[data-sweep]")) {
    event.preventDefault();
    attempt(() => sweep(form));
  }
  if (form.matches("[data-marks]") && event.submitter?.name === "do" && !event.submitter.matches("[data-plain]")) {
    event.preventDefault();
    const [verb, item] = event.submitter.value.split(".");
    attempt(() => (verb === "hidden" ? dismiss(item) : mark([item], verb)));
  }
});
