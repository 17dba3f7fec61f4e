// What our pages do in a browser. Everything listens on the document, so that parts may
// come and go; nothing here evaluates text.

import "./copying.js";
import "./ahead.js";
import "./keys.js";
import "./progress.js";
import "./touch.js";
import * as lists from "./lists.js";
import { bringBack } from "./place.js";
import * as shell from "./shell.js";

bringBack();
shell.start();
lists.start();
document.addEventListener("htmx:after:swap", () => {
  bringBack();
  shell.refresh();
  lists.start();
});

if ("serviceWorker" in navigator && document.body.matches(".signed-in")) {
  navigator.serviceWorker.register("/service-worker.js").catch(() => {});
}
