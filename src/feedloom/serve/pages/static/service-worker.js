// Keeps style and scripts, and shows a page of its own when there is no network.
// Never keeps anything personal: pages and answers always come from the server.
// The server puts `self.SHELL` (version and addresses) in front of this text.

const CACHE = `feedloom-${self.SHELL.version}`;
const OFFLINE = "/offline";

self.addEventListener("install", (event) => {
  const fill = caches.open(CACHE).then((cache) => cache.addAll([...self.SHELL.kept, OFFLINE]));
  event.waitUntil(fill.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) =>
    Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))),
  );
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match(OFFLINE)));
  } else if (self.SHELL.kept.includes(new URL(request.url).pathname)) {
    event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
  }
});
