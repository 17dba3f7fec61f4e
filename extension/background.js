// Answers content scripts, and keeps them on the sites where they were switched on.

import { itemsOf, pattern, settings } from "./server.js";

const api = globalThis.browser ?? globalThis.chrome;
const MOST = 100;

async function register() {
  const { sites } = await settings();
  const wanted = [];
  for (const site of sites) {
    if (await api.permissions.contains({ origins: [site] })) wanted.push(site);
  }
  await api.scripting.unregisterContentScripts({ ids: ["headlines"] }).catch(() => {});
  if (wanted.length) {
    await api.scripting.registerContentScripts([
      { id: "headlines", js: ["headlines.js"], matches: wanted, runAt: "document_idle" },
    ]);
  }
}

async function calmTitles(url) {
  const { sites } = await settings();
  if (!sites.includes(pattern(url))) return [];
  const items = (await itemsOf(url, MOST)) ?? [];
  return items
    .filter((item) => item.result && item.title !== item.result.title_original)
    .map((item) => ({ url: item.url, original: item.result.title_original, calm: item.title }));
}

api.runtime.onInstalled.addListener(register);
api.runtime.onStartup.addListener(register);
api.runtime.onMessage.addListener((message, sender, answer) => {
  if (sender.id !== api.runtime.id) return false;
  if (message === "titles" && sender.tab) {
    calmTitles(sender.url).then(answer, () => answer([]));
    return true;
  }
  if (message === "sites") {
    register().then(() => answer(true), () => answer(false));
    return true;
  }
  return false;
});
