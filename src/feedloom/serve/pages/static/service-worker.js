// Keeps style and scripts. Where somebody switched that on, keeps articles and pictures for
// reading without a network, and what was done to them until it is sent.
// The server puts `self.SHELL` (version and addresses) in front of this text.

const CACHE = `feedloom-${self.SHELL.version}`;
const KEPT = "feedloom-kept-";
const OFFLINE = "/offline";
const AT_ONCE = 4;
const KEEP_EVERY_MS = 300_000;
const PICTURE = /\/(?:images\/\d+\/\d+\/\w+\/[\w-]+|icons\/[^"\s]+)/g;
const PICTURE_WIDTH = 800;

self.addEventListener("install", (event) => {
  const fill = caches.open(CACHE).then((cache) => cache.addAll([...self.SHELL.kept, OFFLINE]));
  event.waitUntil(fill.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name !== CACHE && !name.startsWith(KEPT);
  const old = caches.keys().then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match(OFFLINE)));
  } else if (self.SHELL.kept.includes(pathname)) {
    event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
  } else if (/^\/(images|icons)\/.+$/.test(pathname)) {
    event.respondWith(fetch(request).catch(() => fromKept(pathname)));
  }
});

// What belongs to one person: `owner` says who switched it on, `articles` lists what is
// kept, `actions` waits to be sent. Texts and pictures are in a cache named after the person.

function database() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open("feedloom", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("facts");
      asked.result.createObjectStore("articles", { keyPath: "item" });
      asked.result.createObjectStore("actions", { autoIncrement: true, keyPath: "id" });
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

async function using(name, mode, work) {
  const opened = await database();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = opened.transaction(name, mode);
      const asked = work(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(asked?.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    opened.close();
  }
}

const owner = () => using("facts", "readonly", (facts) => facts.get("owner"));
const setOwner = (value) => using("facts", "readwrite", (facts) => facts.put(value, "owner"));
const updateOwner = (user, changes) =>
  using("facts", "readwrite", (facts) => {
    const asked = facts.get("owner");
    asked.onsuccess = () => asked.result?.user === user && facts.put({ ...asked.result, ...changes }, "owner");
  });
const all = (name) => using(name, "readonly", (rows) => rows.getAll());
const cacheOf = ({ user }) => caches.open(KEPT + user);

/* Pictures have one name whatever their width and however long their address is valid. */
const nameOf = (path) => path.replace(/^\/images\/\d+\/\d+\/\w+\//, "/images/");

async function fromKept(path) {
  const who = await owner();
  const found = who && (await (await cacheOf(who)).match(nameOf(path), { ignoreVary: true }));
  return found || Response.error();
}

/* Texts and pictures go; whoever signs in next finds nothing of somebody else. */
async function wipe({ everything }) {
  for (const name of await caches.keys()) if (name.startsWith(KEPT)) await caches.delete(name);
  await using("articles", "readwrite", (rows) => rows.clear());
  if (!everything) {
    const who = await owner();
    return who && updateOwner(who.user, { keptAt: 0 });
  }
  await using("actions", "readwrite", (rows) => rows.clear());
  return using("facts", "readwrite", (facts) => facts.clear());
}

/* Asks the server what to keep; when it answers as somebody else, nothing stays. */
async function askServer(who, count) {
  const answer = await fetch(`/offline/articles?count=${count}`, { headers: { Accept: "application/json" } }).catch(() => null);
  if (answer?.status === 401) await wipe({ everything: false });
  if (!answer?.ok) return null;
  const said = await answer.json();
  if (said.user === who.user) return said;
  await wipe({ everything: true });
  return null;
}

const isStill = async (who) => (await owner())?.user === who.user;

let keeping = null;
const keep = (how) => (keeping ??= keepAll(how).finally(() => (keeping = null)));

async function keepAll({ now }) {
  const who = await owner();
  if (!who || (!now && Date.now() - who.keptAt < KEEP_EVERY_MS)) return;
  const said = await askServer(who, who.count);
  if (!said) return;
  const cache = await cacheOf(who);
  const before = new Map((await all("articles")).map((row) => [row.item, row]));
  const queue = said.articles.map((row, place) => ({ ...row, place }));
  const rows = [];
  const work = async () => {
    for (let row = queue.shift(); row; row = queue.shift()) rows.push(await keepArticle(cache, row, before.get(row.item)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // Somebody may have signed out meanwhile.
  if (!(await isStill(who))) return caches.delete(KEPT + who.user);
  const kept = rows.filter((row) => row?.item);
  await using("articles", "readwrite", (store) => {
    store.clear();
    for (const row of kept) store.put(row);
  });
  const isFull = rows.includes(FULL);
  const wanted = new Set(kept.flatMap((row) => [`/articles/${row.item}`, ...row.pictures]));
  for (const { url } of await cache.keys()) if (!wanted.has(new URL(url).pathname)) await cache.delete(url);
  await updateOwner(who.user, { keptAt: Date.now(), markOnOpen: said.mark_on_open, isFull });
  if (!(await isStill(who))) await wipe({ everything: false });
}

const FULL = "full";

/* Returns what is known of an article that is kept; nothing when it could not be had. */
async function keepArticle(cache, row, before) {
  if (before?.version === row.version) return { ...row, pictures: before.pictures };
  const path = `/articles/${row.item}`;
  try {
    const answer = await fetch(path, { headers: { Accept: "text/html", "HX-Request": "true" } });
    if (!answer.ok) return null;
    const html = await answer.text();
    await cache.put(path, new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } }));
    const found = new Map([...html.matchAll(PICTURE)].map(([address]) => [nameOf(address), address]));
    for (const [name, address] of found) {
      const sized = address.replace(/^\/images\/\d+/, `/images/${PICTURE_WIDTH}`);
      const picture = await fetch(sized).catch(() => null);
      if (picture?.ok) await cache.put(name, picture);
    }
    return { ...row, pictures: [...found.keys()] };
  } catch (error) {
    return error.name === "QuotaExceededError" ? FULL : null; // No room left, or no network.
  }
}

// What was done without a network is sent in the order it was done, with its time by the
// server's clock. The server compares times and does the same thing twice as if it were once,
// so that a lost answer does no harm.

const waiting = async () => (await all("actions")).sort((one, other) => one.at - other.at);

let sending = null;
const send = () => (sending ??= sendAll().finally(() => (sending = null)));

async function sendAll() {
  const who = await owner();
  if (!who || !(await waiting()).length) return true;
  const asked = Date.now();
  const said = await askServer(who, 0);
  if (!said) return false;
  const ahead = said.now - (asked + Date.now()) / 2;
  const headers = { Accept: "application/json", "X-CSRF-Token": said.csrf };
  for (let [action] = await waiting(); action; [action] = await waiting()) {
    const { id, path, fields, at } = action;
    const answer = await fetch(`${path}?at=${Math.round(at + ahead)}`, { method: "POST", body: new URLSearchParams(fields), headers }).catch(() => null);
    if (!answer || answer.status >= 500 || [401, 403, 429].includes(answer.status)) return false;
    await using("actions", "readwrite", (rows) => rows.delete(id));
  }
  return true;
}

self.addEventListener("sync", (event) => {
  const sent = send().then((done) => {
    if (!done) throw new Error("Later.");
  });
  event.waitUntil(sent);
});

const VERBS = {
  /* A page of somebody who is signed in was opened. */
  async hello({ user }) {
    const who = await owner();
    if (!who) return;
    if (who.user !== user) return wipe({ everything: true });
    await send();
    await keep({ now: false });
  },
  gone: ({ everything }) => wipe({ everything }),
  async on({ user, count }) {
    await setOwner({ user, count, keptAt: 0 });
    await keep({ now: true });
    return VERBS.state({ user });
  },
  off: () => wipe({ everything: true }),
  async state({ user }) {
    const who = await owner();
    if (who?.user !== user) return null;
    const [kept, actions] = [await all("articles"), await all("actions")];
    return { count: who.count, kept: kept.length, waiting: actions.length, isFull: who.isFull };
  },
  async queue({ path, fields, at }) {
    if (!(await owner())) return { queued: false };
    await using("actions", "readwrite", (rows) => rows.put({ path, fields, at }));
    await self.registration.sync?.register("send").catch(() => {});
    return { queued: true };
  },
  /* What is kept, as it is once everything was sent. */
  async list() {
    const who = await owner();
    const rows = new Map((await all("articles")).map((row) => [String(row.item), row]));
    for (const { fields } of await waiting()) {
      const { mark, item } = Object.fromEntries(fields);
      const places = (item || "").split(",").map((each) => rows.get(each)).filter(Boolean);
      for (const row of places) {
        if (mark?.endsWith("read")) row.unread = mark === "unread";
        if (mark?.endsWith("starred")) row.starred = mark === "starred";
      }
    }
    const articles = [...rows.values()].sort((one, other) => one.place - other.place);
    return { articles, markOnOpen: who?.markOnOpen };
  },
  send,
};

self.addEventListener("message", (event) => {
  const { verb, ...given } = event.data;
  const done = Promise.resolve(VERBS[verb]?.(given)).catch(() => null);
  event.waitUntil(done.then((said) => event.ports[0]?.postMessage(said ?? null)));
});
