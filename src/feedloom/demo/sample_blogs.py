"""The invented publishers, read from ``sample_blogs.toml``, and what each has written so far."""

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import resources

_CORRECTED_AFTER = timedelta(hours=12)
TICK = timedelta(minutes=10)
"""How often a ticker reports."""
_TICKS_SHOWN = 24
_TICKS_BEFORE = 2
"""A ticker is younger than the week: it would drown everything else."""
_TIDE_H = 12.42


@dataclass(frozen=True, slots=True)
class Piece:
    slug: str
    title: str
    html: str
    published_at: datetime
    audio: bool = False


@dataclass(frozen=True, slots=True)
class Blog:
    slug: str
    title: str
    folder: str
    """Where the demonstration's reader keeps it; empty for one they do not know yet."""
    about: str
    stories: tuple[tuple[str, str], ...]
    """Titles and first sentences, newest first."""
    first_wordings: dict[str, list[str]] = field(default_factory=dict)
    """By title: what the title and the first sentence were before the publisher changed them."""
    rest: tuple[str, ...] = ("",)
    """What follows the first sentences, in turn."""
    author: str = ""
    every_h: float = 7.0
    first_h: float = 1.0
    """Hours between the newest story and the present."""
    audio: bool = False
    language: str = "en"
    format: str = "rss"
    moved_h: float | None = None
    """Its feed got another address so many hours ago."""
    gone_h: float | None = None
    """Its site vanished so many hours ago."""
    is_ticker: bool = False
    has_comments: bool = False
    """It offers a second, worse feed."""

    def pieces(self, *, opened_at: datetime, now: datetime) -> list[Piece]:
        """List what is published by now, newest first.

        ``opened_at`` is when the demonstration began: it fixes all dates, so that they
        are the same whenever the publisher is asked.
        """
        ticks = list(self._ticks(opened_at, now)) if self.is_ticker else []
        told = [
            self._piece(place, opened_at, now)
            for place in range(len(self.stories))
            if self._told_at(place, opened_at) <= now
        ]
        return ticks + told

    def _told_at(self, place: int, opened_at: datetime) -> datetime:
        return opened_at - timedelta(hours=self.first_h + place * self.every_h)

    def _piece(self, place: int, opened_at: datetime, now: datetime) -> Piece:
        title, first = self.stories[place]
        # The number keeps titles apart that leave nothing an address can hold.
        slug = f"{len(self.stories) - place}-{slug_of(title)}".rstrip("-")
        told_at = self._told_at(place, opened_at)
        if now < told_at + _CORRECTED_AFTER:
            title, first = self.first_wordings.get(title, (title, first))
        text = f"<p>{first}</p>{self.rest[place % len(self.rest)]}"
        return Piece(slug, title, text, told_at, self.audio)

    def _ticks(self, opened_at: datetime, now: datetime) -> Iterator[Piece]:
        newest = (now - opened_at) // TICK
        oldest = max(newest - _TICKS_SHOWN, -_TICKS_BEFORE - 1)
        for number in range(newest, oldest, -1):
            at = opened_at + number * TICK
            phase = math.tau * at.timestamp() / 3_600 / _TIDE_H
            metres = 2.6 + 1.9 * math.sin(phase)
            trend = "rising" if math.cos(phase) > 0 else "falling"
            title = f"{at:%H:%M} at the quay: {metres:.1f} m and {trend}"
            html = f"<p>The gauge at the old quay read {metres:.2f} m at {at:%H:%M}.</p>"
            yield Piece(f"tide-{at:%Y%m%d-%H%M}", title, html, at)


def slug_of(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].rstrip("-")


def _read() -> Iterator[Blog]:
    file = resources.files("feedloom.demo") / "sample_blogs.toml"
    found = tomllib.loads(file.read_text("utf-8"))
    for blog in found["blogs"]:
        rest = found["texts"].get(blog.pop("rest", ""), ("",))
        stories = tuple((title, first) for title, first in blog.pop("stories"))
        yield Blog(**blog, stories=stories, rest=tuple(rest))


BLOGS = tuple(_read())
