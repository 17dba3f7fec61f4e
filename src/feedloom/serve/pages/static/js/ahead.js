// Articles fetched ahead: the next one is there before somebody asks for it.

import { fetchKept } from "./offline.js";

const KEPT_MS = 60_000;
const MOST_KEPT = 4;
const kept = new Map();

export function fetchAhead(path) {
  if (!path || kept.has(path) || navigator.connection?.saveData) return;
  const headers = { Accept: "text/html", "HX-Request": "true" };
  const answer = fetch(path, { headers }).then((found) => (found.ok ? found.text() : null)).catch(() => null);
  kept.set(path, { answer, at: Date.now() });
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
}

/* What was kept tells how the article was marked then. */
export function forgetAhead(item) {
  kept.delete(`/articles/${item}`);
  kept.delete(`/ui/items/${item}`);
}

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  if (ctx.request.method !== "GET") return;
  if (/^\/articles\/\d+$/.test(ctx.request.action)) ctx.fetch = fetchKept;
  const found = kept.get(ctx.request.action);
  if (!found) return;
  kept.delete(ctx.request.action);
  if (Date.now() - found.at > KEPT_MS) return;
  ctx.fetch = async (path, options) => {
    const text = await Promise.race([found.answer, aborted(options.signal)]);
    options.signal?.throwIfAborted();
    if (text === null) return fetchKept(path, options);
    return new Response(text, { headers: { "Content-Type": "text/html" } });
  };
});

/* A request that was overtaken ends at once, fetched ahead or not. */
const aborted = (signal) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

/* Nor is its answer shown if that was noticed too late. */
let awaited = null;
const isArticle = ({ request }) => request.method === "GET" && /^\/(articles|ui\/items)\/\d+$/.test(request.action);

/* Nobody waits for an article any more. Returns whether somebody did. */
export function awaitNone() {
  const was = awaited;
  awaited = null;
  was?.request.abort();
  return Boolean(was);
}
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (!isArticle(ctx)) return;
  awaitNone();
  awaited = ctx;
});
document.addEventListener("htmx:after:request", (event) => {
  const { ctx } = event.detail;
  if (isArticle(ctx) && ctx !== awaited) event.preventDefault();
});
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.id === "main") awaitNone();
});
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (ctx === awaited) awaited = null;
});
