"""Text in; words, terms and sentences out.

Deterministic and without any model; good for languages that put spaces between
words. Stop words are those of English and German.
"""

import re
import string
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import resources
from typing import TypeVar

T = TypeVar("T")

_WORD = re.compile(r"[^\W\d_]+(?:[\u2019'-][^\W\d_]+)*")
_BREAK = re.compile(r"[.!?…][\"”“\u2019»)\]]*( )(?=[\"“„\u201a«(\[]*[^\W_])")
_WHOLE = re.compile(r"[.!?…。！？][\"”“\u2019»)\]]*$")  # noqa: RUF001 - meant
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|no|nr|inc|ltd|co|corp|gen|sen|rep|gov|jr|sr|approx"
    r"|e\.g|i\.e|etc|z\.\s?b|d\.\s?h|u\.\s?a|o\.\s?ä|bzw|ca|abs|art|evtl|ggf|inkl|max"
    r"|mio|mrd|sog|str|tel|usw|vgl|jan|feb|aug|sept|okt|oct|nov|dez|dec)"
    r"|\b[A-ZÄÖÜ]"
    r"|\b(?:am|vom|zum|der|dem|den|die|das|im|bis|ab|seit|des|und|nach|vor) \d{1,2})\.\Z",
    re.IGNORECASE,
)
_TYPED = "\u201c\u201d\u2018\u2013\u2014\u2026\u00a0"
"""Marks of English and German headlines that are in no word."""
_LOOSE = re.compile(r"'(?:(?![a-z0-9])|(?<![a-z0-9]'))")
"""An apostrophe that is not inside a word."""
_MOST_REMEMBERED = 50_000
_ENDINGS = ("ungen", "ung", "ing", "ies", "ern", "en", "er", "es", "em", "ed", "e", "s", "n")
_SHORTEST_STEM = 4
_SHORTEST_TERM = 3


@cache
def data_lines(name: str) -> tuple[str, ...]:
    """Return the lines of a data file of ours, without comments and blank ones."""
    text = (resources.files(__package__) / "data" / name).read_text("utf-8")
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


class Remembered(dict[str, T]):
    """What a function says of words: texts repeat their words."""

    def __init__(self, told: Callable[[str], T]) -> None:
        super().__init__()
        self._told = told

    def __missing__(self, word: str) -> T:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        found = self[word] = self._told(word)
        return found


def ascii_lower(text: str) -> str | None:
    """Return a text in lower case, with its typographic marks plain; None if not in ASCII then."""
    if not text.isascii():
        text = text.replace("\u2019", "'")
        for mark in _TYPED:
            text = text.replace(mark, " ")
        if not text.isascii():
            return None
    return text.lower()


def split_ascii(lower: str, signs: str = string.ascii_lowercase + string.digits) -> list[str]:
    """Split a text in ASCII and lower case into words of these signs and inner apostrophes.

    Ten times as quick as a regular expression.
    """
    text = lower.translate(_only(signs))
    return (_LOOSE.sub(" ", text) if "'" in text else text).split()


@cache
def _only(signs: str) -> dict[int, str]:
    return {n: chr(n) if chr(n) in signs + "'" else " " for n in range(128)}


@cache
def stop_words(language: str) -> frozenset[str]:
    return frozenset(" ".join(data_lines(f"stopwords.{language}.txt")).split())


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    lower = word.lower().replace("\u2019", "'")
    if lower.isascii():
        return lower
    lower = lower.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    apart = unicodedata.normalize("NFD", lower.replace("ß", "ss"))
    return "".join(c for c in apart if not unicodedata.combining(c))


def words(text: str) -> list[str]:
    return _WORD.findall(text)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the part of a folded word that inflection leaves alone, roughly."""
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def terms(text: str) -> list[str]:
    stopped = _all_stop_words()
    found = (word for word in words(text) if len(word) >= _SHORTEST_TERM)
    return [stem(fold(w)) for w in found if w.lower().replace("\u2019", "'") not in stopped]


@cache
def _all_stop_words() -> frozenset[str]:
    return stop_words("en") | stop_words("de")


def sentences(text: str) -> list[str]:
    """Split a text into sentences; abbreviations and ordinals do not end one.

    A line ends one in any case: lines are headings, items and cells as well.
    """
    return [one for line in text.splitlines() for one in _of_line(line)]


def whole_sentences(text: str) -> list[str]:
    """Return the sentences that begin and end as such, without headings and cells."""
    return [
        one
        for one in sentences(text)
        # Small letters go on with what a line break has cut.
        if _WHOLE.search(one) and not one[0].islower()
    ]


def _of_line(line: str) -> list[str]:
    text = " ".join(line.split())
    found: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if not _ABBREVIATED.search(text, max(start, match.start() - 12), match.start() + 1):
            found.append(text[start : match.start(1)])
            start = match.end()
    return [*found, text[start:]] if text[start:] else found
