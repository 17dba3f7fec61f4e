"""A feed's title, description, headlines and address in; its likely topic out.

Counts words that speak for a topic, from a list of ours. The topics themselves come
from the caller; one that is not in the list is known by its own name only.
"""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache

from feedloom.distill.offline.lexicon import tokens_of
from feedloom.distill.offline.words import Remembered, data_lines
from feedloom.model.distilled.requests import FeedToClassify, TopicGuess

MODEL = "offline-1"
_TITLE, _ADDRESS, _DESCRIPTION, _HEADLINE = 3.0, 1.5, 1.5, 0.5
_GENERAL = "news"
_YIELDS = 0.45
_LONGEST_PHRASE = 3
_LONGEST = 2_000
_LONGEST_WORD = 60
_SHORTEST_INSIDE = 4
_HOST_PARTS = "www com org net rss feeds feed blog http https index xml co uk de"
_HOST_NOISE = frozenset(_HOST_PARTS.split())


def guess_topic(feed: FeedToClassify, vocabulary: Sequence[str]) -> TopicGuess | None:
    said: dict[str, float] = defaultdict(float)
    for text, weight in _texts(feed):
        for topic, found in _evidence(text).items():
            said[topic] += weight * found
    scores = {topic: said[topic] for topic in vocabulary if topic in said}
    _add_own_names(feed, vocabulary, scores)
    if len(scores) > 1 and _GENERAL in scores:
        # "Science News" is about science: the general topic yields to any other.
        scores[_GENERAL] *= _YIELDS
    ranked = sorted(scores, key=lambda topic: (-scores[topic], topic))
    if not ranked:
        return None
    return TopicGuess(ranked[0], _confidence([scores[t] for t in ranked]), MODEL)


def _texts(feed: FeedToClassify) -> list[tuple[str, float]]:
    address = ""
    if feed.site_url:
        host = re.sub(r"^https?://(?:[^/@]*@)?", "", feed.site_url).partition("?")[0]
        address = " ".join(w for w in tokens_of(host) if w not in _HOST_NOISE)
    texts = [
        (feed.title, _TITLE),
        (address, _ADDRESS),
        (feed.description, _DESCRIPTION),
        *((title, _HEADLINE) for title in feed.recent_titles),
    ]
    return [(text, weight) for text, weight in texts if text]


def _evidence(text: str) -> dict[str, float]:
    tokens = [token for token in tokens_of(text[:_LONGEST]) if len(token) <= _LONGEST_WORD]
    found: dict[str, float] = defaultdict(float)
    for at, known in enumerate(map(_SAID_BY.__getitem__, tokens)):
        if not known:
            continue
        topics, is_beginning = known
        for topic, weight in topics:
            found[topic] += weight
        if is_beginning:
            for size in range(2, min(_LONGEST_PHRASE, len(tokens) - at) + 1):
                for topic, weight in _words().get(" ".join(tokens[at : at + size]), ()):
                    found[topic] += weight * size
    return found


def _said_by(token: str) -> tuple[Sequence[tuple[str, float]], bool] | None:
    """Return the topics of a word, and whether phrases begin with it."""
    topics = _of_word(token)
    is_beginning = token in _beginnings()
    return (topics, is_beginning) if topics or is_beginning else None


def _of_word(token: str) -> Sequence[tuple[str, float]]:
    listed = _words()
    if token in listed:
        return listed[token]
    # Names and hosts run words together: "petapixel", "autoblog", "filmkritik".
    for end in range(len(token) - 1, _SHORTEST_INSIDE - 1, -1):
        if (topics := listed.get(token[:end])) or (topics := listed.get(token[-end:])):
            return [(topic, weight / 2) for topic, weight in topics]
    return ()


_SAID_BY = Remembered(_said_by)


def _add_own_names(
    feed: FeedToClassify, vocabulary: Sequence[str], scores: dict[str, float]
) -> None:
    unlisted = [topic for topic in vocabulary if topic not in _topics()]
    if not unlisted:
        return
    said = set(tokens_of(f"{feed.title} {feed.description[:_LONGEST]}"))
    for topic in unlisted:
        if not said.isdisjoint(_own_names(topic)):
            scores[topic] = scores.get(topic, 0.0) + 2 * _TITLE


def _confidence(scores: Sequence[float]) -> float:
    best, second = scores[0], scores[1] if len(scores) > 1 else 0.0
    margin = (best - second) / best
    return round(margin * (1 - math.exp(-best / 6)), 3)


@lru_cache(maxsize=1_000)
def _own_names(topic: str) -> list[str]:
    return tokens_of(topic)


@cache
def _topics() -> frozenset[str]:
    return frozenset(line.partition(":")[0] for line in data_lines("topics.txt"))


@cache
def _beginnings() -> frozenset[str]:
    """Return the words with which phrases begin."""
    return frozenset(word.partition(" ")[0] for word in _words() if " " in word)


@cache
def _words() -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for line in data_lines("topics.txt"):
        topic, _, words = line.partition(":")
        for raw in words.split(","):
            word = " ".join(tokens_of(raw))
            entry = (topic, 2.0 if raw.strip().startswith("!") else 1.0)
            found.setdefault(word, []).append(entry)
    return found
