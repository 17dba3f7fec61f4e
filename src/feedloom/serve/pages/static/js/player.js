// Sound that goes on while somebody reads on. The sound itself is part of no page; the
// bar that shows it may come and go. Where somebody is, the server remembers.

import { mark } from "./marks.js";
import { get } from "./server.js";
import { attempt, toast } from "./toasts.js";

const SAVE_EVERY_S = 10;
const BACK_S = 15;
const FORWARD_S = 30;
const RELOADED_MS = 15_000;
/* Somebody who paused may have gone on at another device. */
const LONG_PAUSE_MS = 30_000;
const SPEED = "feedloom-speed";
const QUEUE = `feedloom-queue-${document.body.dataset.user}`;
const PLAYING = `feedloom-playing-${document.body.dataset.user}`;
/* Pages that fit into the main part: links to them need not stop the sound. */
const PAGES = /^\/(ui\/?|read\/.*|search|dashboard|digest|directory|feeds\/\d+|settings)$/;

const audio = new Audio();
audio.preload = "metadata";
let now = null;
let chapters = [];
let isReady = false;
let saved = 0;
let pausedAt = 0;
let sleep = { wanted: "", timer: 0 };
let queue = JSON.parse(localStorage.getItem(QUEUE) || "[]");

const bar = () => document.getElementById("player");
const part = (name) => bar().querySelector(name);
const same = (one, other) => one?.item === other?.item && one?.url === other?.url;
const about = ({ item, url }) => get(`/articles/${item}/media?${new URLSearchParams({ url })}`);

function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return `${h ? `${h}:${String(m).padStart(2, "0")}` : m}:${String(s).padStart(2, "0")}`;
}

/* A beacon arrives although the page is left. */
function save(seconds = audio.currentTime) {
  const whole = Math.floor(seconds);
  if (!now || !isReady || whole === saved || (audio.ended && whole)) return;
  saved = whole;
  const fields = { csrf_token: document.body.dataset.csrf, url: now.url, seconds: whole };
  navigator.sendBeacon(`/articles/${now.item}/position`, new URLSearchParams(fields));
}

async function load(episode, { start = true, at = null } = {}) {
  save();
  audio.pause();
  isReady = false;
  [now, chapters] = [episode, []];
  draw();
  const said = await about(episode).catch(() => null);
  if (!same(now, episode)) return;
  if (!said?.source) {
    close();
    toast("This file can't be played.", { bad: true });
    return;
  }
  now = { ...episode, ...said };
  saved = Math.floor(at ?? said.seconds);
  audio.src = said.source;
  audio.defaultPlaybackRate = audio.playbackRate = Number(localStorage.getItem(SPEED) || 1);
  audio.addEventListener("loadedmetadata", () => {
    audio.currentTime = saved < audio.duration - 1 ? saved : 0;
    isReady = true;
  }, { once: true });
  if (start) audio.play().catch(() => {});
  tellSystem();
  draw();
  loadChapters(episode);
}

async function loadChapters(episode) {
  const { item, url } = episode;
  const found = await get(`/articles/${item}/chapters?${new URLSearchParams({ url })}`).catch(() => null);
  if (!found || !same(now, episode)) return;
  chapters = found.chapters;
  draw();
}

async function resume() {
  if (audio.error) return load(now);
  if (pausedAt && Date.now() - pausedAt > LONG_PAUSE_MS) {
    const said = await about(now).catch(() => null);
    if (said && Math.abs(said.seconds - saved) > 1) audio.currentTime = saved = said.seconds;
  }
  audio.play().catch(() => {});
}

function seek(seconds) {
  audio.currentTime = Math.min(Math.max(0, seconds), audio.duration || seconds);
}

function close() {
  save();
  audio.pause();
  audio.removeAttribute("src");
  now = null;
  setTimer("");
  sessionStorage.removeItem(PLAYING);
  draw();
}

function next() {
  const following = queue.shift();
  keepQueue();
  if (following) load(following);
  return Boolean(following);
}

function keepQueue() {
  localStorage.setItem(QUEUE, JSON.stringify(queue));
  tellSystem();
  draw();
}

addEventListener("storage", ({ key, newValue }) => {
  if (key !== QUEUE) return;
  queue = JSON.parse(newValue || "[]");
  draw();
});

function setTimer(wanted) {
  clearTimeout(sleep.timer);
  sleep = { wanted, timer: Number(wanted) ? setTimeout(fallAsleep, Number(wanted) * 60_000) : 0 };
  draw();
}

function fallAsleep() {
  setTimer("");
  audio.pause();
}

audio.addEventListener("timeupdate", () => {
  if (!audio.paused && Math.abs(audio.currentTime - saved) >= SAVE_EVERY_S) save();
  drawTime();
});
audio.addEventListener("pause", () => {
  pausedAt = Date.now();
  if (!audio.ended) save();
  draw();
});
audio.addEventListener("play", () => {
  pausedAt = 0;
  draw();
});
audio.addEventListener("seeked", () => save());
audio.addEventListener("durationchange", draw);
audio.addEventListener("error", () => {
  if (!now || !audio.getAttribute("src")) return;
  audio.pause();
  toast("This file can't be played.", { bad: true });
});
audio.addEventListener("ended", () => {
  // Heard to the end: the next time begins at the start.
  save(0);
  const { item } = now;
  attempt(() => mark([item], "read"));
  const sleeps = sleep.wanted === "end";
  setTimer(sleeps ? "" : sleep.wanted);
  if (sleeps || !next()) draw();
});

function leave() {
  if (!now) return;
  save();
  sessionStorage.setItem(PLAYING, JSON.stringify({ episode: now, plays: !audio.paused, at: audio.currentTime, left: Date.now() }));
}
addEventListener("pagehide", leave);
document.addEventListener("visibilitychange", () => document.hidden && leave());

/* What a page load of this tab interrupted goes on. */
function bringBack() {
  const kept = JSON.parse(sessionStorage.getItem(PLAYING) || "null");
  if (!kept) return;
  const isFresh = Date.now() - kept.left < RELOADED_MS;
  load(kept.episode, { start: isFresh && kept.plays, at: isFresh ? kept.at : null });
}

// The keys of keyboards and headphones, and the system's own display.
function tellSystem() {
  if (!now || !("mediaSession" in navigator)) return;
  const artwork = now.cover ? [{ src: new URL(now.cover, location.href).href }] : [];
  navigator.mediaSession.metadata = new MediaMetadata({ title: now.title, artist: now.feed, artwork });
  const handlers = {
    play: resume,
    pause: () => audio.pause(),
    seekbackward: () => seek(audio.currentTime - BACK_S),
    seekforward: () => seek(audio.currentTime + FORWARD_S),
    seekto: ({ seekTime }) => seek(seekTime),
    nexttrack: queue.length ? next : null,
  };
  for (const [action, handler] of Object.entries(handlers)) navigator.mediaSession.setActionHandler(action, handler);
}

const chapterAt = (seconds) => chapters.findLast(({ start }) => start <= seconds);

function drawTime() {
  const [at, whole] = [audio.currentTime, Number.isFinite(audio.duration) ? audio.duration : 0];
  const slider = part("[data-player=seek]");
  slider.max = Math.floor(whole);
  if (!slider.matches(":active")) slider.value = Math.floor(at);
  slider.setAttribute("aria-valuetext", clock(at));
  part(".player-time").value = whole ? `${clock(at)} / ${clock(whole)}` : clock(at);
  part(".player-feed").textContent = chapterAt(at)?.title || now?.feed || "";
}

function rowOf(text, name, value) {
  const row = document.createElement("button");
  row.type = "button";
  row.dataset[name] = value;
  row.textContent = text;
  return row;
}

function queueRowOf({ title }, place) {
  const row = document.createElement("div");
  const remove = rowOf("×", "removed", place);
  remove.ariaLabel = `Remove ${title} from the queue`;
  row.append(rowOf(title, "queued", place), remove);
  return row;
}

function draw() {
  bar().hidden = !now;
  if (!now) return;
  Object.assign(part(".player-title"), { textContent: now.title, href: `/articles/${now.item}` });
  const cover = part(".player-cover");
  cover.hidden = !now.cover;
  if (now.cover && cover.getAttribute("src") !== now.cover) cover.src = now.cover;
  const button = part("[data-player=toggle]");
  button.title = audio.paused ? "Play" : "Pause";
  button.setAttribute("aria-label", button.title);
  button.querySelector("use").setAttribute("href", audio.paused ? "#i-play" : "#i-pause");
  part("[data-player=speed]").value = localStorage.getItem(SPEED) || "1";
  part("[data-player=sleep]").value = sleep.wanted;
  part(".player-download").href = now.source || "";
  part(".player-chapters").hidden = !chapters.length;
  part(".player-chapters .menu-panel").replaceChildren(
    ...chapters.map(({ start, title }) => rowOf(`${clock(start)}  ${title}`, "chapter", start)),
  );
  part(".player-queue").hidden = !queue.length;
  part(".player-queue .count").textContent = queue.length;
  part(".player-queue .menu-panel").replaceChildren(...queue.map(queueRowOf));
  drawTime();
}

const VERBS = {
  toggle: () => (audio.paused ? resume() : audio.pause()),
  back: () => seek(audio.currentTime - BACK_S),
  forward: () => seek(audio.currentTime + FORWARD_S),
  close,
};

function episodeOf(button) {
  const { play: url, of: item, title } = button.dataset;
  return { item, url, title };
}

function enqueue(episode) {
  if (!now) return load(episode, { start: false });
  if ([now, ...queue].some((each) => same(each, episode))) return toast("Already in the queue.");
  queue.push(episode);
  keepQueue();
  toast("Added to the queue.");
}

document.addEventListener("click", (event) => {
  const { target } = event;
  const button = target.closest?.("[data-play]");
  if (button) return same(now, episodeOf(button)) ? VERBS.toggle() : load(episodeOf(button));
  if (target.closest?.("[data-enqueue]")) return enqueue(episodeOf(target.closest(".enclosure").querySelector("[data-play]")));
  if (!target.closest?.("#player")) return keepPlaying(event);
  const { player, chapter, queued, removed } = target.closest("button")?.dataset || {};
  if (chapter !== undefined) seek(Number(chapter));
  else if (removed !== undefined) {
    queue.splice(Number(removed), 1);
    keepQueue();
  } else if (queued !== undefined) {
    queue.unshift(...queue.splice(Number(queued), 1));
    next();
  } else VERBS[player]?.();
});

document.addEventListener("input", ({ target }) => {
  if (!target.matches?.("#player [data-player]")) return;
  const { value } = target;
  if (target.dataset.player === "seek") seek(Number(value));
  if (target.dataset.player === "sleep") setTimer(value);
  if (target.dataset.player !== "speed") return;
  localStorage.setItem(SPEED, value);
  audio.playbackRate = Number(value);
});

/* A link that would load a whole page only changes the main part while something plays. */
function keepPlaying(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || audio.paused || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.target || link.origin !== location.origin || link.hash || !PAGES.test(link.pathname)) return;
  event.preventDefault();
  const path = link.pathname + link.search;
  htmx.ajax("GET", path, { target: "#main", swap: "innerHTML", push: path });
}

if (bar()) {
  document.addEventListener("htmx:after:swap", draw);
  bringBack();
}
