// Signing in: an address and an app password, tried before they are kept.

import { ask, pattern, save, settings } from "./server.js";

const api = globalThis.browser ?? globalThis.chrome;
const at = (id) => document.getElementById(id);

at("server").value = (await settings()).server;
at("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const server = at("server").value.trim();
  // Before anything is awaited: Firefox forgets the click otherwise.
  const granted = api.permissions.request({ origins: [pattern(server)] });
  const before = await settings();
  try {
    if (!(await granted)) throw new Error("Without access to the server nothing works.");
    await save({ server, password: at("password").value.trim() });
    const { email } = await ask("/api/me");
    at("password").value = "";
    at("said").textContent = `Signed in as ${email}.`;
  } catch (error) {
    await save({ server: before.server, password: before.password });
    at("said").textContent = error.message;
  }
});
