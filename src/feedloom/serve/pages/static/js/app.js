// What our pages do in a browser. Everything listens on the document, so that parts may
// come and go; nothing here evaluates text.

import "./copying.js";
import "./ahead.js";
import "./gallery.js";
import "./keys.js";
import "./player.js";
import "./progress.js";
import "./speech.js";
import "./touch.js";
import "./videos.js";
import * as fetching from "./fetching.js";
import * as lists from "./lists.js";
import * as offline from "./offline.js";
import * as pictures from "./pictures.js";
import { bringBack } from "./place.js";
import * as shell from "./shell.js";

bringBack();
shell.start();
lists.start();
if (document.body.matches(".signed-in")) fetching.start();
offline.start();
pictures.start();
document.addEventListener("htmx:after:swap", () => {
  bringBack();
  shell.refresh();
  lists.start();
});
