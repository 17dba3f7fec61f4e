// The Feedloom server: where it is, who we are there, and what is asked of it.
// The app password stays in the extension's own storage and goes to that server alone.

const api = globalThis.browser ?? globalThis.chrome;

export async function settings() {
  return { server: "", password: "", sites: [], ...(await api.storage.local.get()) };
}

export const save = (changes) => api.storage.local.set(changes);

export const pattern = (url) => `${new URL(url).protocol}//${new URL(url).hostname}/*`;

export async function ask(path, body) {
  const { server, password } = await settings();
  if (!server) throw new Error("Sign in first, in the extension's settings.");
  const headers = { Accept: "application/json" };
  if (password) headers.Authorization = `Bearer ${password}`;
  if (body) headers["Content-Type"] = "application/json";
  const reply = await fetch(new URL(path, server), {
    method: body ? "POST" : "GET",
    headers,
    body: body && JSON.stringify(body),
    credentials: "omit",
    redirect: "error",
  });
  const told = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(told.detail || `The server answered ${reply.status}.`);
  return told;
}

// Asks about no other site than those the server says it has.
export async function knownDomain(url) {
  const host = new URL(url).hostname;
  const { domains } = await ask("/api/domains");
  return domains.find((one) => host === one || host.endsWith(`.${one}`));
}

export async function itemsOf(url, limit) {
  const root = await knownDomain(url);
  if (!root) return null;
  const { items } = await ask(`/api/site?root=${encodeURIComponent(root)}&limit=${limit}`);
  return items;
}
