"""Inputs and outputs of ``publish``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from feedloom.model.distilled.requests import AnalyzerResult
from feedloom.model.feed import CleanHTML, Enclosure


@dataclass(frozen=True, slots=True)
class ArticlePageToRead:
    url: str
    has_full_text: bool
    selector: str = ""
    """Which part of the page is the text, as its reader says; empty to find it out."""


@dataclass(frozen=True, slots=True)
class Channel:
    """What stands above the items of a feed that we serve."""

    title: str
    url: str
    """The site's address, or the feed's own when there is no site."""
    description: str = ""
    language: str | None = None
    feed_url: str = ""
    """The publisher's feed, for those who want the original."""


@dataclass(frozen=True, slots=True)
class DeframedItem:
    guid: str
    url: str
    url_hash: str
    title: str
    """The publisher's title."""
    description: str
    """The publisher's description, plain text."""
    published_at: datetime
    analysis: AnalyzerResult | None
    """None when the article could not be analysed: then the original is served."""
    author: str | None = None
    enclosures: tuple[Enclosure, ...] = ()
    thumbnail_url: str | None = None
    categories: tuple[str, ...] = ()
    comments_url: str | None = None
    content: CleanHTML | None = None
    """The publisher's, as it stands; None in lists that need none."""


@dataclass(frozen=True, slots=True)
class Built:
    """A finished document, as it is stored and served."""

    xml_header: bytes
    """All that stands before the first item."""
    xml_content: bytes
    """The whole document."""
    xml_gzip: bytes
    etag: str
    """Strong, with its quotation marks."""
    gzip_etag: str
    item_refs: tuple[str, ...]
    """``url_hash`` of each item, in order."""
    updated_at: datetime
    """Whole seconds; the same time as ``lastBuildDate``."""


@dataclass(frozen=True, slots=True)
class ViewItem:
    guid: str
    url: str
    title: str
    content: CleanHTML
    published_at: datetime
    updated_at: datetime | None = None
    author: str | None = None
    source_title: str = ""
    source_url: str = ""
    enclosures: tuple[Enclosure, ...] = ()
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineFeed:
    title: str
    url: str
    site_url: str | None = None
    description: str = ""


@dataclass(frozen=True, slots=True)
class OutlineFolder:
    name: str
    feeds: tuple[OutlineFeed, ...] = ()
    folders: tuple["OutlineFolder", ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedPage:
    url: str
    title: str
    added_at: datetime | None = None
    description: str = ""
    tags: tuple[str, ...] = ()
    to_read: bool = True
    """False when the other program had it filed away."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A file of bookmarks, read: what is usable, and how much was not."""

    pages: tuple[ImportedPage, ...]
    skipped: int = 0
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class PersonExport:
    exported_at: datetime
    version: str
    profile: Mapping[str, object]
    sections: Mapping[str, tuple[Mapping[str, object], ...]] = field(default_factory=dict)
    """Rows by section: ``subscriptions``, ``folders``, ``articles`` … Values are text,
    numbers, booleans, times, None, and lists or mappings of these."""
