"""Searches: what a person typed, read into words and conditions. Pure.

Text goes in, a ``SearchQuery`` comes out; nothing typed is ever an error. Words are
folded here (case, accents), so that both engines see the same ones.

Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are written without spaces or with
endings. In these scripts every pair of characters is a word, and so is the last character.
So any part of a text is found as a phrase, and a single character as a prefix.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

MAX_QUERY = 500
MAX_TERMS = 12
SCORES = ("slant", "clickbait", "score")
_MARKS: dict[str, dict[str, Any]] = {
    "unread": {"unread": True},
    "read": {"unread": False},
    "starred": {"starred": True},
    "changed": {"changed": True},
}
_PIECE = re.compile(r'(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))')
_COMPARISON = re.compile(r"([<>])\s*(0?\.\d{1,4}|1(?:\.0{1,4})?|0)")
_WORD = re.compile(r"\w+", re.UNICODE)
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_PARTS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_VOWEL_SIGNS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand together; one word, or a phrase."""

    words: tuple[str, ...]
    negated: bool = False
    goes_on: bool = False
    """The last word is a prefix."""
    text: str = ""
    """The folded text of scripts without spaces."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    terms: tuple[Term, ...] = ()
    feed: str | None = None
    """Part of a feed's title."""
    tag: str | None = None
    unread: bool | None = None
    starred: bool | None = None
    changed: bool | None = None
    """Whether its publisher changed it."""
    before: datetime | None = None
    after: datetime | None = None
    scores: tuple[tuple[str, bool, float], ...] = ()
    """Of ``SCORES``, whether above, and the number."""

    @property
    def has_conditions(self) -> bool:
        """Whether there are conditions besides words."""
        marks = (self.unread, self.starred, self.changed)
        rest = (self.feed, self.tag, *marks, self.before, self.after)
        return bool(self.scores) or any(value is not None for value in rest)

    @property
    def loose(self) -> "SearchQuery | None":
        """The same words wherever they stand; None without a phrase."""
        if not any(len(term.words) > 1 for term in self.wanted):
            return None
        words = tuple(Term((word,)) for term in self.wanted for word in term.words)
        return SearchQuery(words)

    @property
    def wanted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if not term.negated)

    @property
    def unwanted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.negated)


def fold(text: str) -> str:
    """Remove case and accents, as searches do on both engines."""
    text = text.replace("\x00", " ")
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c for c in text if not _is_mark(c))
    return unicodedata.normalize("NFC", kept)


def _is_mark(character: str) -> bool:
    """Return whether a character is an accent or a vowel sign of an unspaced script."""
    if unicodedata.combining(character):
        return True
    is_sign = unicodedata.category(character) in {"Mn", "Mc"}
    return is_sign and bool(_VOWEL_SIGNS.match(character))


def words_of(text: str) -> tuple[str, ...]:
    """Split a text into words as the indexes store them."""
    return tuple(_words(text, last=True))


def whole_words(text: str) -> tuple[str, ...]:
    """Split a text at everything that is not a letter, in any script."""
    return tuple(_WORD.findall(fold(text)))


def _words(text: str, *, last: bool) -> Iterator[str]:
    for word in whole_words(text):
        if not _IS_UNSPACED.search(word):
            yield word
            continue
        for part in _PARTS.findall(word):
            if not _IS_UNSPACED.match(part):
                yield part
                continue
            yield from (part[n : n + 2] for n in range(len(part) - 1))
            if last or len(part) == 1:
                yield part[-1]


def _term(text: str, *, negated: bool, goes_on: bool) -> Term | None:
    words = tuple(_words(text, last=False))
    if not words:
        return None
    whole = " ".join(whole_words(text))
    is_unspaced = bool(_IS_UNSPACED.search(whole))
    # A single character is a prefix of the pairs that begin with it.
    goes_on = goes_on or (is_unspaced and bool(_IS_UNSPACED.fullmatch(words[-1])))
    return Term(words, negated, goes_on, whole if is_unspaced else "")


def read_search(text: str) -> SearchQuery:
    """Read ``feed:x tag:y is:unread slant:>0.5 "a phrase" word -word wor*``."""
    terms: list[Term] = []
    found: dict[str, Any] = {}
    for minus, name, phrase, word in _PIECE.findall(text[:MAX_QUERY]):
        value = phrase or word
        if name and not minus and (condition := _condition(name.lower(), value)):
            scores = (*found.get("scores", ()), *condition.get("scores", ()))
            found |= condition | ({"scores": scores} if scores else {})
            continue
        said = f"{name} {value}" if name else value
        term = _term(said, negated=bool(minus), goes_on=word.endswith("*"))
        if term and len(terms) < MAX_TERMS:
            terms.append(term)
    return SearchQuery(tuple(terms), **found)


def pieces_of(text: str) -> tuple[str, ...]:
    """Split a search as it was typed into words, phrases and conditions."""
    return tuple(match.group() for match in _PIECE.finditer(text[:MAX_QUERY]))


def is_condition(piece: str) -> bool:
    return any(
        name and not minus and _condition(name.lower(), phrase or word)
        for minus, name, phrase, word in _PIECE.findall(piece)
    )


def _condition(name: str, value: str) -> dict[str, Any] | None:
    if name in SCORES and (compared := read_comparison(value)):
        return {"scores": ((name, *compared),)}
    match name, value.lower():
        case (("feed" | "tag"), _):
            return {name: fold(value)}
        case "is", what:
            return _MARKS.get(what)
        case (("before" | "after"), _) if day := _day(value):
            return {name: day}
        case _:
            return None


def read_comparison(text: str) -> tuple[bool, float] | None:
    """Read ``>0.5`` or ``<0.3``: whether above, and the number."""
    match = _COMPARISON.fullmatch(text.strip())
    return (match[1] == ">", float(match[2])) if match else None


def _day(text: str) -> datetime | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
