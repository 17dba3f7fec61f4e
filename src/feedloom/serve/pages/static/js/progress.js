// A thin bar at the top while the server is waited for longer than a moment.

const MOMENT_MS = 150;
let waiting = 0;
let timer = 0;

const bar = () => document.getElementById("progress-bar");

export function begin() {
  waiting += 1;
  if (waiting === 1) timer = setTimeout(() => bar()?.classList.add("is-busy"), MOMENT_MS);
}

export function end() {
  waiting = Math.max(0, waiting - 1);
  if (waiting) return;
  clearTimeout(timer);
  bar()?.classList.remove("is-busy");
}

document.addEventListener("htmx:before:request", begin);
document.addEventListener("htmx:finally:request", end);
// Pages that are left by an ordinary link or form, too.
window.addEventListener("beforeunload", begin);
window.addEventListener("pageshow", (event) => event.persisted && end());
