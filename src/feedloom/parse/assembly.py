"""From the literal content of a document to the model: checked, resolved, bounded.

A ``RawFeed`` of any format goes in, the frozen ``ParsedFeed`` comes out. Identity,
order and limits of entries are decided here, and only here.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from feedloom.markup import absolute_url, plain, to_text, web_address
from feedloom.model.feed import MAX_ENTRIES, ParsedEntry, ParsedFeed
from feedloom.parse.dates import read_date
from feedloom.parse.fields import (
    asked,
    author,
    categories,
    enclosures,
    identifier,
    language,
    thumbnail,
    with_details,
)
from feedloom.parse.raw import RawEntry, RawFeed
from feedloom.parse.text import as_markup, joined, repaired, with_absolute_links

MAX_TITLE = 1_000
MAX_DESCRIPTION = 2_000


class _Listed(NamedTuple):
    guid: str
    raw: RawEntry
    published_at: datetime | None
    updated_at: datetime | None


def assemble(
    raw: RawFeed, *, url: str, now: datetime, fast: bool, most: int = MAX_ENTRIES
) -> ParsedFeed:
    if raw.damaged:
        _repair(raw)
    listed, skipped = _identified(raw.entries, now)
    kept = _newest(listed, most)
    description = to_text(raw.description, limit=MAX_DESCRIPTION)
    return ParsedFeed(
        format=raw.format,
        title=plain(raw.title, markup=not raw.title_is_text, limit=MAX_TITLE),
        entries=tuple(_entry(entry, raw, url) for entry in kept),
        listed_guids=tuple(entry.guid for entry in listed),
        description=" ".join(description.split()),
        site_url=web_address(raw.link, raw.base) if raw.link else None,
        self_url=web_address(raw.self_link, raw.base) if raw.self_link else None,
        hub_url=web_address(raw.hub, raw.base) if raw.hub else None,
        icon_url=web_address(raw.icon, raw.base) if raw.icon else None,
        language=language(raw.language),
        asked=asked(raw),
        skipped=skipped,
        truncated=raw.truncated or len(listed) > most,
        fast=fast,
    )


def _identified(entries: Iterable[RawEntry], now: datetime) -> tuple[list[_Listed], int]:
    listed: dict[str, _Listed] = {}
    skipped = 0
    for raw in entries:
        guid = identifier(raw.id or raw.link or raw.permalink)
        guid = guid or identifier(plain(raw.title))
        if not guid:
            skipped += 1
        elif guid not in listed:
            published_at = read_date(raw.published, now=now)
            published_at = published_at or read_date(raw.other_date, now=now)
            updated_at = read_date(raw.updated, now=now)
            listed[guid] = _Listed(guid, raw, published_at, updated_at)
    return list(listed.values()), skipped


def _newest(listed: Sequence[_Listed], most: int) -> Sequence[_Listed]:
    dates: list[datetime | None] = []
    last: datetime | None = None
    for entry in listed:
        last = entry.published_at or entry.updated_at or last
        dates.append(last)
    first = next(filter(None, dates), None)
    if first is None:
        return listed[:most]
    order = sorted(range(len(listed)), key=lambda place: dates[place] or first, reverse=True)
    return [listed[place] for place in order[:most]]


def _entry(listed: _Listed, feed: RawFeed, url: str) -> ParsedEntry:
    raw = listed.raw
    title = plain(raw.title, markup=not raw.title_is_text, limit=MAX_TITLE)
    content, summary = _bodies(raw, url)
    attached = enclosures(raw) if raw.enclosures else ()
    if raw.chapters or raw.chapters_url or raw.duration:
        attached = with_details(raw, attached)
    link = raw.link or raw.permalink
    return ParsedEntry(
        guid=listed.guid,
        url=absolute_url(link, raw.base) if link else None,
        title=title or plain(raw.other_title, limit=MAX_TITLE),
        author=author(raw.creators or raw.authors or feed.authors),
        content_html=content,
        summary_html=summary,
        published_at=listed.published_at,
        updated_at=listed.updated_at,
        enclosures=attached,
        thumbnail_url=thumbnail(raw, attached),
        categories=categories(raw.categories) if raw.categories else (),
        language=language(raw.language),
        comments_url=absolute_url(raw.comments, raw.base) if raw.comments else None,
    )


def _bodies(raw: RawEntry, url: str) -> tuple[str, str]:
    """Return content and summary; the summary is empty when it is all there is."""
    content, summary = raw.content, raw.summary
    if not content or content.isspace():
        content, summary = summary, ""
    if not content and raw.captions:
        content = as_markup(raw.captions[0])
    if summary == content:
        summary = ""
    base = joined(raw.base, raw.content_base)
    if base != url:
        return with_absolute_links(content, base), with_absolute_links(summary, base)
    return content, summary


def _repair(raw: RawFeed) -> None:
    raw.title, raw.description = repaired(raw.title), repaired(raw.description)
    raw.authors = tuple(map(repaired, raw.authors))
    for entry in raw.entries:
        entry.title, entry.other_title = (repaired(entry.title), repaired(entry.other_title))
        entry.content, entry.summary = repaired(entry.content), repaired(entry.summary)
        entry.captions = tuple(map(repaired, entry.captions))
        entry.creators = tuple(map(repaired, entry.creators))
        entry.authors = tuple(map(repaired, entry.authors))
        entry.categories = tuple(map(repaired, entry.categories))
