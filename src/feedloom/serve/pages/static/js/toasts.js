// Short messages at the foot of the page; most of them offer to undo what they tell.

const LASTS_MS = 8000;
let undoLast = null;

export function toast(text, { undo = null, bad = false } = {}) {
  const box = document.createElement("div");
  box.className = bad ? "toast toast-bad" : "toast";
  const words = document.createElement("span");
  words.textContent = text;
  box.append(words);
  if (undo) box.append(undoButton(box, undo));
  document.getElementById("toasts").append(box);
  let timer = setTimeout(() => box.remove(), LASTS_MS);
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("focusin", () => clearTimeout(timer));
  box.addEventListener("pointerleave", () => (timer = setTimeout(() => box.remove(), 2000)));
  return box;
}

function undoButton(box, undo) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = "Undo";
  undoLast = () => {
    undoLast = null;
    box.remove();
    attempt(undo);
  };
  button.addEventListener("click", undoLast);
  return button;
}

export function undo() {
  if (undoLast) undoLast();
}

export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    toast(error.message, { bad: true });
    return null;
  }
}

document.addEventListener("toast", (event) => toast(event.detail.text));
