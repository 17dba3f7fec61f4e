// Lists of articles: which one is current, opening it, going on to the next.

import { awaitNone, fetchAhead } from "./ahead.js";
import { rememberScroll, uncover } from "./place.js";
import { isUnread, mark } from "./marks.js";
import { attempt, toast } from "./toasts.js";

const LINK = ".row-link, .item-link";
const view = () => document.querySelector("[data-reader], [data-river]");
const pane = () => document.querySelector("#article, #detail");
const rows = () => [...document.querySelectorAll("[data-item]")].filter((row) => row.closest("details:not([open])") === null);

export function current() {
  return document.querySelector("[data-item].is-current");
}

/* The article in front of the reader: the open one, or else the chosen row. */
export function chosen() {
  const open = pane()?.querySelector("[data-article]") || document.querySelector("[data-article]");
  const row = current();
  const item = (isWide() || isOpen() ? open?.dataset.article : null) || row?.dataset.item || open?.dataset.article;
  return item ? { item, url: (open?.dataset.article === item ? open : row)?.dataset.url } : null;
}

/* Whether an article stands beside its list; as the style sheets say it. */
const isWide = () => Boolean(pane()?.checkVisibility()) && matchMedia(pane().id === "article" ? "(width >= 48rem)" : "(width >= 64rem)").matches;
const isOpen = () => Boolean(view()?.matches(".has-article, .has-item"));

function choose(row, { focus = false } = {}) {
  current()?.classList.remove("is-current");
  row?.classList.add("is-current");
  row?.querySelector(LINK)?.setAttribute("aria-current", "true");
  for (const link of document.querySelectorAll(`:is(${LINK})[aria-current]`)) {
    if (!row?.contains(link)) link.removeAttribute("aria-current");
  }
  row?.scrollIntoView({ block: "nearest" });
  if (focus) row?.querySelector(LINK)?.focus({ preventScroll: true });
}

export function open(row) {
  const link = row?.querySelector(LINK);
  if (!link) return;
  choose(row);
  rememberScroll();
  link.click();
}

const neighbour = (by) => {
  const all = rows();
  const place = all.indexOf(current());
  return place < 0 ? all.at(by > 0 ? 0 : -1) : all[place + by];
};

/* Steps beyond the last row, taken as soon as more rows arrive. */
let owed = 0;

export function step(by) {
  const next = neighbour(by);
  const more = document.querySelector("#more a");
  if (!next) {
    if (by > 0 && more) {
      owed += 1;
      more.click();
    }
    return;
  }
  const all = rows();
  if (all.length - all.indexOf(next) < 5) more?.click();
  if (isWide() || isOpen()) open(next);
  else choose(next, { focus: true });
}

/* Opens the first article of a list beside which there is room for one; tells whether it did. */
export function startReading() {
  const next = current() || neighbour(1);
  if (!next || !document.querySelector("[data-reader]") || !isWide()) return false;
  open(next);
  return true;
}

/* Called when an article came into the pane. */
function opened(article) {
  const { article: item } = article.dataset;
  view()?.classList.add(view().matches("[data-reader]") ? "has-article" : "has-item");
  choose(document.querySelector(`[data-item="${item}"]`));
  fetchAhead(neighbour(1)?.querySelector(LINK)?.getAttribute("hx-get"));
  if (view()?.dataset.markOnOpen === "yes" && isUnread(item)) attempt(() => mark([item], "read", { opened: "1" }));
}

/* Closes the article, or gives up waiting for one. Returns whether there was any. */
function close() {
  const here = view();
  const wasAwaited = awaitNone();
  if (!here?.matches(".has-article, .has-item")) return wasAwaited;
  uncover(() => here.classList.remove("has-article", "has-item"));
  const none = here.querySelector("template[data-none]");
  pane().replaceChildren(none.content.cloneNode(true));
  document.title = here.dataset.title;
  current()?.querySelector(LINK)?.focus();
  return true;
}

/* Leaves the article for its list, whose address is the present one without an article. */
export function goBack() {
  if (!close()) return false;
  const list = new URL(location.href);
  if (list.searchParams.has("item")) {
    list.searchParams.delete("item");
    history.pushState({ htmx: true }, "", list);
  }
  return true;
}

document.addEventListener("htmx:after:swap", () => {
  while (owed > 0 && neighbour(1)) {
    owed -= 1;
    step(1);
  }
  const article = pane()?.querySelector("[data-article]:not([data-seen])");
  if (!article) return;
  article.dataset.seen = "";
  opened(article);
  if (matchMedia("(width < 48rem)").matches) scrollTo(0, 0);
  if (pane().id === "article") pane().focus({ preventScroll: true });
});

document.addEventListener("click", (event) => {
  const row = event.target.closest(LINK)?.closest("[data-item]");
  if (row && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    rememberScroll();
    choose(row);
  }
  const stepper = event.target.closest("[data-step]");
  if (stepper) {
    event.preventDefault();
    step(Number(stepper.dataset.step));
  } else if (event.target.closest("[data-back]") && goBack()) {
    event.preventDefault();
  }
});

document.addEventListener("dismissed", (event) => {
  const { item, next } = event.detail;
  const wasOpen = pane()?.querySelector(`[data-article="${item}"]`);
  if (wasOpen && isWide() && next) open(next);
  else if (wasOpen) goBack();
  else if (next) choose(next);
});

// Going back within one list opens or closes an article; the list stays as it is.
document.addEventListener("htmx:before:history:restore", (event) => {
  const here = view();
  const url = new URL(event.detail.path, location.href);
  awaitNone();
  if (!here || url.pathname !== here.dataset.path) return;
  event.preventDefault();
  const item = url.searchParams.get("item");
  if (!item) close();
  else htmx.ajax("GET", here.matches("[data-reader]") ? `/articles/${item}` : `/ui/items/${item}`, { target: pane(), swap: "innerHTML" });
});

// Marking what was scrolled past, when somebody wants that.
const passed = new Set();
let timer = 0;

function watch() {
  const here = document.querySelector('[data-mark-on-scroll="yes"]');
  if (!here || here.dataset.watched === "") return;
  here.dataset.watched = "";
  const eye = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect, rootBounds } of entries) {
        const isAbove = !isIntersecting && boundingClientRect.bottom <= (rootBounds?.top ?? 0) + 80;
        if (isAbove && target.isConnected && target.matches(".is-unread")) passed.add(target.dataset.item);
      }
      clearTimeout(timer);
      timer = setTimeout(() => attempt(flush), 900);
    },
    { rootMargin: "-60px 0px 0px 0px" },
  );
  const observe = () => {
    for (const row of here.querySelectorAll("[data-item]:not([data-observed])")) {
      row.dataset.observed = "";
      eye.observe(row);
    }
  };
  observe();
  new MutationObserver(observe).observe(here, { childList: true, subtree: true });
}

async function flush() {
  const items = [...passed].filter(isUnread);
  passed.clear();
  if (!items.length) return;
  await mark(items, "read");
  toast(items.length === 1 ? "1 article marked as read." : `${items.length} articles marked as read.`, {
    undo: () => mark(items, "unread"),
  });
}

export function start() {
  watch();
  const article = pane()?.querySelector("[data-article]:not([data-seen])");
  if (article) {
    article.dataset.seen = "";
    opened(article);
  }
}
