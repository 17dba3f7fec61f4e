"""Searches: what a person typed, read into words and conditions. Pure.

Text goes in, a ``SearchQuery`` comes out; nothing typed is ever an error. Words are
folded here (case, accents), so that both engines see the same ones.
"""

import re
import unicodedata
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
}
_PIECE = re.compile(r'(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))')
_COMPARISON = re.compile(r"([<>])\s*(0?\.\d{1,4}|1(?:\.0{1,4})?|0)")
_WORD = re.compile(r"\w+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand together; one word, or a phrase."""

    words: tuple[str, ...]
    negated: bool = False
    goes_on: bool = False
    """The last word is the beginning of one."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    terms: tuple[Term, ...] = ()
    feed: str | None = None
    """Part of a feed's title."""
    tag: str | None = None
    unread: bool | None = None
    starred: bool | None = None
    before: datetime | None = None
    after: datetime | None = None
    scores: tuple[tuple[str, bool, float], ...] = ()
    """Of ``SCORES``, whether above, and the number."""

    @property
    def has_conditions(self) -> bool:
        """Tell whether anything but words is asked for."""
        marks = (self.unread, self.starred)
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
    """Fold case and accents away, as searching does on both engines."""
    text = text.replace("\x00", " ")
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in text if not unicodedata.combining(c))


def words_of(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


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
        words = words_of(f"{name} {value}" if name else value)
        if words and len(terms) < MAX_TERMS:
            goes_on = word.endswith("*")
            terms.append(Term(words, negated=bool(minus), goes_on=goes_on))
    return SearchQuery(tuple(terms), **found)


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
