// The list of feeds in the sidebar: filtering it, folding it, dragging feeds to folders.

import { post } from "./server.js";
import { attempt, toast } from "./toasts.js";

const ONLY_UNREAD = "feedloom-only-unread";
const KIND = "application/x-feedloom-feed";
let words = "";

const tree = () => document.querySelector(".sidebar .tree");
const isOnlyUnread = () => localStorage.getItem(ONLY_UNREAD) === "yes";
const field = () => document.querySelector("[data-side-filter]");

/* Shows the feeds that fit, and the folders that hold one of them. */
export function filterFeeds() {
  if (!tree()) return;
  const only = isOnlyUnread();
  for (const link of tree().querySelectorAll(".nav-link[data-feed]")) {
    const fits = link.querySelector(".nav-text").textContent.toLowerCase().includes(words);
    const counts = !only || link.querySelector(".count").textContent.trim() || link.matches("[aria-current]");
    link.parentElement.hidden = !(fits && counts);
  }
  const isNarrowed = only || words;
  for (const branch of [...tree().querySelectorAll(".branch")].reverse()) {
    branch.hidden = Boolean(isNarrowed) && !branch.querySelector("li:not([hidden]) > .nav-link[data-feed]");
    if (words && !branch.hidden) branch.querySelector(":scope > details").open = true;
  }
  document.querySelector("[data-side=unread]")?.setAttribute("aria-pressed", only);
}

function showField(shown) {
  field().closest("p").hidden = !shown;
  document.querySelector("[data-side=filter]").setAttribute("aria-expanded", shown);
  if (shown) return field().focus();
  field().value = words = "";
  filterFeeds();
}

document.addEventListener("click", (event) => {
  switch (event.target.closest("[data-side]")?.dataset.side) {
    case "filter":
      return showField(field().closest("p").hidden);
    case "unread":
      localStorage.setItem(ONLY_UNREAD, isOnlyUnread() ? "no" : "yes");
      return filterFeeds();
    case "fold": {
      const folders = [...tree().querySelectorAll("details[data-folder]")];
      const open = !folders.some((folder) => folder.open);
      for (const folder of folders) folder.open = open;
    }
  }
});
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-side-filter]")) return;
  words = event.target.value.trim().toLowerCase();
  filterFeeds();
});
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.("[data-side-filter]")) return;
  if (event.key === "Escape") showField(false);
  if (event.key === "Enter") tree().querySelector("li:not([hidden]) > .nav-link[data-feed]")?.click();
});

// A feed is dragged to a folder, or to the heading to leave its folder. The keyboard has a
// shortcut for it.
const dropOf = (event) => event.target.closest?.(".branch > .nav-link[data-sum], [data-drop-root]");
document.addEventListener("dragstart", (event) => {
  const link = event.target.closest?.(".tree .nav-link[data-feed]");
  if (link) event.dataTransfer.setData(KIND, link.dataset.feed);
});
document.addEventListener("dragover", (event) => {
  const drop = dropOf(event);
  for (const old of document.querySelectorAll(".is-drop")) if (old !== drop) old.classList.remove("is-drop");
  if (!drop || !event.dataTransfer.types.includes(KIND)) return;
  event.preventDefault();
  drop.classList.add("is-drop");
});
document.addEventListener("dragend", () => document.querySelector(".is-drop")?.classList.remove("is-drop"));
document.addEventListener("drop", (event) => {
  const drop = dropOf(event);
  const feed = event.dataTransfer.getData(KIND);
  if (!drop || !feed) return;
  event.preventDefault();
  drop.classList.remove("is-drop");
  attempt(async () => {
    await post(`/feeds/${feed}/edit`, { folder_id: drop.dataset.sum ?? "" });
    htmx.trigger(document.body, "refreshFeedList");
    toast("Feed moved.");
  });
});
