"""The day's articles in; a digest of their own best sentences out.

    articles -> groups of one story -> ranked -> sentences picked and ordered

Every sentence is quoted from an article, or names one, and cites it; none is told
twice. Says in its note that no language model was at work. Deterministic.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from feedloom.distill.offline.stories.grouper import StoryGrouper
from feedloom.distill.offline.vectors import Vector, centroid, likeness, vectors
from feedloom.distill.offline.words import terms, whole_sentences
from feedloom.model.distilled.requests import (
    Claim,
    Digest,
    DigestArticle,
    DigestParagraph,
)
from feedloom.model.stories import StoryArticle

MODEL = "offline-1"
MAX_ARTICLES = 100
_MAX_EXCERPT = 1_000
_FEWEST, _MOST = 3, 5
_SENTENCES = 3
_FEWEST_CITED = 2
_BRIEFS = 4
_HALF_LIFE_H = 12.0
_LEAD_HALF_LIFE_H = 6.0
_TOO_ALIKE = 0.6
_SHORTEST, _LONGEST = 45, 320
_MOST_SOURCES = 5
_WHOLE = re.compile(r"[.!?][\"”“\u2019»)]?$")
_NOISE = re.compile(
    r"\b(?:read more|continue reading|click here|subscribe|sign up|newsletter|cookies?"
    r"|appeared first on|the post|photo:|image:|advertisement|weiterlesen|mehr dazu"
    r"|jetzt lesen|abonnieren|anzeige|foto:|bild:|quelle:|lesen sie auch)\b|https?:"
    r"|\[…\]|\[\.\.\.\]|…$|\.\.\.$",
    re.IGNORECASE,
)
_NOTES = {
    "en": "Created without a language model: all sentences are quoted from the articles.",
    "de": "Offline erstellt, ohne Sprachmodell: Die Sätze sind aus den Artikeln zitiert.",
}


@dataclass(frozen=True, slots=True)
class _Story:
    articles: tuple[DigestArticle, ...]
    centre: Vector
    weight: float


@dataclass(frozen=True, slots=True)
class _Quote:
    article: DigestArticle
    place: int
    text: str
    cites: tuple[int, ...]


class _Told:
    def __init__(self) -> None:
        self._said: list[frozenset[str]] = []
        self._lines: set[str] = set()

    def is_new(self, text: str) -> bool:
        found = frozenset(terms(text))
        return bool(found) and not any(
            _overlap(found, s) > _TOO_ALIKE for s in self._said
        )

    def add(self, text: str) -> None:
        self._said.append(frozenset(terms(text)))

    def was_named(self, line: str) -> bool:
        """Tell whether the very same headline of the same source stands here already.

        Headlines are too short to compare by their words: those of one source share
        its name, and release notes nearly all of their title.
        """
        return line.lower() in self._lines

    def add_line(self, line: str) -> None:
        self._lines.add(line.lower())


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def offline_digest(articles: Sequence[DigestArticle], language: str) -> Digest:
    """Write a digest of the articles, newest first, without a model."""
    newest = sorted(articles, key=lambda a: (a.published_at, a.id), reverse=True)
    newest = newest[:MAX_ARTICLES]
    stories = _ranked(newest, language)
    told = _Told()
    shared = [story for story in stories if len(story.articles) > 1][:_MOST]
    single = [story for story in stories if len(story.articles) == 1]
    paragraphs = [_paragraph(story, told, language) for story in shared]
    free = min(max(_FEWEST - len(shared), 1), _MOST - len(shared))
    if free:
        paragraphs += _briefs(single, told, language, most=free)
    return Digest(
        paragraphs=tuple(p for p in paragraphs if p.claims),
        model=MODEL,
        article_count=len(newest),
        note=_NOTES.get(language, _NOTES["en"]),
    )


def _ranked(articles: Sequence[DigestArticle], language: str) -> list[_Story]:
    documents = [terms(a.title) * 3 + terms(a.excerpt[:_MAX_EXCERPT]) for a in articles]
    found = vectors(documents)
    stories = []
    for members in _grouped(articles, language):
        told = tuple(articles[n] for n in members)
        centre = centroid(found[n] for n in members)
        stories.append(_Story(told, centre, _weight(told, articles[0].published_at)))
    return sorted(stories, key=lambda s: (-s.weight, s.articles[0].id))


def _grouped(articles: Sequence[DigestArticle], language: str) -> list[list[int]]:
    """Group articles as a worker does, oldest first; equal ones belong together anyway."""
    grouper = StoryGrouper()
    by_key: dict[str, int] = {}
    found: dict[int, list[int]] = {}
    for number in reversed(range(len(articles))):
        article = articles[number]
        known = by_key.get(article.cluster_key) if article.cluster_key else None
        at = article.published_at
        story = grouper.add(
            StoryArticle(
                number, article.title, article.source, at, at, article.excerpt, language
            ),
            decided=known,
        )
        if article.cluster_key:
            by_key.setdefault(article.cluster_key, story)
        found.setdefault(story, []).insert(0, number)
    return list(found.values())


def _weight(articles: Sequence[DigestArticle], now: datetime) -> float:
    sources = min(len({article.source for article in articles}), _MOST_SOURCES)
    newest = max(article.published_at for article in articles)
    age_h = max((now - newest).total_seconds() / 3600, 0.0)
    size = math.log2(1 + len(articles))
    return float(size * (0.5 + 0.5 * sources) * 0.5 ** (age_h / _HALF_LIFE_H))


def _paragraph(story: _Story, told: _Told, language: str) -> DigestParagraph:
    picked: list[_Quote] = []
    heard: Counter[int] = Counter()
    for quote in _quotes(story):
        limit = 1 if len(heard) < _FEWEST_CITED else 2
        if heard[quote.article.id] >= limit or not told.is_new(quote.text):
            continue
        told.add(quote.text)
        heard.update(quote.cites)
        picked.append(quote)
        if len(picked) == _SENTENCES:
            break
    claims = [Claim(quote.text, quote.cites) for quote in _in_order(picked)]
    if len(heard) < _FEWEST_CITED:
        claims += _named(story, set(heard), told, language)
    return DigestParagraph(tuple(claims))


def _quotes(story: _Story) -> list[_Quote]:
    saying: dict[str, list[int]] = {}
    found = []
    for article in story.articles:
        title = frozenset(terms(article.title))
        said_whole = whole_sentences(article.excerpt[:_MAX_EXCERPT])
        for place, text in enumerate(said_whole):
            saying.setdefault(text, []).append(article.id)
            if _is_quotable(text) and len(saying[text]) == 1:
                said = terms(text)
                worth = likeness(vectors([said])[0], story.centre)
                worth += 0.3 * _overlap(frozenset(said), title)
                found.append((worth / (1 + 0.15 * place), article, place, text))
    found.sort(key=lambda f: (-f[0], f[1].id, f[2]))
    # An article's first sentence says what happened; a good and fresh one leads.
    newest = max(article.published_at for article in story.articles)
    first = [f for f in found if f[2] == 0]
    lead = max(first, key=lambda f: f[0] * _freshness(f[1], newest), default=None)
    found = [lead, *(f for f in found if f is not lead)] if lead else found
    return [
        # Agencies' sentences stand word for word in several articles: cite them all.
        _Quote(article, place, text, tuple(dict.fromkeys(saying[text])))
        for _, article, place, text in found
    ]


def _freshness(article: DigestArticle, newest: datetime) -> float:
    age_h = (newest - article.published_at).total_seconds() / 3600
    return float(0.5 ** (age_h / _LEAD_HALF_LIFE_H))


def _is_quotable(sentence: str) -> bool:
    return (
        _SHORTEST <= len(sentence) <= _LONGEST
        and _WHOLE.search(sentence) is not None
        and _NOISE.search(sentence) is None
        and sentence[0] not in "-\u2013•*|"
    )


def _in_order(picked: Sequence[_Quote]) -> list[_Quote]:
    # The best sentence leads; the others follow by time, as a story does.
    rest = sorted(picked[1:], key=lambda q: (q.article.published_at, q.place))
    return [*picked[:1], *rest]


def _named(story: _Story, heard: set[int], told: _Told, language: str) -> list[Claim]:
    """Name articles that have no sentence to quote, so that they are cited too."""
    claims: list[Claim] = []
    for article in story.articles:
        if len(heard) >= _FEWEST_CITED:
            break
        line = _headline(article, language)
        if article.id in heard or told.was_named(line):
            continue
        same = tuple(a.id for a in story.articles if _headline(a, language) == line)
        told.add_line(line)
        heard.update(same)
        claims.append(Claim(line, same))
    return claims


def _headline(article: DigestArticle, language: str) -> str:
    title = article.title.strip().rstrip(".")
    quoted = f"„{title}“" if language == "de" else f"“{title}”"
    ended = quoted if title.endswith(("?", "!", "…")) else f"{quoted}."
    return f"{article.source}: {ended}" if article.source else ended


def _briefs(
    stories: Sequence[_Story], told: _Told, language: str, *, most: int
) -> list[DigestParagraph]:
    """Tell single articles, a sentence each, in up to ``most`` paragraphs."""
    lines: list[Claim] = []
    for story in stories:
        if len(lines) == most * _BRIEFS:
            break
        if line := _brief(story, told, language):
            lines.append(Claim(line, (story.articles[0].id,)))
    per_paragraph = max(-(-len(lines) // most), 1)
    return [
        DigestParagraph(tuple(lines[n : n + per_paragraph]))
        for n in range(0, len(lines), per_paragraph)
    ]


def _brief(story: _Story, told: _Told, language: str) -> str | None:
    """Return a new sentence of a single article, or its headline; None if both stand."""
    best = next((q.text for q in _quotes(story) if told.is_new(q.text)), None)
    if best:
        told.add(best)
        return best
    line = _headline(story.articles[0], language)
    if told.was_named(line):
        return None
    told.add_line(line)
    return line
