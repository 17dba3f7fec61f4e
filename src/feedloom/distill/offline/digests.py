"""A person's articles in; a digest of their own best sentences out.

    articles -> stories, ranked -> a headline and a sentence or two of each

Every sentence is quoted from an article and carries its place there; none is told twice.
Says in its note that no language model was at work. Deterministic.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from feedloom.distill.offline.selection import Story, select_stories
from feedloom.distill.offline.support import find_words, prove
from feedloom.distill.offline.vectors import Vector, centroid, likeness, vectors
from feedloom.distill.offline.words import terms, whole_sentences
from feedloom.model.distilled.requests import (
    Claim,
    Digest,
    DigestArticle,
    DigestParagraph,
    Evidence,
)

MODEL = "offline-1"
MOST_STORIES = 12
_MAX_EXCERPT = 1_000
_SENTENCES = 2
_LEAD_HALF_LIFE_H = 6.0
_TOO_ALIKE = 0.6
_SHORTEST, _LONGEST = 45, 320
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
class _Quote:
    article: DigestArticle
    place: int
    text: str


class Told:
    """What a digest says already."""

    def __init__(self) -> None:
        self._said: list[frozenset[str]] = []

    def is_new(self, text: str) -> bool:
        found = frozenset(terms(text))
        return bool(found) and not any(_overlap(found, s) > _TOO_ALIKE for s in self._said)

    def add(self, text: str) -> None:
        self._said.append(frozenset(terms(text)))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def offline_digest(
    articles: Sequence[DigestArticle], language: str, topics: Sequence[str] = ()
) -> Digest:
    """Write a digest of the articles without a model."""
    selection = select_stories(articles, language, topics)
    stories = selection.stories[:MOST_STORIES]
    told = Told()
    paragraphs = [quoted_paragraph(story, told) for story in stories]
    return Digest(
        paragraphs=by_section(p for p in paragraphs if p.told),
        model=MODEL,
        article_count=len(articles),
        note=_NOTES.get(language, _NOTES["en"]),
        left_out=selection.left_out,
    )


def by_section(paragraphs: Iterator[DigestParagraph]) -> tuple[DigestParagraph, ...]:
    """Put the paragraphs of one section together, in the order of their first ones."""
    sections: dict[str, list[DigestParagraph]] = {}
    for paragraph in paragraphs:
        sections.setdefault(paragraph.section, []).append(paragraph)
    return tuple(paragraph for section in sections.values() for paragraph in section)


def story_paragraph(story: Story, claims: Sequence[Claim], lead: DigestArticle) -> DigestParagraph:
    """Put a story's headline, section and sources to what is said of it."""
    return DigestParagraph(
        tuple(claims),
        section=story.section,
        headline=headline(lead),
        source_ids=tuple(article.id for article in story.sources),
    )


def headline(article: DigestArticle) -> Claim | None:
    """Return the title that its reader wants to see, if the article supports it."""
    calm = (article.calm_title or "").strip()
    evidence = prove(calm, [article]) if calm and calm != article.title else ()
    if evidence:
        return Claim(calm, (article.id,), evidence)
    found = find_words(article, article.title)
    return Claim(article.title, (article.id,), (found,)) if article.title and found else None


def quoted_paragraph(story: Story, told: Told) -> DigestParagraph:
    """Quote what a story's articles say best and nothing else has said."""
    picked: list[_Quote] = []
    for quote in _quotes(story):
        # The second sentence is another source's, where there is one that has more to say.
        if picked and len(story.sources) > 1 and quote.article == picked[0].article:
            continue
        if told.is_new(quote.text):
            told.add(quote.text)
            picked.append(quote)
        if len(picked) == _SENTENCES:
            break
    claims = [_claim(quote.text, story) for quote in picked]
    lead = picked[0].article if picked else story.articles[0]
    return story_paragraph(story, claims, lead)


def _claim(text: str, story: Story) -> Claim:
    # Agencies' sentences stand word for word in several articles: cite them all.
    found = [_evidence(article, text) for article in story.articles]
    evidence = tuple(one for one in found if one is not None)
    return Claim(text, tuple(one.article_id for one in evidence), evidence)


def _evidence(article: DigestArticle, text: str) -> Evidence | None:
    return find_words(article, text) if text in article.excerpt else None


def _quotes(story: Story) -> list[_Quote]:
    centre = _centre(story)
    seen: set[str] = set()
    found = []
    for article in story.articles:
        title = frozenset(terms(article.title))
        for place, text in enumerate(whole_sentences(article.excerpt[:_MAX_EXCERPT])):
            if text not in seen and text in article.excerpt and _is_quotable(text):
                said = terms(text)
                worth = likeness(vectors([said])[0], centre)
                worth += 0.3 * _overlap(frozenset(said), title)
                found.append((worth / (1 + 0.15 * place), article, place, text))
            seen.add(text)
    found.sort(key=lambda f: (-f[0], f[1].id, f[2]))
    # An article's first sentence says what happened; a good and fresh one leads.
    newest = max(article.published_at for article in story.articles)
    first = [f for f in found if f[2] == 0]
    lead = max(first, key=lambda f: f[0] * _freshness(f[1], newest), default=None)
    found = [lead, *(f for f in found if f is not lead)] if lead else found
    return [_Quote(article, place, text) for _, article, place, text in found]


def _centre(story: Story) -> Vector:
    texts = (f"{a.title} " * 3 + a.excerpt[:_MAX_EXCERPT] for a in story.articles)
    return centroid(vectors([terms(text) for text in texts]))


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
