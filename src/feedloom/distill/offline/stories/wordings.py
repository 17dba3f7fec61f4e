"""The articles of a story in; how each source words it, beside the others, out.

Compares words and nothing else: what one source alone says, which words are loaded and
why, and the numbers, names and quotations that no other source states. Texts are what
the feeds gave, so what a source leaves out there may stand on its page.
"""

import re
from collections.abc import Iterator, Sequence

from feedloom.distill.offline.framing_scores import loaded_words
from feedloom.distill.offline.headlines import judge_headline
from feedloom.distill.offline.languages import judged_language
from feedloom.distill.offline.stories.terms import bare_title
from feedloom.distill.offline.words import fold, sentences, stem, terms, words
from feedloom.model.stories import Fact, SourceWording, StoryArticle, Words

_WORD = re.compile(r"\w+(?:[\u2019'.,-]\w+)*")
_NUMBER = re.compile(
    r"(?<![\w.,-])[$€£]?\d+(?:[.,]\d+)*"
    r"(?:\s?%| (?:per cent|percent|[^\W\d_]{3,}(?: [^\W\d_]{4,})?))?"
)
_NAME = re.compile(
    r"(?<=[\w,;:)] )[^\W\d_a-z][^\W\d_]+"
    r"(?:[ -](?:(?:of|the|de|von|van|der) )?[^\W\d_a-z][^\W\d_]+)*"
)
_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]{8,160})[\"\u201d\u201c\u00bb]"
)
_DATES = re.compile(
    "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    "|january|february|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber"
)
_MOST_FACTS = 6
_FEWEST = 2


class OfflineWording:
    def compare(self, articles: Sequence[StoryArticle]) -> tuple[SourceWording, ...]:
        said = [frozenset(terms(article.title)) for article in articles]
        told = [_Told(article) for article in articles]
        return tuple(
            _wording(article, said[:place] + said[place + 1 :], told, place)
            for place, article in enumerate(articles)
        )

    def score(self, title: str, language: str) -> float | None:
        return judge_headline(title, language=language or None).overall


class _Told:
    """What a source states in its title and text."""

    def __init__(self, article: StoryArticle) -> None:
        self.text = f"{bare_title(article.title, article.source)}\n{article.text}"
        self.known = {stem(fold(word)) for word in words(self.text)}
        self.numbers = {_digits(match[0]) for match in _NUMBER.finditer(self.text)}
        self.folded = _folded(self.text)


def _wording(
    article: StoryArticle, others: Sequence[frozenset[str]], told: Sequence[_Told], place: int
) -> SourceWording:
    language = judged_language(article.language or None, article.title)
    hits = loaded_words(article.title, language) if language else []
    spans = [(found.span(), hit) for hit in hits for found in _places(hit.phrase, article.title)]
    elsewhere = frozenset().union(*others)
    parts: list[Words] = []
    end = 0
    for match in _WORD.finditer(article.title):
        parts.append(Words(article.title[end : match.start()]))
        end = match.end()
        dimensions = [
            hit.dimension for (first, last), hit in spans if first <= match.start() and end <= last
        ]
        stems = terms(match[0])
        is_alone = bool(others) and bool(stems) and elsewhere.isdisjoint(stems)
        parts.append(Words(match[0], is_alone, tuple(dict.fromkeys(dimensions))))
    parts.append(Words(article.title[end:]))
    rest = [each for number, each in enumerate(told) if number != place]
    return SourceWording(
        article.id,
        tuple(_joined(parts)),
        tuple(dict.fromkeys((article.title[a:b], hit.dimension) for (a, b), hit in spans)),
        judge_headline(article.title, language=language).overall,
        tuple(_facts(told[place], rest, language))[:_MOST_FACTS] if rest else (),
    )


def _places(phrase: str, title: str) -> Iterator[re.Match[str]]:
    pattern = r"\W+".join(map(re.escape, phrase.split())).replace("'", "['\u2019]")
    return re.finditer(rf"(?<!\w){pattern}(?!\w)", title, re.IGNORECASE)


def _joined(parts: Sequence[Words]) -> Iterator[Words]:
    """Join neighbours that are alike, with the space between them."""
    kept: list[Words] = []
    for part in parts:
        if not part.text:
            continue
        alike = len(kept) >= _FEWEST and (part.is_alone, part.loaded) == (
            kept[-2].is_alone,
            kept[-2].loaded,
        )
        if alike and not kept[-1].text.strip():
            gap, before = kept.pop(), kept.pop()
            kept.append(Words(before.text + gap.text + part.text, part.is_alone, part.loaded))
        else:
            kept.append(part)
    yield from kept


def _facts(told: _Told, rest: Sequence[_Told], language: str | None) -> Iterator[Fact]:
    found: set[str] = set()
    for quoted in _QUOTED.findall(told.text):
        text = " ".join(quoted.split()).rstrip(",;:")
        if text not in found and not any(_folded(text) in other.folded for other in rest):
            found.add(text)
            yield Fact("quotation", text)
    numbers = frozenset().union(*(other.numbers for other in rest))
    for match in _NUMBER.finditer(told.text):
        number, text = _digits(match[0]), " ".join(match[0].split())
        if number not in numbers | found and len(number) >= _FEWEST:
            found |= {number, text}
            yield Fact("number", text)
    known = frozenset().union(*(other.known for other in rest))
    for sentence in sentences(told.text)[1:]:
        for name in _NAME.findall(sentence):
            stems = {stem(fold(word)) for word in words(name)}
            # In German every noun has a capital letter.
            is_name = language != "de" or len(name.split()) >= _FEWEST
            is_new = not any(name in fact for fact in found) and not _DATES.fullmatch(fold(name))
            if is_name and is_new and known.isdisjoint(stems):
                found.add(name)
                yield Fact("name", name)


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _folded(text: str) -> str:
    return " ".join(map(fold, words(text)))
