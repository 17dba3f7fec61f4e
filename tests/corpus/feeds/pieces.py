"""Pieces that documents of the corpus are put together from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

URL = "https://example.org/feed.xml"
NOW = datetime(2025, 7, 10, 12, 0, tzinfo=UTC)
DATE = "Tue, 01 Jul 2025 10:00:00 GMT"
AT = datetime(2025, 7, 1, 10, 0, tzinfo=UTC)
PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'

SPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "georss": "http://www.georss.org/georss",
    "googleplay": "http://www.google.com/schemas/play-podcasts/1.0",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "media": "http://search.yahoo.com/mrss/",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "psc": "http://podlove.org/simple-chapters",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "thr": "http://purl.org/syndication/thread/1.0",
    "wfw": "http://wellformedweb.org/CommentAPI/",
    "xhtml": "http://www.w3.org/1999/xhtml",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One document, the one oddity it shows, and what must be read from it.

    ``expects`` names fields of the first entry, or of the feed as ``feed.title``;
    ``count`` is the number of entries. ``differs`` says for which fields feedparser is
    known to give something else, and why ours is meant.
    """

    name: str
    shows: str
    body: bytes
    expects: Mapping[str, object] = field(default_factory=dict)
    ordinary: bool = True
    content_type: str = ""
    differs: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    """The kind of ``NotAFeed``, or "damaged" for ``ParseError``."""


def declared(*prefixes: str) -> str:
    """Declare namespaces by their usual prefixes."""
    return "".join(f' xmlns:{prefix}="{SPACES[prefix]}"' for prefix in prefixes)


def item(inner: str = "", **fields: str) -> str:
    """Write an RSS item; a field given as an empty string is left out."""
    said = {
        "title": "A title",
        "link": "https://example.org/1",
        "guid": "https://example.org/1",
        "pubDate": DATE,
        "description": "Some words.",
    } | fields
    elements = "".join(f"<{k}>{v}</{k}>" for k, v in said.items() if v)
    return f"<item>{elements}{inner}</item>"


def rss(
    items: str = "",
    *,
    channel: str = "",
    spaces: str = "",
    version: str = "2.0",
    title: str = "The feed",
    link: str = "https://example.org/",
) -> str:
    """Write an RSS document."""
    head = f"<title>{title}</title><link>{link}</link><description>About</description>"
    return (
        f'{PROLOG}<rss version="{version}"{spaces}><channel>{head}{channel}{items}</channel></rss>'
    )


def entry(inner: str = "", **fields: str) -> str:
    """Write an Atom entry; a field given as an empty string is left out."""
    said = {
        "title": "A title",
        "id": "tag:example.org,2025:1",
        "updated": "2025-07-01T10:00:00Z",
    } | fields
    elements = "".join(f"<{k}>{v}</{k}>" for k, v in said.items() if v)
    link = "" if "<link" in inner else '<link href="https://example.org/1"/>'
    return f"<entry>{elements}{link}{inner}</entry>"


def atom(entries: str = "", *, head: str = "", spaces: str = "", title: str = "") -> str:
    """Write an Atom 1.0 document."""
    title = title or "<title>The feed</title>"
    return (
        f'{PROLOG}<feed xmlns="http://www.w3.org/2005/Atom"{spaces}>{title}'
        '<id>https://example.org/</id><link href="https://example.org/"/>'
        f"<updated>2025-07-01T10:00:00Z</updated>{head}{entries}</feed>"
    )


def atom03(entries: str = "", *, head: str = "") -> str:
    """Write an Atom 0.3 document."""
    return (
        f'{PROLOG}<feed version="0.3" xmlns="http://purl.org/atom/ns#">'
        '<title>The feed</title><link rel="alternate" type="text/html"'
        f' href="https://example.org/"/>{head}{entries}</feed>'
    )


def rdf(items: str, *, spaces: str = "", about: str = "https://example.org/") -> str:
    """Write an RSS 1.0 document."""
    return (
        f'{PROLOG}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        f' xmlns="http://purl.org/rss/1.0/"{spaces}><channel rdf:about="{about}">'
        "<title>The feed</title><link>https://example.org/</link>"
        "<description>About</description><items><rdf:Seq>"
        '<rdf:li rdf:resource="https://example.org/1"/></rdf:Seq></items></channel>'
        f"{items}</rdf:RDF>"
    )


def rdf_item(inner: str = "", *, about: str = "https://example.org/1") -> str:
    """Write an RSS 1.0 item."""
    return (
        f'<item rdf:about="{about}"><title>A title</title>'
        f"<link>https://example.org/1</link>{inner}</item>"
    )


def cases(group: str, *rows: tuple[object, ...], ordinary: bool = True) -> list[Case]:
    """Make cases of rows: name, what it shows, document, expectations, differences."""
    made = []
    for name, shows, body, *rest in rows:
        expects, differs = (*rest, {}, {})[:2]
        data = body.encode() if isinstance(body, str) else body
        assert isinstance(data, bytes)
        assert isinstance(expects, Mapping)
        assert isinstance(differs, Mapping)
        made.append(
            Case(f"{group}-{name}", str(shows), data, expects, ordinary=ordinary, differs=differs)
        )
    return made
