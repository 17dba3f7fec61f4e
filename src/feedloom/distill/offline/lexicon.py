"""Word lists in; what of them stands in a text, with weights, out.

The lists are data files of ours. A phrase is found by its first word in constant
time, so that a text costs about as much as its length. Deterministic.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from feedloom.distill.offline.words import data_lines

LITERAL = "literal"
_ANY = "*"
_TOKEN = re.compile(r"%|[^\W_]+(?:[\u2019'][^\W_]+)*")
_SHORTEST_AFFIX = 3
_WIDEST_GAP = 6
_LONGEST_WORD = 60
_MOST_KNOWN = 50_000


class Hit(NamedTuple):
    dimension: str
    phrase: str
    weight: float


@dataclass(frozen=True, slots=True)
class _Phrase:
    dimension: str
    words: tuple[str, ...]
    weight: float
    second: str | None = None
    """The word that must follow the first; None when there may be several."""
    fits: int = 0
    """How many words it has when its first and second are all that has to fit."""


class Lexicon:
    def __init__(self, phrases: Sequence[_Phrase]) -> None:
        self._exact: dict[str, list[_Phrase]] = defaultdict(list)
        self._prefix: dict[str, list[_Phrase]] = defaultdict(list)
        self._suffix: dict[str, list[_Phrase]] = defaultdict(list)
        self._known: dict[str, Mapping[str, Sequence[_Phrase]]] = {}
        for phrase in phrases:
            first = phrase.words[0]
            if first.startswith("*"):
                self._suffix[first[1:]].append(phrase)
            elif first.endswith("*"):
                self._prefix[first[:-1]].append(phrase)
            else:
                self._exact[first].append(phrase)

    def find(self, text: str) -> list[Hit]:
        """Return what stands in the text, in reading order, each phrase once."""
        tokens = tokens_of(text)
        hits: dict[tuple[str, str], Hit] = {}
        literal_until = 0
        begun = list(map(self._known.get, tokens))
        if None in begun:
            begun = list(map(self._starting, tokens))
        for at, starting in enumerate(begun):
            if not starting:
                continue
            follows = tokens[at + 1] if at + 1 < len(tokens) else ""
            phrases = starting.get(follows) or starting.get(_ANY)
            if not phrases:
                continue
            found = [
                (p, end) for p in phrases if (end := at + p.fits if p.fits else _end(p, tokens, at))
            ]
            for phrase, end in found:
                if phrase.dimension == LITERAL and end > literal_until:
                    literal_until = end
            for phrase, end in found:
                if phrase.dimension != LITERAL and end > literal_until:
                    said = " ".join(tokens[at:end])
                    hits.setdefault(
                        (phrase.dimension, said), Hit(phrase.dimension, said, phrase.weight)
                    )
        return list(hits.values())

    def _starting(self, token: str) -> Mapping[str, Sequence[_Phrase]]:
        """Return the phrases that begin with a token, by the word that follows it.

        Those that stand before any word are under each. Texts repeat their words.
        """
        known = self._known.get(token)
        if known is not None:
            return known
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        phrases = list(self._found(token))
        found = self._known[token] = {
            second or _ANY: [p for p in phrases if p.second in {None, second}]
            for second in {phrase.second for phrase in phrases}
        }
        return found

    def _found(self, token: str) -> Iterator[_Phrase]:
        if token.isdigit():
            yield from self._exact.get("#", ())
        if len(token) > _LONGEST_WORD:
            return
        yield from self._exact.get(token, ())
        for length in range(_SHORTEST_AFFIX, len(token) + 1):
            yield from self._prefix.get(token[:length], ())
        for start in range(1, len(token) - _SHORTEST_AFFIX + 1):
            yield from self._suffix.get(token[start:], ())


def tokens_of(text: str) -> list[str]:
    """Return the words of a text in lower case, hyphens taken as spaces."""
    text = text.replace("\u2019", "'")
    if text.isascii():
        return _TOKEN.findall(text.lower())
    return [token.lower() for token in _TOKEN.findall(text)]


def _end(phrase: _Phrase, tokens: Sequence[str], at: int) -> int:
    here = at
    for number, word in enumerate(phrase.words):
        if word == "*":
            follows = phrase.words[number + 1]
            window = tokens[here : here + _WIDEST_GAP]
            here += next((n for n, t in enumerate(window) if _fits(follows, t)), len(tokens))
        elif here < len(tokens) and _fits(word, tokens[here]):
            here += 1
        else:
            return 0
    return here


def _fits(word: str, token: str) -> bool:
    if word == "#":
        return token.isdigit()
    if word.endswith("*"):
        return token.startswith(word[:-1])
    if word.startswith("*"):
        return token.endswith(word[1:]) and len(token) >= len(word)
    return token == word


@cache
def lexicon(language: str) -> Lexicon:
    return Lexicon(list(_read(f"lexicon.{language}.txt")))


def _read(name: str) -> Iterator[_Phrase]:
    dimension = ""
    for line in data_lines(name):
        if line.startswith("["):
            dimension = line.strip("[]")
            continue
        weight, _, phrases = line.partition(":")
        for phrase in phrases.split(","):
            words = phrase.lower().replace("-", " ").split()
            second = words[1] if len(words) > 1 else None
            is_fixed = second is not None and second.replace("'", "").isalnum()
            yield _Phrase(
                dimension,
                tuple(words),
                float(weight),
                second if is_fixed else None,
                len(words) if len(words) <= 1 + is_fixed else 0,
            )
