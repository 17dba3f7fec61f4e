"""Builders of feed documents for tests: entries in, bytes of a valid document out.

    rss(title="Blog", entries=[entry(1), entry(2, title="Second")])
    atom(...)  json_feed(...)  the same arguments, another format

``entry(n)`` fills everything from its number: two calls with one number give equal
entries. Dates are fixed, one hour apart, newer for higher numbers. Nothing is random.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from xml.sax.saxutils import escape, quoteattr

NO_ADDRESSES = (
    "http://a..b/",
    "https://x:99999/",
    "http://1.2.3/",
    "http://256.1.1.1/",
    "https://a.example:0/",
    "https://a.example/" + "a" * 5_000,
)
"""What publishers write for links, and nothing can be fetched from."""
FIRST_ENTRY_AT = datetime(2026, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """What a publisher says about one entry. HTML in ``content`` is not escaped yet."""

    guid: str
    title: str
    link: str
    published_at: datetime | None
    content: str = ""
    summary: str = ""
    author: str = ""
    categories: tuple[str, ...] = ()
    enclosure: tuple[str, str, int] | None = None
    """Address, type and length."""


@dataclass(frozen=True, slots=True)
class FeedDocument:
    """What a publisher says about a feed."""

    title: str
    link: str
    description: str
    language: str
    entries: Sequence[FeedEntry] = field(default=())
    hub: str = ""
    self_link: str = ""


def entry(number: int = 1, **changes: Any) -> FeedEntry:
    """Return the entry with a number; keywords replace single fields."""
    made = FeedEntry(
        guid=f"urn:example:entry:{number}",
        title=f"Entry {number}",
        link=f"https://blog.example/entries/{number}",
        published_at=FIRST_ENTRY_AT + timedelta(hours=number),
        content=f"<p>This is what entry {number} says, in a sentence or two.</p>",
        author=f"Author {number % 3}",
        categories=(f"topic-{number % 5}",),
    )
    return replace(made, **changes)


def entries(count: int, start: int = 1) -> list[FeedEntry]:
    """Return so many entries, newest first, as feeds have them."""
    return [entry(number) for number in range(start + count - 1, start - 1, -1)]


def fresh(count: int) -> list[FeedEntry]:
    """Return so many entries of the last hours, as the river shows them."""
    now = datetime.now(UTC)  # noqa: TID251 - what readers see as fresh
    made = entries(count)
    return [replace(e, published_at=now - timedelta(minutes=n)) for n, e in enumerate(made, 1)]


def rss(**said: Any) -> bytes:
    """Return an RSS 2.0 document."""
    feed = _document(said)
    links = _atom_links(feed, "atom:link")
    items = "".join(map(_rss_item, feed.entries))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"'
        ' xmlns:atom="http://www.w3.org/2005/Atom"'
        ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/">\n<channel>'
        f"<title>{escape(feed.title)}</title><link>{escape(feed.link)}</link>"
        f"<description>{escape(feed.description)}</description>"
        f"<language>{escape(feed.language)}</language>{links}\n{items}"
        "</channel>\n</rss>\n"
    ).encode()


def atom(**said: Any) -> bytes:
    """Return an Atom 1.0 document."""
    feed = _document(said)
    updated = max((_stamp(e) for e in feed.entries), default=_iso(FIRST_ENTRY_AT))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom"'
        f" xml:lang={quoteattr(feed.language)}>"
        f"<id>{escape(feed.link)}</id><title>{escape(feed.title)}</title>"
        f"<subtitle>{escape(feed.description)}</subtitle><updated>{updated}</updated>"
        f'<link rel="alternate" href={quoteattr(feed.link)}/>'
        f"{_atom_links(feed, 'link')}\n{''.join(map(_atom_entry, feed.entries))}"
        "</feed>\n"
    ).encode()


def json_feed(**said: Any) -> bytes:
    """Return a JSON Feed 1.1 document."""
    feed = _document(said)
    document: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.link,
        "description": feed.description,
        "language": feed.language,
        "items": [_json_item(e) for e in feed.entries],
    }
    if feed.self_link:
        document["feed_url"] = feed.self_link
    if feed.hub:
        document["hubs"] = [{"type": "WebSub", "url": feed.hub}]
    return json.dumps(document, ensure_ascii=False, indent=1).encode()


FORMATS: dict[str, tuple[Callable[..., bytes], str]] = {
    "rss": (rss, "application/rss+xml; charset=utf-8"),
    "atom": (atom, "application/atom+xml; charset=utf-8"),
    "json": (json_feed, "application/feed+json; charset=utf-8"),
}
"""Builder and content type by the name of the format."""


def _document(said: dict[str, Any]) -> FeedDocument:
    filled = {
        "title": "A feed",
        "link": "https://blog.example/",
        "description": "What the feed is about.",
        "language": "en",
    }
    return FeedDocument(**{**filled, **said})


def _atom_links(feed: FeedDocument, tag: str) -> str:
    found = (("self", feed.self_link), ("hub", feed.hub))
    return "".join(f'<{tag} rel="{r}" href={quoteattr(u)}/>' for r, u in found if u)


def _rss_item(said: FeedEntry) -> str:
    parts = [
        f"<title>{escape(said.title)}</title>",
        f"<link>{escape(said.link)}</link>",
        f'<guid isPermaLink="false">{escape(said.guid)}</guid>' if said.guid else "",
        f"<pubDate>{format_datetime(said.published_at)}</pubDate>" if said.published_at else "",
        f"<dc:creator>{escape(said.author)}</dc:creator>" if said.author else "",
        *(f"<category>{escape(name)}</category>" for name in said.categories),
        f"<description>{escape(said.summary or said.content)}</description>",
    ]
    if said.summary and said.content:
        parts.append(f"<content:encoded>{escape(said.content)}</content:encoded>")
    if said.enclosure:
        url, kind, length = said.enclosure
        parts.append(f'<enclosure url={quoteattr(url)} type={quoteattr(kind)} length="{length}"/>')
    return f"<item>{''.join(parts)}</item>\n"


def _atom_entry(said: FeedEntry) -> str:
    parts = [
        f"<id>{escape(said.guid)}</id><title>{escape(said.title)}</title>",
        f'<link rel="alternate" href={quoteattr(said.link)}/>',
        f"<updated>{_stamp(said)}</updated>",
        f"<published>{_stamp(said)}</published>" if said.published_at else "",
        f"<author><name>{escape(said.author)}</name></author>" if said.author else "",
        *(f"<category term={quoteattr(name)}/>" for name in said.categories),
        f'<summary type="html">{escape(said.summary)}</summary>' if said.summary else "",
        f'<content type="html">{escape(said.content)}</content>',
    ]
    if said.enclosure:
        url, kind, length = said.enclosure
        parts.append(
            f'<link rel="enclosure" href={quoteattr(url)} type={quoteattr(kind)}'
            f' length="{length}"/>'
        )
    return f"<entry>{''.join(parts)}</entry>\n"


def _json_item(said: FeedEntry) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": said.guid,
        "url": said.link,
        "title": said.title,
        "content_html": said.content,
        "tags": list(said.categories),
    }
    if said.published_at:
        item["date_published"] = _iso(said.published_at)
    if said.author:
        item["authors"] = [{"name": said.author}]
    if said.summary:
        item["summary"] = said.summary
    if said.enclosure:
        url, kind, length = said.enclosure
        item["attachments"] = [{"url": url, "mime_type": kind, "size_in_bytes": length}]
    return item


def _stamp(said: FeedEntry) -> str:
    return _iso(said.published_at or FIRST_ENTRY_AT)


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
