"""Texts in; weighted terms and their similarity out: plain tf-idf and cosine."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

Vector = Mapping[str, float]


def vectors(documents: Sequence[Sequence[str]]) -> list[Vector]:
    spread: Counter[str] = Counter()
    for document in documents:
        spread.update(set(document))
    total = len(documents)
    return [
        _unit({t: (1 + math.log(n)) * math.log(1 + total / spread[t]) for t, n in c.items()})
        for c in map(Counter, documents)
    ]


def _unit(weights: dict[str, float]) -> Vector:
    length = math.sqrt(sum(w * w for w in weights.values())) or 1.0
    return {term: w / length for term, w in weights.items()}


def likeness(one: Vector, other: Vector) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def centroid(members: Iterable[Vector]) -> Vector:
    total: dict[str, float] = defaultdict(float)
    for member in members:
        for term, weight in member.items():
            total[term] += weight
    return _unit(dict(total))
