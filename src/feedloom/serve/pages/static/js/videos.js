// Cards of videos: a click puts the player where the picture was. With a modifier key, or
// without scripts, the card is a link to the video's page.

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-video]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const frame = document.createElement("iframe");
  frame.title = link.getAttribute("aria-label").replace("Play: ", "");
  frame.allow = "autoplay; encrypted-media; fullscreen; picture-in-picture";
  frame.src = link.dataset.video;
  link.replaceWith(frame);
  frame.focus();
});
