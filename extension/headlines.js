// On a site where it was switched on: calm headlines in place of the published ones.
// Only text nodes are written, and only where they hold exactly the published headline.

(async () => {
  const api = globalThis.browser ?? globalThis.chrome;
  const plain = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const titles = (await api.runtime.sendMessage("titles")) || [];
  const calm = new Map(titles.map(({ original, calm }) => [plain(original), calm]));
  if (!calm.size) return;

  function replace(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const title = calm.get(plain(node.data));
      const place = node.parentElement;
      if (!title || place.dataset.feedloom || !place.closest("a, h1, h2, h3, h4")) continue;
      show(node, place, title);
    }
  }

  function show(node, place, title) {
    const original = node.data;
    place.dataset.feedloom = "calm";
    place.title = original.trim();
    node.data = title;
    const target = place.closest("a") ?? place;
    const swap = (text) => () => { node.data = text; };
    for (const event of ["mouseenter", "focus"]) target.addEventListener(event, swap(original));
    for (const event of ["mouseleave", "blur"]) target.addEventListener(event, swap(title));
  }

  replace(document.body);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) replace(node);
    }
  }).observe(document.body, { childList: true, subtree: true });
})();
