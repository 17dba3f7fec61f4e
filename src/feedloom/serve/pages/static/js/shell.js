// The frame around pages: menus, dialogs, forms, theme, counts, folds.

import { countMarks } from "./marks.js";
import { get, post } from "./server.js";
import { filterFeeds } from "./side.js";
import { attempt, toast } from "./toasts.js";

const COUNTS_EVERY_MS = 60_000;
const dialog = () => document.getElementById("dialog");

// Menus close when somebody looks elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(event.target) || event.target.closest(".menu-panel :is(a, button):not([aria-pressed])")) menu.open = false;
  }
  if (event.target.closest("[data-close]")) dialog().close();
  if (event.target === dialog() || event.target.id === "help") event.target.close();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
  event.stopImmediatePropagation();
}, true);

// Questions are asked in a dialog of ours.
function ask(question) {
  return new Promise((resolve) => {
    const box = document.createElement("dialog");
    box.className = "dialog";
    box.setAttribute("aria-label", "Question");
    const words = document.createElement("p");
    words.textContent = question;
    const form = document.createElement("form");
    form.method = "dialog";
    form.className = "actions";
    for (const [value, text, look] of [["yes", question.split(" ")[0], "button button-danger"], ["no", "Cancel", "button"]]) {
      const button = document.createElement("button");
      button.value = value;
      button.textContent = text;
      button.className = look;
      form.append(button);
    }
    box.append(words, form);
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue === "yes");
    });
    document.body.append(box);
    box.showModal();
  });
}
document.addEventListener("htmx:confirm", (event) => {
  event.preventDefault();
  const { ctx, issueRequest, dropRequest } = event.detail;
  ask(ctx.confirm).then((yes) => (yes ? issueRequest() : dropRequest()));
});

// Before htmx hears of a form: a button of its own may ask first.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!submitter?.dataset.confirm || submitter.dataset.confirmed) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  ask(submitter.dataset.confirm).then((yes) => {
    if (!yes) return;
    submitter.dataset.confirmed = "yes";
    form.requestSubmit(submitter);
    delete submitter.dataset.confirmed;
  });
}, true);

// Rows of a list that are selected, for the form that does something with them.
function countSelected() {
  for (const all of document.querySelectorAll("[data-select-all]")) {
    const boxes = [...document.querySelectorAll(`input[name="${all.dataset.selectAll}"]`)];
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen > 0 && chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
    all.form.classList.toggle("has-selected", chosen > 0);
  }
}
document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-select-all]")) {
    for (const box of document.querySelectorAll(`input[name="${target.dataset.selectAll}"]`)) box.checked = target.checked;
  }
  if (target.matches("[data-select-all], [form]")) countSelected();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.confirm && !form.dataset.confirmed) {
    event.preventDefault();
    ask(form.dataset.confirm).then((yes) => {
      if (!yes) return;
      form.dataset.confirmed = "yes";
      form.requestSubmit();
    });
  } else if (form.matches("[data-theme-switch]")) {
    event.preventDefault();
    const theme = event.submitter.value;
    document.documentElement.dataset.theme = theme;
    attempt(() => post(form.getAttribute("action"), { theme }));
  } else if (form.matches("[data-look]")) {
    event.preventDefault();
    const { name, value } = event.submitter;
    document.documentElement.dataset[name] = value;
    for (const other of event.submitter.parentElement.children) other.setAttribute("aria-pressed", other === event.submitter);
    attempt(() => post(form.getAttribute("action"), { [name]: value }));
  } else if ("quiet" in form.dataset && !form.hasAttribute("hx-post")) {
    event.preventDefault();
    attempt(async () => {
      await post(form.getAttribute("action"), Object.fromEntries(new FormData(form)));
      toast(form.dataset.quiet || "Fetching now.");
    });
  }
});

// What forms do once the server said yes.
document.addEventListener("htmx:after:request", (event) => {
  const { ctx } = event.detail;
  const form = ctx.sourceElement?.closest?.("form");
  if (!form || ctx.response.status >= 300) return;
  const errors = document.getElementById(form.dataset.errors);
  if (errors) errors.replaceChildren();
  // What was typed stays until it is known what became of it.
  if ("clears" in form.dataset && ctx.response.status !== 202) form.reset();
  if ("closes" in form.dataset && dialog().open) dialog().close();
  if (form.dataset.quiet && form.hasAttribute("hx-post")) toast(form.dataset.quiet);
});
const TIMEOUT_MS = 25_000;
/* A form's token travels in the header: addresses end up in logs. */
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  if (["GET", "DELETE"].includes(ctx.request.method)) ctx.request.body.delete("csrf_token");
});
document.addEventListener("htmx:before:request", (event) => {
  const { ctx } = event.detail;
  ctx.asked = Date.now();
  // What asks again and again waits while nobody can see it.
  if (document.hidden && ctx.sourceElement?.getAttribute?.("hx-trigger")?.startsWith("every")) event.preventDefault();
});
document.addEventListener("htmx:error", ({ detail: { ctx, error } }) => {
  // Another request took its place; requests that took too long end the same way.
  if (error?.name === "AbortError" && Date.now() - ctx.asked < TIMEOUT_MS) return;
  toast("Can't reach the server.", { bad: true });
});

// A part that was put into the dialog is shown.
document.addEventListener("htmx:after:swap", (event) => {
  const { target, sourceElement } = event.detail.ctx;
  if (sourceElement?.matches?.("[data-once]")) {
    // The rest of a source is there: going on where one was.
    target.querySelectorAll(".item-link")[Number(sourceElement.dataset.once)]?.focus({ preventScroll: true });
    sourceElement.remove();
  }
  if (target === dialog() && !dialog().open) dialog().showModal();
  if (target?.id === "main") arrived();
});

function arrived() {
  document.getElementById("sidebar")?.hidePopover?.();
  document.getElementById("main").focus({ preventScroll: true });
  refresh();
}

/* Pages without a link of their own belong to another's. */
const BELONGS = [
  [/^\/ui\/?$/, (_, query) => `/ui/?view=${["bookmarks", "inbox", "archive"].includes(query.get("view")) ? "bookmarks" : "feeds"}`],
  [/^\/bookmarks\//, () => "/ui/?view=bookmarks"],
  [/^\/feeds\/(\d+)/, ([, id]) => `/read/feed/${id}`],
  [/^\/search$/, (_, query) => `/search?q=${encodeURIComponent(query.get("q"))}`],
  [/^\/(feeds|statistics)$/, () => "/dashboard"],
  [/^\/auth\/password$/, () => "/settings"],
  [/^\/(settings|admin|digest|dashboard)\//, ([, name]) => `/${name}`],
];

export function markCurrent() {
  const [shape, name] = BELONGS.find(([shape]) => shape.test(location.pathname)) || [];
  const here = shape ? name(location.pathname.match(shape), new URLSearchParams(location.search)) : location.pathname;
  for (const link of document.querySelectorAll(".sidebar .nav-link")) {
    if (link.getAttribute("href") === here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/* Strips of tabs that are wider than the window show the tab one is at. */
function showTabs() {
  for (const tab of document.querySelectorAll(":is(.tabs, .topics) [aria-current]")) {
    const strip = tab.parentElement;
    const [inner, outer] = [tab.getBoundingClientRect(), strip.getBoundingClientRect()];
    strip.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  }
}

// Which folders and sources are folded is remembered in this browser.
const FOLDS = "feedloom-folds";
const folds = () => new Set(JSON.parse(localStorage.getItem(FOLDS) || "[]"));
const foldName = (box) => (box.dataset.folder ? `folder-${box.dataset.folder}` : `source-${box.dataset.fold}`);

document.addEventListener("toggle", (event) => {
  const box = event.target;
  if (!box.matches?.("details[data-folder], details[data-fold]")) return;
  const closed = folds();
  if (box.open) closed.delete(foldName(box));
  else closed.add(foldName(box));
  localStorage.setItem(FOLDS, JSON.stringify([...closed]));
}, true);

function applyFolds() {
  const closed = folds();
  for (const box of document.querySelectorAll("details[data-folder], details[data-fold]")) {
    if (closed.has(foldName(box))) box.open = false;
  }
}

function localTimes() {
  for (const time of document.querySelectorAll("time[data-local]:not([data-told])")) {
    time.dataset.told = "";
    time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "long", timeStyle: "short" });
  }
}

// Where somebody lives is what their browser says, until they say otherwise.
function timezones() {
  for (const field of document.querySelectorAll("input[data-timezone]")) {
    field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  }
}

/* How many unread articles the sidebar counts for the list on the page. */
function ownCount() {
  const [, kind, id] = location.pathname.match(/^\/read\/(feed|folder)\/(\d+)/) || [];
  const link = kind && document.querySelector(`.nav-link[data-${kind === "feed" ? "feed" : "sum"}="${id}"]`);
  return link ? Number(link.querySelector(".count").textContent) : null;
}

async function counts() {
  if (document.hidden || !document.querySelector(".sidebar [data-total]")) return;
  const searches = [...document.querySelectorAll(".sidebar [data-saved]")];
  const marks = await countMarks();
  const said = await get(searches.length ? "/ui/counts?searches" : "/ui/counts").catch(() => null);
  if (!said) return;
  // What the server counted is older than what the page shows.
  if (marks !== (await countMarks())) return counts();
  const before = ownCount();
  const seen = document.querySelector("[data-newest]")?.dataset.newest ?? document.querySelector("[data-sweep]:not(.menu-panel form) [name=seen]")?.value;
  const write = (link, number) => {
    const place = link?.querySelector(".count");
    if (place) place.textContent = number || "";
  };
  write(document.querySelector("[data-total=unread]"), said.unread);
  write(document.querySelector("[data-total=starred]"), said.starred);
  for (const link of searches) write(link, said.searches[link.dataset.saved]);
  for (const link of document.querySelectorAll(".nav-link[data-feed]")) write(link, said.feeds[link.dataset.feed]);
  for (const branch of document.querySelectorAll(".branch")) {
    const links = [...branch.querySelectorAll(".nav-link[data-feed]")];
    write(branch.querySelector(":scope > .nav-link"), links.reduce((sum, link) => sum + (said.feeds[link.dataset.feed] || 0), 0));
  }
  filterFeeds();
  const isNew = seen !== undefined && said.newest > Number(seen) && (before === null || ownCount() > before);
  if (isNew) document.dispatchEvent(new CustomEvent("arrived"));
}

document.addEventListener("counts", counts);
document.addEventListener("visibilitychange", counts);
document.addEventListener("reload", () => {
  htmx.ajax("GET", location.pathname + location.search, { target: "#main", swap: "innerHTML" });
  counts();
});

/* What is unread stands in the title of the tab, too. */
function titleCount() {
  const unread = Number(document.querySelector("[data-total=unread] .count")?.textContent || 0);
  const title = document.title.replace(/^\(\d+\) /, "");
  const wanted = unread ? `(${unread}) ${title}` : title;
  if (document.title !== wanted) document.title = wanted;
}

export function refresh() {
  markCurrent();
  filterFeeds();
  showTabs();
  applyFolds();
  localTimes();
  timezones();
}

export function start() {
  refresh();
  titleCount();
  const watched = document.querySelectorAll("title, #nav");
  const eye = new MutationObserver(titleCount);
  for (const node of watched) eye.observe(node, { childList: true, subtree: true, characterData: true });
  if (document.querySelector(".sidebar [data-saved]")) counts();
  setInterval(() => {
    counts();
    if (!document.hidden) document.dispatchEvent(new CustomEvent("fetched"));
  }, COUNTS_EVERY_MS);
  new MutationObserver(localTimes).observe(document.body, { childList: true, subtree: true });
}
