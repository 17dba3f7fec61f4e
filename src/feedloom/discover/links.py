"""Feeds that a page declares: ``<link>`` elements and HTTP ``Link`` headers.

A ``Page`` goes in, candidates come out in the page's own order. Publishers misspell
types and relations in many ways; what is plainly something else (oEmbed, ActivityPub,
translations, style sheets) is left out.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from feedloom.discover.labels import language_named, language_of
from feedloom.discover.looks import looks_like_feed, says_feed
from feedloom.discover.pages import Link, Page
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import resolve

MAX_HEADER = 16_384

# Publishers misspell them in many ways ("application/rss", "text/xml+rss").
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


def link_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return what the page's own ``<link>`` elements name, in their order."""
    return tuple(_chosen(page.links, Origin.HTML))


def header_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return what the ``Link`` headers of the answer name, in their order."""
    header = page.headers.get("link", "")[:MAX_HEADER]
    return tuple(_chosen(_header_links(header, page.url), Origin.HEADERS))


def _chosen(links: Iterable[Link], origin: Origin) -> Iterator[Candidate]:
    for place, link in enumerate(filter(_names_a_feed, links)):
        yield Candidate(
            link.url,
            origin,
            link.title,
            link.type,
            rank=place,
            language=link.language or language_named(link.title) or language_of(link.url),
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
            name, value = match[1].lower(), match[2] or ""
            said.setdefault(name, _unquoted(value))
            at = match.end()
        url = resolve(base, header[start + 1 : end])
        if url:
            yield Link(
                rels=frozenset(said.get("rel", "").lower().split()),
                type=said.get("type", "").partition(";")[0].strip().lower(),
                url=url,
                title=_title(said),
            )


def _title(said: dict[str, str]) -> str:
    extended = said.get("title*", "")
    if extended.lower().startswith("utf-8'"):
        return unquote(extended.split("'", 2)[-1], errors="replace")
    return said.get("title", "")


def _unquoted(value: str) -> str:
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value
