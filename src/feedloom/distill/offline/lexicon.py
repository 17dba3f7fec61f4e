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

from feedloom.distill.offline.words import Remembered, ascii_lower, data_lines, split_ascii

LITERAL = "literal"
_ANY = "*"
_TOKEN = re.compile(r"%|[^\W_]+(?:[\u2019'][^\W_]+)*")
_SHORTEST_AFFIX = 3
_WIDEST_GAP = 6
_LONGEST_WORD = 60


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
    is_exact: bool = False
    """Whether all its words stand in a text as they are."""


class Lexicon:
    def __init__(self, phrases: Sequence[_Phrase]) -> None:
        self._exact: dict[str, list[_Phrase]] = defaultdict(list)
        self._prefix: dict[str, list[_Phrase]] = defaultdict(list)
        self._suffix: dict[str, list[_Phrase]] = defaultdict(list)
        self._begun = Remembered(self._starting)
        for phrase in phrases:
            first = phrase.words[0]
            if first.startswith("*"):
                self._suffix[first[1:]].append(phrase)
            elif first.endswith("*"):
                self._prefix[first[:-1]].append(phrase)
            else:
                self._exact[first].append(phrase)

    def find(self, text: str, share: float = 1.0) -> list[Hit]:
        """Return what stands in the text, in reading order, each phrase once.

        Their weights count with this share.
        """
        tokens = tokens_of(text)
        following = [*tokens[1:], ""]
        hits: dict[tuple[str, str], Hit] = {}
        literal_until = 0
        begun = map(self._begun.__getitem__, tokens)
        places = [
            (at, phrases)
            for at, starting in enumerate(begun)
            if starting and (phrases := starting.get(following[at]) or starting.get(_ANY))
        ]
        for at, phrases in places:
            found = [
                (p, end) for p in phrases if (end := at + p.fits if p.fits else _end(p, tokens, at))
            ]
            if not found:
                continue
            for phrase, end in found:
                if phrase.dimension == LITERAL and end > literal_until:
                    literal_until = end
            for phrase, end in found:
                if phrase.dimension != LITERAL and end > literal_until:
                    said = " ".join(tokens[at:end])
                    if (phrase.dimension, said) not in hits:
                        hits[phrase.dimension, said] = Hit(
                            phrase.dimension, said, phrase.weight * share
                        )
        return list(hits.values())

    def _starting(self, token: str) -> Mapping[str, Sequence[_Phrase]]:
        """Return the phrases that begin with a token, by the word that follows it.

        Those that stand before any word are under each.
        """
        phrases = list(self._found(token))
        return {
            second or _ANY: [p for p in phrases if p.second in {None, second}]
            for second in {phrase.second for phrase in phrases}
        }

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
    lower = ascii_lower(text)
    if lower is None:
        return [token.lower() for token in _TOKEN.findall(text.replace("\u2019", "'"))]
    return _TOKEN.findall(lower) if "%" in lower else split_ascii(lower)


def _end(phrase: _Phrase, tokens: Sequence[str], at: int) -> int:
    if phrase.is_exact:
        end = at + len(phrase.words)
        return end if tuple(tokens[at:end]) == phrase.words else 0
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
                not any("*" in word or word == "#" for word in words),
            )
