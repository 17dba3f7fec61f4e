"""Parses a document: sniffed, read fast, otherwise by the fallback."""

import re
from datetime import datetime
from typing import Protocol

from feedloom.model.errors import BadAddress
from feedloom.model.feed import ParsedFeed
from feedloom.model.urls import without_credentials
from feedloom.parse.assembly import assemble
from feedloom.parse.fallback import FallbackPool
from feedloom.parse.json_feed import looks_like_json, read_json_feed
from feedloom.parse.kinds import not_a_feed, recognised
from feedloom.parse.raw import RawFeed, Unsure
from feedloom.parse.xml_feeds.atom import local_name, read_atom
from feedloom.parse.xml_feeds.elements import name_of
from feedloom.parse.xml_feeds.rss import read_rss
from feedloom.parse.xml_feeds.trees import read_tree

_ENTRIES = re.compile(rb"<(?:[\w-]{1,30}:)?(?:item|entry)[\s>]", re.IGNORECASE)
_OTHER_ROOTS = {
    "html": "html",
    "opml": "opml",
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "svg": "image",
}


class Fallback(Protocol):
    """Reads what the fast path is unsure about; a hostile document cannot harm it."""

    def read(
        self, body: bytes, *, url: str, content_type: str, now: datetime
    ) -> ParsedFeed:
        """Return the feed, or raise ``NotAFeed`` or ``ParseError``."""
        ...


def parse_feed(
    body: bytes,
    *,
    url: str,
    now: datetime,
    fallback: Fallback,
    content_type: str = "",
) -> ParsedFeed:
    """Read a document of any format.

    Raises ``NotAFeed`` (with what it is instead) or ``ParseError``, nothing else. May be
    called from several threads at once.
    """
    url = _shown(url)
    try:
        return read_fast(body, url=url, content_type=content_type, now=now)
    except Unsure:
        return fallback.read(body, url=url, content_type=content_type, now=now)


def read_fast(
    body: bytes, *, url: str, now: datetime, content_type: str = ""
) -> ParsedFeed:
    """Read a document if that takes no guessing; raise ``Unsure`` if it would."""
    if looks_like_json(body):
        raw = read_json_feed(body, url, content_type)
    else:
        if kind := recognised(body):
            raise not_a_feed(kind)
        raw = _read_xml(body, url, content_type)
    return assemble(raw, url=url, now=now, fast=True)


def _read_xml(body: bytes, url: str, content_type: str) -> RawFeed:
    tree = read_tree(body, content_type)
    name = name_of(tree.root)
    if name in {"rss", "rdf:rdf", "channel"}:
        raw = read_rss(tree, url)
    elif local_name(tree.root) in {"feed", "entry"}:
        raw = read_atom(tree, url)
    elif kind := _OTHER_ROOTS.get(re.split("[}:]", str(tree.root.tag))[-1].lower()):
        raise not_a_feed(kind)
    else:
        raise Unsure("unknown root")
    if not raw.entries and _ENTRIES.search(body):
        raise Unsure("entries where none were looked for")
    return raw


def _shown(url: str) -> str:
    # Links are resolved against this; a password in it must not get into content.
    try:
        return without_credentials(url)
    except BadAddress:
        return url


class FeedParser:
    """Parses documents, and owns the processes that help with the difficult ones.

    ``parse`` may be called from several threads at once. ``close`` ends the processes.
    """

    def __init__(self, fallback: FallbackPool | None = None) -> None:
        self._fallback = fallback or FallbackPool()

    def parse(
        self, body: bytes, *, url: str, content_type: str = "", now: datetime
    ) -> ParsedFeed:
        """Read a document of any format; see ``parse_feed``."""
        return parse_feed(
            body, url=url, content_type=content_type, now=now, fallback=self._fallback
        )

    def parse_at_once(
        self, body: bytes, *, url: str, content_type: str = "", now: datetime
    ) -> ParsedFeed | None:
        """Read a document if that waits for nobody; None when ``parse`` is needed."""
        try:
            return read_fast(body, url=_shown(url), content_type=content_type, now=now)
        except Unsure:
            return None

    def close(self) -> None:
        """End the helping processes; parsing afterwards is a bug."""
        self._fallback.close()
