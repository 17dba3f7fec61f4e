"""Feeds for tests of discovery: bytes in, ``ParsedFeed`` or one of our errors out."""

import json
from calendar import timegm
from datetime import UTC, datetime
from io import BytesIO

import feedparser

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import Format, ParsedEntry, ParsedFeed
from feedloom.model.stages import Fetched

_FORMATS = {
    "rss": Format.RSS,
    "atom": Format.ATOM,
    "rss10": Format.RDF,
    "rss090": Format.RDF,
}


def parse_feed(fetched: Fetched) -> ParsedFeed:
    """Read an answer as a feed."""
    body = fetched.body.lstrip()
    if body.startswith(b"{"):
        return _read_json(body)
    read = feedparser.parse(BytesIO(fetched.body))
    if not read.get("version"):
        raise NotAFeed(kind="page")
    if read.bozo and not read.entries and not read.feed.get("title"):
        raise ParseError
    entries = tuple(
        ParsedEntry(
            guid=entry.get("id", entry.get("link", "")),
            url=entry.get("link"),
            title=entry.get("title", ""),
            content_html=entry.get("summary", ""),
            published_at=_moment(dict.get(entry, "published_parsed")),
            updated_at=_moment(dict.get(entry, "updated_parsed")),
        )
        for entry in read.entries
    )
    kind = _FORMATS.get(read.version) or _FORMATS[read.version.rstrip("0123456789")]
    return ParsedFeed(
        format=kind,
        title=read.feed.get("title", ""),
        entries=entries,
        listed_guids=tuple(entry.guid for entry in entries),
        site_url=read.feed.get("link"),
    )


def _read_json(body: bytes) -> ParsedFeed:
    said = json.loads(body)
    if "jsonfeed" not in said.get("version", ""):
        raise NotAFeed(kind="json")
    entries = tuple(
        ParsedEntry(
            guid=item["id"],
            url=item["url"],
            title=item["title"],
            content_html=item["content_text"],
            published_at=datetime.fromisoformat(item["date_published"]),
        )
        for item in said["items"]
    )
    return ParsedFeed(
        format=Format.JSON,
        title=said["title"],
        entries=entries,
        listed_guids=tuple(entry.guid for entry in entries),
        site_url=said["home_page_url"],
    )


def _moment(parsed: object) -> datetime | None:
    return datetime.fromtimestamp(timegm(parsed), UTC) if parsed else None  # type: ignore[arg-type]
