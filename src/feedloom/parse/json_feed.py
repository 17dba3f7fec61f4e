"""JSON Feed 1.0 and 1.1: bytes in, ``RawFeed`` out.

Values of a wrong type count as missing, numbers serve as identifiers, and whatever is
not JSON, or JSON but no feed, raises our errors.
"""

import json
from typing import Any

import msgspec

from feedloom.model.errors import ParseError
from feedloom.model.feed import Format
from feedloom.model.stages import MAX_BODY_BYTES
from feedloom.parse.charsets import decoded
from feedloom.parse.kinds import not_a_feed
from feedloom.parse.raw import MAX_LISTED, RawEntry, RawFeed
from feedloom.parse.text import as_markup
from feedloom.parse.xml_feeds.extensions import MAX_LIST

_MOST_VALUES = 300_000
"""Each "{", "[" or "," may cost 100 bytes of memory."""

_BEFORE = b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"
"""Byte order marks and white space, in any Unicode encoding."""

_Object = dict[str, Any]


def looks_like_json(body: bytes) -> bool:
    return body[:64].lstrip(_BEFORE).startswith((b"{", b"["))


def read_json_feed(body: bytes, url: str, content_type: str = "") -> RawFeed:
    """Read a JSON Feed; raise ``NotAFeed`` for other JSON, ``ParseError`` for none."""
    document = _document(body, content_type)
    items = document.get("items") if isinstance(document, dict) else None
    if not isinstance(items, list) or not _is_feed(document):
        raise not_a_feed("json")
    feed = RawFeed(Format.JSON, url, title_is_text=True)
    feed.title = _text(document, "title")
    feed.link = _text(document, "home_page_url")
    feed.self_link = _text(document, "feed_url")
    feed.description = as_markup(_text(document, "description"))
    feed.icon = _text(document, "icon") or _text(document, "favicon")
    feed.language = _text(document, "language")
    feed.authors = _people(document)
    hubs = (_text(hub, "url") for hub in _objects(document, "hubs"))
    feed.hub = next(filter(None, hubs), "")
    feed.entries = [_entry(i, url) for i in items[:MAX_LISTED] if isinstance(i, dict)]
    feed.truncated = len(items) > MAX_LISTED
    return feed


def _document(body: bytes, content_type: str) -> Any:
    if len(body) > MAX_BODY_BYTES:
        raise ParseError("The document is larger than 10 MB.")
    if sum(body.count(mark) for mark in (b"{", b"[", b",")) > _MOST_VALUES:
        raise ParseError("The document has more values than a feed can have.")
    try:
        return msgspec.json.decode(body.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        # Laxer: raw line breaks in strings, other encodings, numbers of any size.
        return json.loads(decoded(body, content_type), strict=False)
    except (ValueError, RecursionError) as error:
        raise ParseError("The document is damaged JSON.") from error


def _is_feed(document: _Object) -> bool:
    version = _text(document, "version")
    return "jsonfeed" in version or bool({"feed_url", "home_page_url"} & document.keys())


def _entry(item: _Object, url: str) -> RawEntry:
    entry = RawEntry(url, title_is_text=True)
    entry.id = _text(item, "id")
    entry.link = _text(item, "url") or _text(item, "external_url")
    entry.title = _text(item, "title")
    entry.content = _text(item, "content_html") or as_markup(_text(item, "content_text"))
    entry.summary = as_markup(_text(item, "summary"))
    entry.published = _text(item, "date_published")
    entry.updated = _text(item, "date_modified")
    entry.language = _text(item, "language")
    entry.authors = _people(item)
    pictures = (_text(item, name) for name in ("image", "banner_image"))
    entry.thumbnails = tuple(filter(None, pictures))
    tags = item.get("tags")
    if isinstance(tags, list):
        entry.categories = tuple(tag for tag in tags[:MAX_LIST] if isinstance(tag, str))
    entry.enclosures = tuple(
        (_text(a, "url"), _text(a, "mime_type"), _text(a, "size_in_bytes"))
        for a in _objects(item, "attachments")
    )
    lengths = (_text(a, "duration_in_seconds") for a in _objects(item, "attachments"))
    entry.duration = next(filter(None, lengths), "")
    return entry


def _text(item: _Object, key: str) -> str:
    value = item.get(key)
    if isinstance(value, str):
        return value.encode("utf-8", "ignore").decode().replace("\x00", "")
    if isinstance(value, int) and not isinstance(value, bool):
        # An identifier or a size; one too long to be either is left out.
        return str(value) if abs(value) < 10**30 else ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value)) if abs(value) < 10**30 else ""
    return ""


def _objects(item: _Object, key: str) -> list[_Object]:
    value = item.get(key)
    if not isinstance(value, list):
        return []
    return [each for each in value[:MAX_LIST] if isinstance(each, dict)]


def _people(item: _Object) -> tuple[str, ...]:
    people = _objects(item, "authors")
    single = item.get("author")
    if not people and isinstance(single, dict):
        people = [single]
    return tuple(name for person in people if (name := _text(person, "name")))
