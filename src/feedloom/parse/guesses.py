"""The findings of the tolerant parser, in the form all format readers return.

Runs in the child process. Text goes to feedparser as bytes it cannot take for a path or
an address, already decoded by us, with its own sanitiser and link resolution off. It takes
quadratic time over some documents, so only as much is read as takes reasonable time.
"""

import re
import time
from datetime import datetime
from io import BytesIO
from typing import Any

import feedparser

from feedloom.model.errors import ParseError
from feedloom.model.feed import MAX_ENTRIES, Format, ParsedFeed
from feedloom.parse.assembly import assemble
from feedloom.parse.charsets import decoded
from feedloom.parse.dates import read_date
from feedloom.parse.kinds import not_a_feed, unreadable
from feedloom.parse.raw import MAX_LISTED, RawEntry, RawFeed
from feedloom.parse.text import as_markup, looks_damaged
from feedloom.parse.xml_feeds.trees import harmless

MAX_BYTES = 2_000_000
MAX_ENTRIES_READ = 2_000
MAX_TAGS = 20_000
MAX_DEPTH = 2_000
MAX_ATTRIBUTES = 100
MAX_STRAYS = 2_000
"""Signs that begin a tag but are none; each makes the parser look ahead."""
_LONG_TAG = 1_000
_TOKEN = re.compile(rb"<(?:!\[CDATA\[|(/?)([a-zA-Z][\w:.-]*+)[^<>]*+>)")
_ENTRY = frozenset({b"item", b"entry"})
_NEVER_CLOSED = frozenset(
    {b"br", b"hr", b"img", b"input", b"link", b"meta", b"p", b"li", b"wbr", b"embed"}
)
_HEADERS = {"content-type": "application/xml; charset=utf-8"}
_MAX_LIST = 200

_Found = Any
"""A feedparser.FeedParserDict: whatever the document had, under feedparser's names."""


def read_guessing(
    body: bytes, *, url: str, content_type: str, now: datetime, most: int = MAX_ENTRIES
) -> ParsedFeed:
    """Read a document by guessing; raise ``NotAFeed`` or ``ParseError``."""
    within, cut = bounded(body)
    data = harmless(decoded(within, content_type)).encode()
    found = feedparser.parse(
        BytesIO(data), response_headers=_HEADERS, sanitize_html=False, resolve_relative_uris=False
    )
    entries = found.get("entries") or []
    if not entries and (not _said(found, "version") or found.get("bozo")):
        kind = unreadable(within)
        raise ParseError if kind == "unknown" else not_a_feed(kind)
    raw = _feed(found, url, now)
    raw.damaged = looks_damaged(data)
    raw.truncated = raw.truncated or cut
    return assemble(raw, url=url, now=now, fast=False, most=most)


def _said(found: _Found, name: str) -> str:
    """Return a text feedparser found; it may have found nothing, or something else."""
    value = found.get(name) if found else None
    return value if isinstance(value, str) else ""


def _each(found: _Found, name: str) -> list[_Found]:
    """Return a list feedparser found, of things that can be asked for names."""
    values = found.get(name) or []
    return [value for value in values[:_MAX_LIST] if hasattr(value, "get")]


def _feed(found: _Found, url: str, now: datetime) -> RawFeed:
    said = found.get("feed") or {}
    raw = RawFeed(_format(_said(found, "version")), url)
    raw.title, raw.title_is_text = _title(said)
    raw.link = _said(said, "link")
    raw.description = _said(said, "subtitle")
    raw.language = _said(said, "language")
    raw.self_link = _linked(said, "self")
    raw.hub = _linked(said, "hub")
    raw.icon = _said(said, "icon") or _picture(said) or _said(said, "logo")
    raw.ttl_minutes = _said(said, "ttl")
    raw.update_period = _said(said, "sy_updateperiod")
    raw.update_frequency = _said(said, "sy_updatefrequency")
    if raw.format is Format.ATOM:
        raw.authors = _people(said)
    entries = found.get("entries") or []
    raw.entries = [_entry(entry, url, now) for entry in entries[:MAX_LISTED]]
    raw.truncated = len(entries) > MAX_LISTED
    return raw


def _format(version: str) -> Format:
    if version.startswith("atom"):
        return Format.ATOM
    return Format.RDF if version in {"rss090", "rss10"} else Format.RSS


def _entry(found: _Found, url: str, now: datetime) -> RawEntry:
    raw = RawEntry(url)
    raw.id = _said(found, "id")
    raw.link = _said(found, "feedburner_origlink") or _said(found, "link")
    raw.title, raw.title_is_text = _title(found)
    contents = (_markup(_said(each, "value"), each) for each in _each(found, "content"))
    raw.content = next(filter(None, contents), "")
    raw.summary = _markup(_said(found, "summary"), found.get("summary_detail"))
    raw.authors = _people(found)
    raw.published = _date(found, "published", now)
    raw.updated = _date(found, "updated", now)
    raw.other_date = _date(found, "created", now)
    raw.categories = tuple(
        _said(tag, "label") or _said(tag, "term") for tag in _each(found, "tags")
    )
    raw.comments = _said(found, "comments")
    _attach(raw, found)
    return raw


def _attach(raw: RawEntry, found: _Found) -> None:
    raw.enclosures = tuple(
        (_said(each, "href"), _said(each, "type"), _said(each, "length"))
        for each in _each(found, "enclosures")
    )
    for media in _each(found, "media_content"):
        address, kind = _said(media, "url"), _said(media, "type")
        medium = _said(media, "medium") or kind.partition("/")[0]
        if medium == "image":
            raw.images += (address,)
        elif medium in {"audio", "video"}:
            raw.enclosures += ((address, kind, _said(media, "filesize")),)
    raw.duration = _said(found, "itunes_duration")
    raw.thumbnails = tuple(_said(each, "url") for each in _each(found, "media_thumbnail"))
    raw.images += (_picture(found),)


def _picture(found: _Found) -> str:
    image = found.get("image")
    return _said(image, "href") if hasattr(image, "get") else ""


def _title(found: _Found) -> tuple[str, bool]:
    is_text = _said(found.get("title_detail"), "type") == "text/plain"
    return _said(found, "title"), is_text


def _markup(value: str, detail: _Found) -> str:
    return as_markup(value) if _said(detail, "type") == "text/plain" else value


def _people(found: _Found) -> tuple[str, ...]:
    people = (_said(p, "name") or _said(p, "email") for p in _each(found, "authors"))
    return tuple(filter(None, people)) or (_said(found, "author"),)


def _date(found: _Found, name: str, now: datetime) -> str:
    if name not in found:
        # Asking for it would give another date, and a warning.
        return ""
    text = _said(found, name)
    parsed = found.get(f"{name}_parsed")
    if parsed and read_date(text, now=now) is None:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", parsed)
    return text


def _linked(found: _Found, relation: str) -> str:
    links = (each for each in _each(found, "links") if each.get("rel") == relation)
    return next((_said(each, "href") for each in links), "")


def bounded(body: bytes) -> tuple[bytes, bool]:
    """Return as much as can be read in reasonable time, and whether that is less than all.

    Raises ``ParseError`` when cutting would not help.
    """
    within = body[:MAX_BYTES]
    end = _end(within)
    return within[:end], end < len(body)


def _end(body: bytes) -> int:
    """Return where a document becomes too much."""
    place = tags = depth = entries = strays = 0
    while token := _TOKEN.search(body, place):
        start, end = token.span()
        strays = _checked(strays + body.count(b"<", place, start))
        if token[2] is None:
            close = body.find(b"]]>", end)
            place = len(body) if close < 0 else close
            continue
        if end - start > _LONG_TAG and token[0].count(b"=") > MAX_ATTRIBUTES:
            raise ParseError("An element has more attributes than any feed needs.")
        name = token[2].lower()
        tags += 1
        if token[1]:
            depth = max(0, depth - 1)
        else:
            entries += name in _ENTRY
            depth += name not in _NEVER_CLOSED and body[end - 2 : end] != b"/>"
            if depth > MAX_DEPTH:
                raise ParseError("The document is nested too deeply to be a feed.")
        if tags > MAX_TAGS or entries > MAX_ENTRIES_READ:
            return start
        place = end
    # A tag that the cut, or the publisher, left unfinished says nothing.
    last = body.rfind(b"<", place)
    end = len(body) if last < 0 or b">" in body[last:] else last
    _checked(strays + body.count(b"<", place, end))
    return end


def _checked(strays: int) -> int:
    if strays > MAX_STRAYS:
        raise ParseError
    return strays
