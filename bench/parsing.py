"""Our parser beside feedparser, fastfeedparser and bare lxml, in one table.

Run ``python bench/parsing.py``. Feeds are generated, the same ones each time. Every
contestant reads every feed in turn, several times; the best CPU time of each counts, so
that other work on the machine disturbs all of them alike.

"ours" is all a refresh of an unknown feed does: parsing, and for every entry kept (the
fifty newest) sanitising its content and taking an excerpt. feedparser runs with its
defaults, which sanitise too, but every entry. fastfeedparser does not sanitise; the
column beside it adds our sanitiser for the same fifty entries.
"""

import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

import fastfeedparser
import feedparser
from lxml import etree

from bench.tables import Table
from feedloom.markup import clean_html, excerpt
from feedloom.model.feed import MAX_ENTRIES, ParsedFeed
from feedloom.parse.parser import read_fast
from tests.corpus.feeds.archives import archive
from tests.corpus.feeds.pieces import NOW, URL

ROUNDS = 9
LEAST_BYTES = 200_000
"""Small feeds are read several times in a row, up to about so much."""


class Feed(NamedTuple):
    """What to generate."""

    kind: str
    entries: int
    size: int
    """Bytes of content per entry."""


FEEDS = {
    "20 KB": (
        Feed("news", 35, 0),
        Feed("blog", 5, 3_000),
        Feed("newsletter", 3, 6_000),
        Feed("podcast", 8, 4_000),
        Feed("atom", 5, 3_000),
    ),
    "200 KB": (
        Feed("news", 380, 0),
        Feed("blog", 45, 3_500),
        Feed("newsletter", 18, 10_000),
        Feed("podcast", 65, 6_000),
        Feed("atom", 42, 3_500),
    ),
    "2 MB": (
        Feed("news", 3_800, 0),
        Feed("blog", 420, 4_000),
        Feed("newsletter", 180, 10_000),
        Feed("podcast", 650, 6_000),
        Feed("atom", 380, 4_000),
    ),
}
"""About so large."""


def parse_only(body: bytes) -> ParsedFeed:
    return read_fast(body, url=URL, now=NOW)


def parse_and_clean(body: bytes) -> None:
    for entry in parse_only(body).entries:
        excerpt(clean_html(entry.content_html, base_url=entry.url))


def with_feedparser(body: bytes) -> None:
    feedparser.parse(io.BytesIO(body))


def with_fastfeedparser(body: bytes) -> None:
    fastfeedparser.parse(body)


def with_fastfeedparser_and_cleaning(body: bytes) -> None:
    for entry in fastfeedparser.parse(body).entries[:MAX_ENTRIES]:
        contents = entry.get("content") or [{"value": entry.get("description", "")}]
        excerpt(clean_html(contents[0]["value"] or "", base_url=entry.get("link")))


def with_lxml(body: bytes) -> None:
    etree.fromstring(body)


CONTESTANTS: dict[str, Callable[[bytes], object]] = {
    "feedparser": with_feedparser,
    "ours": parse_and_clean,
    "ours, parsing only": parse_only,
    "fastfeedparser": with_fastfeedparser,
    "fastfeedparser + cleaning": with_fastfeedparser_and_cleaning,
    "lxml alone": with_lxml,
}


def measured(body: bytes, rounds: int) -> dict[str, float]:
    """Return the best CPU seconds of each contestant."""
    best = dict.fromkeys(CONTESTANTS, float("inf"))
    repeats = max(1, LEAST_BYTES // len(body))
    for _ in range(rounds):
        for name, read in CONTESTANTS.items():
            started = time.process_time()
            for _ in range(repeats):
                read(body)
            spent_s = (time.process_time() - started) / repeats
            best[name] = min(best[name], spent_s)
    return best


def row(times: dict[str, float]) -> list[float]:
    """Return feedparser's milliseconds, and how many times as fast the others are."""
    reference = times["feedparser"]
    others = (seconds for name, seconds in times.items() if name != "feedparser")
    return [round(reference * 1e3, 1), *(round(reference / seconds, 1) for seconds in others)]


@dataclass(slots=True)
class Sum:
    """Several feeds together."""

    kilobytes: int = 0
    entries: int = 0
    times: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CONTESTANTS, 0.0))

    def add(self, kilobytes: int, entries: int, times: dict[str, float]) -> None:
        self.kilobytes += kilobytes
        self.entries += entries
        for name, seconds in times.items():
            self.times[name] += seconds


def run(quick: bool) -> list[Table]:
    """Measure everything; ``quick`` leaves out the largest feeds and most rounds."""
    sizes = list(FEEDS)[:2] if quick else list(FEEDS)
    rounds = 2 if quick else ROUNDS
    others = [name for name in CONTESTANTS if name != "feedparser"]
    table = Table(
        f"Parsing: times as fast as feedparser (best CPU time of {rounds} rounds)",
        ("feed", "KB", "entries", "feedparser ms", *others),
    )
    total = Sum()
    for size in sizes:
        these = Sum()
        for feed in FEEDS[size]:
            body = archive(feed.kind, feed.entries, size=feed.size)
            times = measured(body, rounds)
            table.add(feed.kind, len(body) // 1000, feed.entries, *row(times))
            for one in (these, total):
                one.add(len(body) // 1000, feed.entries, times)
        table.add(f"all of {size}", these.kilobytes, these.entries, *row(these.times))
    table.add("all", total.kilobytes, total.entries, *row(total.times))
    return [table]


if __name__ == "__main__":
    for each in run(quick="--quick" in sys.argv):
        print(each.text())
