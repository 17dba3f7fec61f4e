// Search in the documentation: the index is fetched when somebody begins to type.

const form = document.querySelector(".search");
const field = form.querySelector("input");
const found = document.getElementById("found");
const MOST = 12;

const ready = () =>
  new Promise((resolve) => {
    if (window.DOCS_INDEX) {
      resolve();
      return;
    }
    const script = document.createElement("script");
    script.src = `${form.dataset.up}search-index.js`;
    script.addEventListener("load", () => resolve());
    document.head.append(script);
  });

const score = (words, [page, heading, , text]) => {
  const [title, body] = [`${page} ${heading}`.toLowerCase(), text.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    const inTitle = title.includes(word);
    if (!inTitle && !body.includes(word)) return 0;
    sum += inTitle ? 5 : 1;
  }
  return sum;
};

const excerpt = (words, text) => {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
  return `${at ? "…" : ""}${text.slice(at, at + 160)}${text.length > at + 160 ? "…" : ""}`;
};

const row = (words, [page, heading, address, text]) => {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = form.dataset.up + address;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  const words_around = document.createElement("p");
  words_around.textContent = excerpt(words, text);
  item.append(link, words_around);
  return item;
};

const search = async () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  if (found.hidden) return;
  await ready();
  const hits = window.DOCS_INDEX.map((part) => [score(words, part), part])
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0])
    .slice(0, MOST);
  const head = document.createElement("h2");
  head.textContent = hits.length ? `Found for “${field.value}”` : `Nothing found for “${field.value}”`;
  const list = document.createElement("ul");
  list.append(...hits.map(([, part]) => row(words, part)));
  found.replaceChildren(head, list);
};

field.addEventListener("input", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
form.hidden = false;
