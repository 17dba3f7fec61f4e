"""Feeds as publishers write them: parsed values.

Text fields are plain text. ``ParsedEntry.content_html`` is untrusted markup; only
``markup`` turns it into ``CleanHTML``.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, NewType

CleanHTML = NewType("CleanHTML", str)
"""Markup that passed the one sanitiser. Only the ``markup`` package makes it."""


class Format(StrEnum):
    RSS = "rss"
    ATOM = "atom"
    RDF = "rdf"
    JSON = "json"


@dataclass(frozen=True, slots=True, order=True)
class Chapter:
    """A part of an episode, and where it starts in seconds."""

    start_s: float
    title: str


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that an article carries: sound, film, a document."""

    url: str
    mime: str | None = None
    length: int | None = None
    chapters: tuple[Chapter, ...] = ()
    chapters_url: str | None = None
    """Where the publisher keeps them, if not in the feed."""
    duration_s: int | None = None


class ParsedEntry(NamedTuple):
    """One entry as the publisher wrote it, with resolved addresses and original markup.

    A tuple, because thousands are created per second, and a frozen dataclass takes three
    times as long.
    """

    guid: str
    """``id``, else ``link``, else ``title``, exactly as published."""
    url: str | None
    title: str
    author: str | None = None
    content_html: str = ""
    summary_html: str = ""
    """A shorter text beside the content; empty when there is only one."""
    published_at: datetime | None = None
    updated_at: datetime | None = None
    enclosures: tuple[Enclosure, ...] = ()
    thumbnail_url: str | None = None
    categories: tuple[str, ...] = ()
    language: str | None = None
    comments_url: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    ttl_s: int | None = None
    """The longest of RSS ``ttl`` and ``sy:updatePeriod/Frequency``, in seconds."""
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()
    """Weekdays, Monday is 0."""


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A whole document, whatever its format."""

    format: Format
    title: str
    entries: tuple[ParsedEntry, ...]
    """At most as many as were asked for, newest first by the dates they carry."""
    listed_guids: tuple[str, ...]
    """GUIDs of every entry of the document, also of those cut off above."""
    description: str = ""
    site_url: str | None = None
    self_url: str | None = None
    hub_url: str | None = None
    icon_url: str | None = None
    language: str | None = None
    asked: Asked = Asked()
    skipped: int = 0
    """Entries without id, link and title."""
    truncated: bool = False
    """The document had more entries than are kept."""
    fast: bool = True
    """Read by the fast path (False: by the fallback)."""


MAX_ENTRIES = 50
