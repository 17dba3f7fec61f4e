"""Feeds in a few words, for tests that judge them."""

from datetime import datetime, timedelta

from feedloom.model.feed import Format, ParsedEntry, ParsedFeed
from tests.unit.discover.memory_web import NOW

SITE = "https://site.example"


def entry(n: int = 1, *, at: str = SITE, days: int | None = 1, text: str = "") -> ParsedEntry:
    when: datetime | None = None if days is None else NOW - timedelta(days=days)
    url = f"{at}/entries/{n}"
    return ParsedEntry(guid=url, url=url, title=f"Entry {n}", content_html=text, published_at=when)


def feed(
    *entries: ParsedEntry,
    title: str = "Ann's pages",
    site_url: str | None = SITE + "/",
    kind: Format = Format.RSS,
    description: str = "",
) -> ParsedFeed:
    return ParsedFeed(
        format=kind,
        title=title,
        entries=entries,
        listed_guids=tuple(one.guid for one in entries),
        site_url=site_url,
        description=description,
    )
