"""The tolerant parser's findings, in the shape all readers give.

Runs in the child process. Text goes to feedparser as bytes it cannot take for a path or
an address, already decoded by us, with its own sanitiser and link resolution off.
"""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from io import BytesIO
from typing import Any

import feedparser

from feedloom.model.errors import ParseError
from feedloom.model.feed import Format, ParsedFeed
from feedloom.parse.assembly import assemble
from feedloom.parse.charsets import decoded
from feedloom.parse.dates import read_date
from feedloom.parse.kinds import not_a_feed, unreadable
from feedloom.parse.raw import MAX_LISTED, RawEntry, RawFeed
from feedloom.parse.text import as_markup, looks_damaged
from feedloom.parse.xml_feeds.mending import harmless

_HEADERS = {"content-type": "application/xml; charset=utf-8"}
_MAX_LIST = 200

_Found = Any
"""A feedparser.FeedParserDict: whatever the document had, under feedparser's names."""


def read_guessing(
    body: bytes, *, url: str, content_type: str, now: datetime
) -> ParsedFeed:
    """Read a document by guessing; raise ``NotAFeed`` or ``ParseError``."""
    data = harmless(decoded(body, content_type)).encode()
    found = feedparser.parse(
        BytesIO(data),
        response_headers=_HEADERS,
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    if not found.entries and (not found.version or found.bozo):
        kind = unreadable(body)
        raise ParseError if kind == "unknown" else not_a_feed(kind)
    raw = _feed(found, url, now)
    raw.damaged = looks_damaged(data)
    return assemble(raw, url=url, now=now, fast=False)


def _feed(found: _Found, url: str, now: datetime) -> RawFeed:
    said = found.feed
    raw = RawFeed(_format(found.version), url)
    raw.title, raw.title_is_text = _title(said)
    raw.link = said.get("link", "")
    raw.description = said.get("subtitle", "")
    raw.language = said.get("language", "") or ""
    raw.self_link = _linked(said, "self")
    raw.hub = _linked(said, "hub")
    image = said.get("image") or {}
    raw.icon = said.get("icon") or image.get("href") or said.get("logo") or ""
    raw.ttl_minutes = said.get("ttl", "")
    raw.update_period = said.get("sy_updateperiod", "")
    raw.update_frequency = said.get("sy_updatefrequency", "")
    if raw.format is Format.ATOM:
        raw.authors = _people(said)
    raw.entries = [_entry(entry, url, now) for entry in found.entries[:MAX_LISTED]]
    raw.truncated = len(found.entries) > MAX_LISTED
    return raw


def _format(version: str) -> Format:
    if version.startswith("atom"):
        return Format.ATOM
    return Format.RDF if version in {"rss090", "rss10"} else Format.RSS


def _entry(found: _Found, url: str, now: datetime) -> RawEntry:
    raw = RawEntry(url)
    raw.id = found.get("id", "")
    raw.link = found.get("feedburner_origlink") or found.get("link", "")
    raw.title, raw.title_is_text = _title(found)
    raw.content = next(_values(found.get("content", ())), "")
    raw.summary = _markup(found.get("summary", ""), found.get("summary_detail"))
    raw.authors = _people(found)
    raw.published = _date(found, "published", now)
    raw.updated = _date(found, "updated", now)
    raw.other_date = _date(found, "created", now)
    raw.categories = tuple(
        tag.get("label") or tag.get("term") or ""
        for tag in found.get("tags", ())[:_MAX_LIST]
    )
    raw.comments = found.get("comments", "")
    _attach(raw, found)
    return raw


def _attach(raw: RawEntry, found: _Found) -> None:
    raw.enclosures = tuple(
        (each.get("href", ""), each.get("type", ""), str(each.get("length", "")))
        for each in found.get("enclosures", ())[:_MAX_LIST]
    )
    for media in found.get("media_content", ())[:_MAX_LIST]:
        address, kind = media.get("url", ""), media.get("type", "")
        medium = media.get("medium") or kind.partition("/")[0]
        if medium == "image":
            raw.images += (address,)
        elif medium in {"audio", "video"}:
            size = str(media.get("filesize", ""))
            raw.enclosures += ((address, kind or f"{medium}/*", size),)
    thumbnails = found.get("media_thumbnail", ())[:_MAX_LIST]
    raw.thumbnails = tuple(each.get("url", "") for each in thumbnails)
    raw.images += ((found.get("image") or {}).get("href", ""),)


def _title(found: _Found) -> tuple[str, bool]:
    detail = found.get("title_detail") or {}
    return found.get("title", "") or "", detail.get("type") == "text/plain"


def _values(contents: Iterable[_Found]) -> Iterator[str]:
    return (
        value for each in contents if (value := _markup(each.get("value", ""), each))
    )


def _markup(value: str, detail: _Found) -> str:
    plain = (detail or {}).get("type") == "text/plain"
    return as_markup(value) if plain and value else value or ""


def _people(found: _Found) -> tuple[str, ...]:
    people = [
        each.get("name") or each.get("email") for each in found.get("authors", ())
    ]
    return tuple(filter(None, people)) or (found.get("author", "") or "",)


def _date(found: _Found, name: str, now: datetime) -> str:
    if name not in found:
        # Asking for it would give another date, and a warning.
        return ""
    text = found.get(name) or ""
    parsed = found.get(f"{name}_parsed")
    if parsed and read_date(text, now=now) is None:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", parsed)
    return text


def _linked(found: _Found, relation: str) -> str:
    links = (each for each in found.get("links", ()) if each.get("rel") == relation)
    return next((each.get("href", "") for each in links), "")
