"""Texts in; weighted terms, their likeness and groups of like texts out.

Plain tf-idf and cosine. Quadratic in the number of texts only where they share a
rare term. Deterministic: ties are broken by position.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

Vector = Mapping[str, float]
_FEWEST_SHARED = 3


def vectors(documents: Sequence[Sequence[str]]) -> list[Vector]:
    spread: Counter[str] = Counter()
    for document in documents:
        spread.update(set(document))
    total = len(documents)
    return [
        _unit(
            {
                t: (1 + math.log(n)) * math.log(1 + total / spread[t])
                for t, n in c.items()
            }
        )
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


def groups(
    items: Sequence[Vector], same: Sequence[str], *, threshold: float
) -> list[list[int]]:
    """Group like items; those with the same non-empty key belong together anyway."""
    found: list[list[int]] = []
    by_key: dict[str, int] = {}
    centres: list[Vector] = []
    for number, item in enumerate(items):
        place = by_key.get(same[number]) if same[number] else None
        if place is None:
            place = _nearest(item, centres, threshold)
        if place is None:
            place = len(found)
            found.append([])
            centres.append({})
        found[place].append(number)
        centres[place] = centroid(items[n] for n in found[place])
        if same[number]:
            by_key.setdefault(same[number], place)
    return found


def _nearest(item: Vector, centres: Sequence[Vector], threshold: float) -> int | None:
    best, place = threshold, None
    for number, centre in enumerate(centres):
        near = likeness(item, centre)
        # One word in common, however rare, is a coincidence and no story.
        if near > best and sum(term in centre for term in item) >= _FEWEST_SHARED:
            best, place = near, number
    return place
