"""A headline in; how much its words look like clickbait out, by learned weights.

A logistic regression over words and pairs of words, in lower case, without marks,
addresses and the values of numbers: what outlets format in different ways says nothing.
``tools/train_scores.py`` writes the weights and names what they were learned from.
"""

import math
import re
from collections.abc import Iterator
from functools import cache

from feedloom.distill.offline.words import data_lines

START = "^"
NUMBER = "#"
SCALE = 100
"""Weights are stored as whole hundredths."""
_NOISE = re.compile(
    r"https?://\S+|\bwww\.\S+|\bpic\.twitter\S+|\bt\.co/\S+|\A(?:rt\s+)?(?:@\w+:?\s*)+",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\d[\d.,:]*|[^\W\d_]+(?:'[^\W\d_]+)*")
_NUMBERS = frozenset(
    [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "dozen",
        "dozens",
        "hundreds",
        "thousands",
    ]
)
_LONGEST = 500
_SHOWN = 4


def tokens(title: str) -> list[str]:
    text = _NOISE.sub(" ", title[:_LONGEST]).replace("\u2019", "'").lower()
    return [
        NUMBER if token[0].isdigit() or token in _NUMBERS else token
        for token in _TOKEN.findall(text)
    ]


def features(title: str) -> set[str]:
    """Return the words of a headline, its pairs of words and how it begins."""
    words = tokens(title)
    pairs = {f"{one} {two}" for one, two in zip([START, *words], words, strict=False)}
    if len(words) > 1:
        pairs.add(f"{START} {words[0]} {words[1]}")
    return {*words, *pairs}


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


def clickbait_evidence(title: str) -> tuple[float, list[str]]:
    """Return the log-odds that a headline is clickbait, and what moved them most."""
    learned = weights()
    found = {f: learned[f] for f in features(title) if f in learned}
    strongest = sorted(found, key=lambda f: (-found[f], f))[:_SHOWN]
    said = [f.removeprefix(f"{START} ") for f in strongest if found[f] > 0]
    return learned[START] + sum(found.values()), list(dict.fromkeys(said))


def probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-20.0, min(20.0, log_odds))))
