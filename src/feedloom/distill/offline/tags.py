"""A page's text in; tags out, from a closed vocabulary first.

The vocabulary is a shipped list and the person's own tags; only when neither fits
are words of the page itself taken. Deterministic.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from feedloom.distill.offline.lexicon import tokens_of
from feedloom.distill.offline.words import data_lines, fold, terms

_MOST = 5
_MOST_FREE = 2
_TITLE_COUNTS = 3
_ENOUGH = 3
_LONGEST = 40
_SHORTEST_FREE = 5
_SHAPE = re.compile(r"[^\w .+#-]")


def _vocabulary() -> dict[str, tuple[tuple[str, ...], ...]]:
    found = {}
    for line in data_lines("tags.txt"):
        tag, _, listed = line.partition(":")
        found[tag] = tuple(
            tuple(w.split()) for w in listed.lower().replace("-", " ").split(",") if w.strip()
        )
    return found


_VOCABULARY = _vocabulary()
TAGS = tuple(_VOCABULARY)


def find_tags(title: str, text: str, own: Sequence[str]) -> tuple[str, ...]:
    """Return two to five tags for a page, the person's own ones preferred."""
    tokens = tokens_of(title) * _TITLE_COUNTS + tokens_of(text)
    counted = Counter(tokens)
    pairs = Counter(pairwise(tokens))
    scored = Counter({tag: _evidence(words, counted, pairs) for tag, words in _VOCABULARY.items()})
    for tag in own:
        scored[_shaped(tag)] = 2 * sum(counted[t] for t in tokens_of(tag)) + scored[_shaped(tag)]
    best = sorted((t for t in scored if t and scored[t] >= _ENOUGH), key=lambda t: (-scored[t], t))
    return tuple(best[:_MOST]) or _keywords(title, text)


def _evidence(
    words: Iterable[tuple[str, ...]], counted: Counter[str], pairs: Counter[tuple[str, str]]
) -> int:
    total = 0
    for word in words:
        if len(word) > 1:
            total += 2 * pairs[word[0], word[1]]
        else:
            total += counted[word[0]] + counted[f"{word[0]}s"] + counted[f"{word[0]}en"]
    return total


def _keywords(title: str, text: str) -> tuple[str, ...]:
    titled = Counter(terms(title))
    written = {stem: word for word in tokens_of(f"{title} {text}") for stem in terms(word)}
    counted = Counter(terms(text))
    for term, count in titled.items():
        counted[term] += count * _TITLE_COUNTS
    best = sorted(
        (t for t in counted if len(t) >= _SHORTEST_FREE and counted[t] > 1),
        key=lambda t: (-counted[t], t),
    )
    return tuple(dict.fromkeys(written.get(t, t) for t in best))[:_MOST_FREE]


def chosen_tags(given: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    """Return the usable ones of the tags a model gave, known ones first."""
    known = {fold(tag): tag for tag in (*TAGS, *map(_shaped, own))}
    shaped = [_shaped(tag) for tag in given]
    familiar = [known[fold(tag)] for tag in shaped if fold(tag) in known]
    free = [tag for tag in shaped if tag and fold(tag) not in known]
    return tuple(dict.fromkeys((*familiar, *free[:_MOST_FREE])))[:_MOST]


def _shaped(tag: str) -> str:
    return " ".join(_SHAPE.sub(" ", tag.lower()).split())[:_LONGEST].strip()
