// The pictures of an article, large: a click or Enter opens one, arrow keys and swipes go on.

const LEAST_PX = 150;
const SWIPE_PX = 40;
const dialog = () => document.getElementById("gallery");
let pictures = [];
let place = 0;
let swipe = null;

const leadsAway = (image) => Boolean(image.closest("a[href]:not([data-large])"));
const isPicture = (image) => image.complete && image.naturalWidth > 0 && image.width >= LEAST_PX && !leadsAway(image);
const picturesOf = (prose) => [...prose.querySelectorAll("img")].filter(isPicture);

/* A picture in a link can be reached by keyboard anyway; the others become buttons. */
function prepare(image) {
  if (!image.matches?.(".prose img") || !isPicture(image) || image.closest("a[href]")) return;
  image.tabIndex = 0;
  image.setAttribute("role", "button");
  image.setAttribute("aria-label", image.alt ? `Enlarge: ${image.alt}` : "Enlarge the picture");
}

const prepareAll = () => document.querySelectorAll(".prose img").forEach(prepare);

function show(number) {
  place = (number + pictures.length) % pictures.length;
  const image = pictures[place];
  const large = dialog().querySelector("img");
  large.onerror = () => {
    large.onerror = null;
    large.src = image.currentSrc;
  };
  large.src = image.closest("a[data-large]")?.dataset.large || image.src;
  large.alt = image.alt;
  const caption = image.closest("figure")?.querySelector("figcaption")?.textContent.trim();
  dialog().querySelector("figcaption").textContent = caption || image.title || image.alt;
  dialog().querySelector("[data-gallery-place]").textContent = pictures.length > 1 ? `${place + 1} of ${pictures.length}` : "";
  for (const button of dialog().querySelectorAll("[data-gallery-step]")) button.hidden = pictures.length < 2;
}

function open(image) {
  pictures = picturesOf(image.closest(".prose"));
  show(pictures.indexOf(image));
  dialog().showModal();
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const step = event.target.closest?.("[data-gallery-step]");
  if (step) return show(place + Number(step.dataset.galleryStep));
  if (event.target === dialog() || event.target.closest?.("[data-gallery-close]")) return dialog().close();
  const image = event.target.closest?.(".prose img") || event.target.closest?.(".prose a[data-large]")?.querySelector("img");
  if (!image || !dialog() || !isPicture(image)) return;
  event.preventDefault();
  open(image);
});

document.addEventListener("keydown", (event) => {
  if (event.target.matches?.(".prose img[role=button]") && [" ", "Enter"].includes(event.key)) {
    event.preventDefault();
    open(event.target);
  } else if (dialog()?.open) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) show(place + by);
    else if (event.key === "Home" || event.key === "End") show(event.key === "Home" ? 0 : pictures.length - 1);
    else return;
    event.preventDefault();
  }
});

document.addEventListener("touchstart", (event) => {
  const isOurs = event.touches.length === 1 && dialog()?.contains(event.target);
  swipe = isOurs ? event.touches[0] : null;
}, { passive: true });
document.addEventListener("touchend", (event) => {
  if (!swipe) return;
  const by = event.changedTouches[0].clientX - swipe.clientX;
  if (Math.abs(by) > SWIPE_PX) show(place + (by < 0 ? 1 : -1));
  swipe = null;
}, { passive: true });

document.addEventListener("load", (event) => prepare(event.target), true);
document.addEventListener("htmx:after:swap", prepareAll);
prepareAll();
