// Copy buttons: what they name is put on the clipboard, or at least selected.

import { toast } from "./toasts.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const text = source.value ?? source.textContent;
  // Without TLS browsers have no clipboard for us, but still the old command.
  const done = await (navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false);
  toast(done || copySelected(source) ? "Copied." : "Selected. Copy it with your keyboard.");
});

function copySelected(source) {
  if (source.select) source.select();
  else getSelection().selectAllChildren(source);
  return document.execCommand("copy");
}
