"""A headline in; how much its words look like clickbait out, by learned weights.

A logistic regression over words and pairs of words, in lower case, without marks,
addresses and the values of numbers: what outlets format in different ways says nothing.
``tools/train_scores.py`` writes the weights and names what they were learned from.
"""

import math
import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from feedloom.distill.offline.words import ascii_lower, data_lines, split_ascii

START = "^"
NUMBER = "#"
SCALE = 100
"""Weights are stored as whole hundredths."""
_NOISE = re.compile(
    r"https?://\S+|\bwww\.\S+|\bpic\.twitter\S+|\bt\.co/\S+|\A(?:rt\s+)?(?:@\w+:?\s*)+",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\d[\d.,:]*|[^\W\d_]+(?:'[^\W\d_]+)*")
_DIGIT = re.compile("[0-9]")
_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty dozen dozens hundreds"
    " thousands"
)
_SPELLED_NUMBERS = frozenset(_NUMBERS.split())
_LONGEST = 500
_SHOWN = 4


def tokens(title: str) -> list[str]:
    text = title[:_LONGEST]
    lower = text.lower()
    # One of these stands in all noise.
    if "/" in lower or "@" in lower or "www." in lower or "pic." in lower:
        text = _NOISE.sub(" ", text)
    plain = ascii_lower(text)
    if plain is None or _DIGIT.search(plain):
        found = _TOKEN.findall(text.lower().replace("\u2019", "'"))
        return [NUMBER if t in _SPELLED_NUMBERS or t[0].isdigit() else t for t in found]
    found = split_ascii(plain)
    if _SPELLED_NUMBERS.isdisjoint(found):
        return found
    return [NUMBER if token in _SPELLED_NUMBERS else token for token in found]


def features(title: str) -> set[str]:
    """Return the words of a headline, its pairs of words and how it begins."""
    words = tokens(title)
    found = {*words, *map(" ".join, zip([START, *words], words, strict=False))}
    if len(words) > 1:
        found.add(f"{START} {words[0]} {words[1]}")
    return found


@cache
def weights() -> dict[str, float]:
    return dict(_read())


def _read() -> Iterator[tuple[str, float]]:
    for line in data_lines("clickbait.en.txt"):
        weight, _, found = line.partition("\t")
        for feature in found.split(","):
            yield feature, int(weight) / SCALE


@cache
def known_words() -> frozenset[str]:
    """Return the words of the headlines that the weights were learned from."""
    return frozenset(f for f in weights() if " " not in f and f.isascii())


class Evidence(NamedTuple):
    log_odds: float
    """That a headline is clickbait."""
    found: Collection[str]
    """Its features that have weights."""

    def strongest(self) -> list[str]:
        """Return the words that speak most for clickbait."""
        learned = weights()
        strongest = sorted(self.found, key=lambda f: (-learned[f], f))[:_SHOWN]
        said = [f.removeprefix(f"{START} ") for f in strongest if learned[f] > 0]
        return list(dict.fromkeys(said))


def clickbait_evidence(title: str) -> Evidence:
    learned = weights()
    found = learned.keys() & features(title)
    return Evidence(learned[START] + sum(map(learned.__getitem__, found)), found)


def probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-20.0, min(20.0, log_odds))))
