"""Feeds that a page names: ``<link>`` elements and HTTP ``Link`` headers, and all of them.

A ``Page`` goes in, candidates come out in the page's own order. Publishers misspell
types and relations in many ways; what is plainly something else (oEmbed, ActivityPub,
translations, style sheets) is left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import unquote

from feedloom.discover.anchors import anchor_candidates
from feedloom.discover.labels import language_named, language_of
from feedloom.discover.looks import looks_like_feed, says_feed
from feedloom.discover.pages import Link, Page
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import is_address, read_address, resolve

MAX_HEADER = 16_384

_FEED_TYPE = re.compile(r"(?:^|[/+.-])(?:rss2?|atom|rdf|feed|jsonfeed)(?=$|[+. -])(?!.*oembed)")
# Types that feeds are also served with; the address must then look like a feed.
_VAGUE_TYPES = frozenset(
    {"", "text/xml", "application/xml", "application/json", "text/plain", "text/html"}
)
_DOCUMENT_TYPES = _VAGUE_TYPES - {"text/html"}
_FEED_RELS = frozenset({"feed", "rss", "atom", "service.feed"})
_ALTERNATE_RELS = _FEED_RELS | {"alternate", "alternative", "alternates"}
_OTHER_RELS = frozenset({"stylesheet", "canonical", "edituri", "replies", "self"})
_PARAMETER = re.compile(
    r"""\s*;\s*([\w!#$&+^`|~.-]{1,60}\*?)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;,"]*))?"""
)


def page_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return the feeds a page names or links to, the most trusted sources first."""
    found = (*link_candidates(page), *header_candidates(page), *anchor_candidates(page))
    return tuple(_kept_secure(candidate, page) for candidate in found)


def _kept_secure(candidate: Candidate, page: Page) -> Candidate:
    """Ask for a page's own feed as securely as for the page, whatever the link says."""
    feed, own = read_address(candidate.url), read_address(page.url)
    if feed.scheme == "http" and own.scheme == "https" and feed.netloc == own.netloc:
        secure = str(feed._replace(scheme="https"))
        # The longest address there may be has no room for another letter.
        return replace(candidate, url=secure) if is_address(secure) else candidate
    return candidate


def link_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return what the page's own ``<link>`` elements name, in their order."""
    return _chosen(page.links, Origin.HTML)


def header_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return what the ``Link`` headers of the answer name, in their order."""
    header = page.headers.get("link", "")[:MAX_HEADER]
    return _chosen(_header_links(header, page.url), Origin.HEADERS)


def _chosen(links: Iterable[Link], origin: Origin) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            link.url,
            origin,
            link.title,
            link.type,
            rank=place,
            language=link.language or language_named(link.title) or language_of(link.url),
        )
        for place, link in enumerate(filter(_names_a_feed, links))
    )


def _names_a_feed(link: Link) -> bool:
    has_feed_type = _FEED_TYPE.search(link.type) is not None
    if not link.rels:
        return has_feed_type
    if not link.rels & _ALTERNATE_RELS or link.rels & _OTHER_RELS:
        return False
    if has_feed_type or link.rels & _FEED_RELS:
        return True
    # A translation is named by its language; a feed may have a vague type.
    is_called_feed = link.type in _DOCUMENT_TYPES and says_feed(link.title)
    return is_called_feed or (link.type in _VAGUE_TYPES and looks_like_feed(link.url))


def _header_links(header: str, base: str) -> Iterator[Link]:
    at = 0
    while True:
        start = header.find("<", at)
        end = header.find(">", start + 1)
        if start < 0 or end < 0:
            return
        said: dict[str, str] = {}
        at = end + 1
        while match := _PARAMETER.match(header, at):
            value = match[2] or ""
            if value.startswith('"'):
                value = re.sub(r"\\(.)", r"\1", value[1:-1])
            said.setdefault(match[1].lower(), value)
            at = match.end()
        title = said.get("title", "")
        extended = said.get("title*", "")
        if extended.lower().startswith("utf-8'"):
            title = unquote(extended.split("'", 2)[-1], errors="replace")
        url = resolve(base, header[start + 1 : end])
        if url:
            yield Link(
                rels=frozenset(said.get("rel", "").lower().split()),
                type=said.get("type", "").partition(";")[0].strip().lower(),
                url=url,
                title=title,
            )
