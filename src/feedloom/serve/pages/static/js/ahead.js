// Articles fetched ahead: the next one is there before somebody asks for it.

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
  const found = ctx.request.method === "GET" ? kept.get(ctx.request.action) : null;
  if (!found) return;
  kept.delete(ctx.request.action);
  if (Date.now() - found.at > KEPT_MS) return;
  ctx.fetch = async (path, options) => {
    const text = await Promise.race([found.answer, aborted(options.signal)]);
    if (text === null) return fetch(path, options);
    return new Response(text, { headers: { "Content-Type": "text/html" } });
  };
});

/* A request that was overtaken ends at once, fetched ahead or not. */
const aborted = (signal) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
