// How scripts talk to the server: one form, one answer in JSON.

import { keepForLater } from "./offline.js";
import { begin, end } from "./progress.js";

export class Refused extends Error {}

/* No two actions have the same time, so that their order is known. One that waited for its
   turn comes after what the server did meanwhile. */
let last = 0;
const now = () => (last = Math.max(Date.now(), last + 1));

export const post = (path, fields) => send("POST", path, fields);

export async function send(method, path, fields = {}) {
  const at = now();
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) body.append(name, one);
  }
  const headers = { Accept: "application/json", "X-CSRF-Token": document.body.dataset.csrf };
  // Who leaves the page at once loses nothing; browsers take no more than 64 KB that way.
  const keepalive = body.toString().length < 60_000;
  const options = { method, body: method === "DELETE" ? null : body, headers, keepalive };
  // A page that is left at once hears no more that its request failed.
  if (!navigator.onLine && method === "POST" && await keepForLater(path, body, at)) return { queued: true };
  begin();
  const answer = await fetch(path, options).catch(() => null).finally(end);
  if (!answer && method === "POST" && await keepForLater(path, body, at)) return { queued: true };
  if (!answer) throw new Refused("Can't reach the server.");
  if (answer.status === 401) location.assign(`/auth/login?next=${encodeURIComponent(location.pathname + location.search)}`);
  const isJSON = (answer.headers.get("Content-Type") || "").includes("json");
  const said = isJSON ? await answer.json() : {};
  if (!answer.ok) throw new Refused(said.detail || "Something went wrong. Please try again.");
  return said;
}

export async function get(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  return answer.ok ? answer.json() : null;
}
