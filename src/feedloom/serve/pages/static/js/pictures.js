// Pictures whose size nobody knew have a box of their own or the height of their line, so that
// the text below stays where it is. One that comes while it is out of sight takes the room it
// needs.

function isInSight(image) {
  const { top, bottom } = image.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

document.addEventListener("load", ({ target: image }) => {
  if (!image.matches?.(".prose img:is(.unsized, .in-line)")) return;
  if (isInSight(image)) return image.classList.add("came");
  image.width = image.naturalWidth;
  image.height = image.naturalHeight;
  image.classList.remove("unsized", "in-line");
}, true);

// Pictures of lists and videos that cannot be loaded leave no broken box. One of an article
// leaves its description, and keeps its room while somebody looks at it.
const SPARE = ".row-picture, .video-open img";

function giveUp(image) {
  const isSeen = isInSight(image);
  if (image.matches(SPARE) || !(image.alt || isSeen)) image.remove();
  else image.classList.add(isSeen ? "failed" : "failed-unseen");
}

document.addEventListener("error", ({ target: image }) => {
  if (image.matches?.(`${SPARE}, .prose img`)) giveUp(image);
}, true);

/* Some have failed before this was there. */
export function start() {
  for (const image of document.querySelectorAll(`${SPARE}, .prose img`)) {
    if (image.complete && !image.naturalWidth) giveUp(image);
  }
}
