// Pictures whose size nobody knew have a box of their own, so that the text below stays
// where it is. One that comes while it is out of sight takes the room it needs.

document.addEventListener("load", ({ target: image }) => {
  if (!image.matches?.(".prose img.unsized")) return;
  const { top, bottom } = image.getBoundingClientRect();
  if (bottom > 0 && top < innerHeight) return;
  image.width = image.naturalWidth;
  image.height = image.naturalHeight;
  image.classList.remove("unsized");
}, true);

// A list's picture that cannot be loaded leaves no empty box.
document.addEventListener("error", ({ target: image }) => {
  if (image.matches?.(".row-picture")) image.remove();
}, true);
