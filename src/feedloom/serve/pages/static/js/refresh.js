// Fetching new articles on request, and showing them when they are there.

import { get, post } from "./server.js";
import { toast } from "./toasts.js";

const LOOK_EVERY_MS = 2_000;
const LOOKS = 15;
let looking = false;

/* Fetches the feed whose list is shown, or else all of them. */
export async function fetchNew() {
  if (looking) return;
  const feed = location.pathname.match(/^\/(?:read\/feed|feeds)\/(\d+)/)?.[1];
  const before = await get("/ui/counts");
  await post(feed ? `/feeds/${feed}/refresh` : "/feeds/refresh", {});
  toast(feed ? "Fetching this feed…" : "Fetching your feeds…");
  looking = true;
  for (let left = LOOKS; left && before; left -= 1) {
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
    if (document.hidden) continue;
    const now = await get("/ui/counts").catch(() => null);
    if (now && now.newest !== before.newest) {
      show(now.newest - before.newest);
      break;
    }
  }
  looking = false;
}

/* Somebody who reads is not interrupted: the list waits until they ask for it. */
function show(number) {
  document.dispatchEvent(new CustomEvent("counts"));
  const isReading = document.querySelector(".has-article, .has-item, [data-article]");
  if (!isReading) document.dispatchEvent(new CustomEvent("reload"));
  toast(number === 1 ? "1 new article." : `${number.toLocaleString()} new articles.`);
}
