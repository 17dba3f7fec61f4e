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

// Pictures of lists and videos that cannot be loaded leave no broken box.
const SPARE = ".row-picture, .video-open img";
document.addEventListener("error", ({ target: image }) => {
  if (image.matches?.(SPARE)) image.remove();
}, true);

/* Some have failed before this was there. */
export function start() {
  for (const image of document.querySelectorAll(SPARE)) {
    if (image.complete && !image.naturalWidth) image.remove();
  }
}
