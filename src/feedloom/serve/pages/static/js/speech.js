// Articles read aloud by the browser's own voices, sentence by sentence. Nothing is sent
// anywhere by us; some browsers ask a service of their own for some of their voices.

const speech = globalThis.speechSynthesis;
const SPEED = "feedloom-speech-speed";
const VOICE = "feedloom-speech-voice-";
const SILENT = "pre, math, svg, .video, figcaption a, sup:has(a[href^='#'])";
const BLOCK = "p, li, h1, h2, h3, h4, h5, h6, dt, dd, td, th, figcaption, summary, blockquote, div";
let reading = null; // { article, sentences, place, utterance }

const languageOf = (article) => article.querySelector("[lang]")?.lang || document.documentElement.lang;
const bar = (article) => article.querySelector(".listen-bar");

/* The sentences of an article, each with its place in the page. */
function sentencesOf(article) {
  const blocks = [];
  for (const part of article.querySelectorAll(".article-title, .prose")) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { currentNode: node } = walker;
      const owner = node.parentElement;
      if (owner.closest(SILENT)) continue;
      const block = owner.closest(BLOCK);
      if (blocks.at(-1)?.block !== block) blocks.push({ block, nodes: [], text: "" });
      blocks.at(-1).nodes.push({ node, start: blocks.at(-1).text.length });
      blocks.at(-1).text += node.data;
    }
  }
  const segmenter = new Intl.Segmenter(languageOf(article), { granularity: "sentence" });
  return blocks.flatMap(({ nodes, text }) =>
    [...segmenter.segment(text)].filter(({ segment }) => /[\p{L}\p{N}]/u.test(segment)).map(({ segment, index }) => {
      const range = document.createRange();
      const at = (offset) => nodes.findLast(({ start }) => start <= offset);
      const [from, to] = [at(index), at(index + segment.trimEnd().length - 1)];
      range.setStart(from.node, index - from.start);
      range.setEnd(to.node, index + segment.trimEnd().length - to.start);
      return { text: segment.replace(/\s+/g, " ").trim(), range };
    }),
  );
}

function mark(range) {
  if (!range) return globalThis.CSS?.highlights?.delete("listening");
  globalThis.CSS?.highlights?.set("listening", new Highlight(range));
  const { top, bottom } = range.getBoundingClientRect();
  const pane = range.startContainer.parentElement.closest(".article-pane, .detail")?.getBoundingClientRect();
  const isSeen = top > Math.max(pane?.top ?? 0, 0) + 100 && bottom < Math.min(pane?.bottom ?? innerHeight, innerHeight);
  if (!isSeen) range.startContainer.parentElement.scrollIntoView({ block: "center" });
}

function speak() {
  const { article, sentences, place } = reading;
  const sentence = sentences[place];
  if (!sentence) return stop();
  const utterance = new SpeechSynthesisUtterance(sentence.text);
  const [speed, voice] = bar(article).querySelectorAll("select");
  utterance.lang = languageOf(article);
  utterance.rate = Number(speed.value);
  utterance.voice = speech.getVoices().find(({ voiceURI }) => voiceURI === voice.value) ?? null;
  // What was cancelled reports its end, too: only the sentence under way counts.
  utterance.onend = () => reading?.utterance === utterance && go(1);
  utterance.onerror = () => reading?.utterance === utterance && pause();
  reading.utterance = utterance;
  mark(sentence.range);
  speech.cancel();
  speech.speak(utterance);
  show(true);
}

/* Resuming is unreliable in browsers: a pause ends the sentence, and it begins again. */
function pause() {
  reading.utterance = null;
  speech.cancel();
  show(false);
}

function go(by) {
  reading.place = Math.max(0, reading.place + by);
  if (reading.utterance) speak();
  else mark(reading.sentences[reading.place]?.range);
}

function stop() {
  if (!reading) return;
  bar(reading.article).hidden = true;
  reading = null;
  speech.cancel();
  mark(null);
}

function show(isSpeaking) {
  const { article } = reading;
  bar(article).hidden = false;
  const button = bar(article).querySelector("[data-listening=play]");
  const label = isSpeaking ? "Pause" : "Read on";
  button.setAttribute("aria-label", label);
  button.title = label;
  button.querySelector("use").setAttribute("href", isSpeaking ? "#i-pause" : "#i-play");
}

function offerVoices() {
  for (const list of document.querySelectorAll("[data-voices]")) {
    const language = languageOf(list.closest("[data-article]")).split("-")[0];
    const fitting = speech.getVoices().filter(({ lang }) => lang.split(/[-_]/)[0] === language);
    const kept = localStorage.getItem(VOICE + language);
    list.replaceChildren(new Option("Usual voice", ""), ...fitting.map(({ name, voiceURI }) => new Option(name, voiceURI)));
    list.value = fitting.some(({ voiceURI }) => voiceURI === kept) ? kept : "";
    list.hidden = !fitting.length;
    const speed = list.parentElement.querySelector("[data-speed]");
    speed.value = localStorage.getItem(SPEED) || "1";
  }
}

function toggle(article) {
  if (reading?.article === article) return reading.utterance ? pause() : speak();
  stop();
  reading = { article, sentences: sentencesOf(article), place: 0, utterance: null };
  offerVoices();
  speak();
}

if (speech && globalThis.SpeechSynthesisUtterance && Intl.Segmenter) {
  document.documentElement.classList.add("speaks");
  speech.addEventListener?.("voiceschanged", offerVoices);
  document.addEventListener("click", ({ target }) => {
    const article = target.closest?.("[data-article]");
    if (target.closest?.("[data-listen]")) return toggle(article);
    const act = target.closest?.("[data-listening]")?.dataset.listening;
    if (act && reading) ({ play: () => toggle(article), back: () => go(-1), on: () => go(1), stop })[act]();
  });
  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.("[data-voices], [data-speed]")) return;
    const language = languageOf(target.closest("[data-article]")).split("-")[0];
    localStorage.setItem(target.matches("[data-speed]") ? SPEED : VOICE + language, target.value);
    if (reading?.utterance) speak();
  });
  document.addEventListener("htmx:after:swap", () => reading && !reading.article.isConnected && stop());
  addEventListener("pagehide", () => speech.cancel());
}
