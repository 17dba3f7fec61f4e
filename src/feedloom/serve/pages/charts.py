"""Geometry of small charts: numbers in, rectangles and points for an SVG out.

Templates draw them with presentation attributes only; nothing here knows markup.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    value: int
    label: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    width: int
    height: int
    bars: tuple[Bar, ...]
    highest: int
    total: int


def bars(
    values: Sequence[tuple[str, int]],
    *,
    width: int = 300,
    height: int = 64,
    least: int = 1,
    highest: int = 0,
) -> Chart:
    """Stand one bar per value side by side, the last one at the right edge.

    Bars are as narrow as if there were ``least`` of them. Empty ones leave a mark on
    the ground. ``highest`` is what a bar of full height counts, at least.
    """
    highest = max((highest, *(value for _, value in values)))
    slots = max(least, len(values))
    step = width / slots
    gap = min(2.0, step / 4)
    found = []
    for place, (label, value) in enumerate(values, slots - len(values)):
        tall = height * value / highest if highest else 0.0
        tall = max(tall, 1.0) if value == 0 else max(tall, 2.0)
        x, y = round(place * step, 2), round(height - tall, 2)
        kind = "" if value else "none"
        found.append(Bar(x, y, round(step - gap, 2), round(tall, 2), value, label, kind))
    total = sum(value for _, value in values)
    return Chart(width, height, tuple(found), highest, total)


@dataclass(frozen=True, slots=True)
class Share:
    """One kind's part of a whole, and where it stands on a line of ``width``."""

    kind: str
    label: str
    value: int
    x: float
    width: float


def shares(parts: Sequence[tuple[str, str, int]], *, width: int = 300) -> tuple[Share, ...]:
    total = sum(value for *_, value in parts)
    if not total:
        return ()
    found, x = [], 0.0
    for kind, label, value in parts:
        if value:
            wide = width * value / total
            found.append(Share(kind, label, value, round(x, 2), round(wide, 2)))
            x += wide
    return tuple(found)


def sparkline(values: Sequence[int], *, width: int = 72, height: int = 18) -> str:
    if not values:
        return ""
    highest = max(values) or 1
    step = width / max(1, len(values) - 1)
    scale = height - 2
    return " ".join(
        f"{place * step:.1f},{1 + scale - scale * value / highest:.1f}"
        for place, value in enumerate(values)
    )
