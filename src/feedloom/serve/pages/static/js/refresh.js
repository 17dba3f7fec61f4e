// Fetching new articles on request, from a key or by pulling a list down.

import { follow } from "./fetching.js";
import { post } from "./server.js";
import { toast } from "./toasts.js";

/* Fetches the feed whose list is shown, or else all of them. */
export async function fetchNew() {
  const feed = location.pathname.match(/^\/(?:read\/feed|feeds)\/(\d+)/)?.[1];
  await post(feed ? `/feeds/${feed}/refresh` : "/feeds/refresh", {});
  toast(feed ? "Fetching this feed…" : "Fetching your feeds…");
  follow({ asked: true });
}
