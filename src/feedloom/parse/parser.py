"""Parse a document: sniff it, try the fast path, else the tolerant parser in a child process."""

import re
from datetime import datetime

import msgspec

from feedloom.model.errors import BadAddress, NotAFeed, ParseError
from feedloom.model.feed import MAX_ENTRIES, ParsedFeed
from feedloom.model.urls import without_credentials
from feedloom.parse.assembly import assemble
from feedloom.parse.json_feed import looks_like_json, read_json_feed
from feedloom.parse.kinds import not_a_feed, recognised
from feedloom.parse.raw import RawFeed, Unsure
from feedloom.parse.xml_feeds.atom import local_name, read_atom
from feedloom.parse.xml_feeds.elements import name_of
from feedloom.parse.xml_feeds.rss import read_rss
from feedloom.parse.xml_feeds.trees import read_tree
from feedloom.processes.pool import ChildFailed, ProcessPool

DEADLINE_S = 5.0
MEMORY_BYTES = 256 * 1024 * 1024

_ENTRIES = re.compile(rb"<(?:[\w-]{1,30}:)?(?:item|entry)[\s>]", re.IGNORECASE)
_OTHER_ROOTS = {
    "html": "html",
    "opml": "opml",
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "svg": "image",
}


def read_fast(
    body: bytes, *, url: str, now: datetime, content_type: str = "", most: int = MAX_ENTRIES
) -> ParsedFeed:
    """Read a document if that takes no guessing; raise ``Unsure`` if it would."""
    url = _shown(url)
    if looks_like_json(body):
        raw = read_json_feed(body, url, content_type)
    else:
        if kind := recognised(body):
            raise not_a_feed(kind)
        raw = _read_xml(body, url, content_type)
    return assemble(raw, url=url, now=now, fast=True, most=most)


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


class Request(msgspec.Struct, frozen=True):
    """What the child process is asked."""

    body: bytes
    url: str
    content_type: str
    now: datetime
    most: int = MAX_ENTRIES


class Reply(msgspec.Struct, frozen=True):
    """A feed, or why there is none."""

    feed: ParsedFeed | None = None
    message: str = ""
    kind: str = ""
    """What the document is instead of a feed."""


class FeedParser:
    """Parses documents, and owns the child process that reads the difficult ones."""

    def __init__(self, *, deadline_s: float = DEADLINE_S, memory_bytes: int = MEMORY_BYTES) -> None:
        self._children = ProcessPool(
            "feedloom.parse.child", str(memory_bytes), size=1, deadline_s=deadline_s
        )

    def parse_at_once(
        self,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        now: datetime,
        most: int = MAX_ENTRIES,
    ) -> ParsedFeed | None:
        """Read a document; None when that takes guessing."""
        try:
            return read_fast(body, url=url, content_type=content_type, now=now, most=most)
        except Unsure:
            return None

    async def guess(
        self,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        now: datetime,
        most: int = MAX_ENTRIES,
    ) -> ParsedFeed:
        """Read a document by guessing, in a process that it cannot harm."""
        try:
            reply = await self._children.ask(
                Request(body, _shown(url), content_type, now, most), Reply
            )
        except ChildFailed as error:
            raise ParseError("The document is too complicated to be read as a feed.") from error
        if reply.kind:
            raise NotAFeed(reply.message, kind=reply.kind)
        if reply.feed is None:
            raise ParseError(reply.message)
        return reply.feed

    async def close(self) -> None:
        await self._children.close()
