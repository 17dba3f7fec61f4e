"""The literal content of a document, in one form for every format.

The readers of the formats fill it; ``assembly`` turns it into the model. Mutable on
purpose, because readers come across its parts in any order.
"""

from dataclasses import dataclass, field

from feedloom.model.feed import Format

MAX_LISTED = 20_000
"""How many entries of one document are looked at."""


class Unsure(Exception):
    """The fast path would have to guess; the fallback should read this document."""


@dataclass(slots=True)
class RawEntry:
    """One entry; empty where the document says nothing.

    Tuples, not lists, because most of them stay empty in the thousands of entries of an
    archive, and an empty tuple costs nothing.
    """

    base: str
    id: str = ""
    link: str = ""
    permalink: str = ""
    """A second choice for the link."""
    title: str = ""
    title_is_text: bool = False
    other_title: str = ""
    """From an extension; used when there is no title of its own."""
    content: str = ""
    content_base: str = ""
    summary: str = ""
    captions: tuple[str, ...] = ()
    """Descriptions of attached media; used when there is nothing else to read."""
    creators: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: str = ""
    updated: str = ""
    other_date: str = ""
    enclosures: tuple[tuple[str, str, str], ...] = ()
    """Address, type and length, as written."""
    chapters: tuple[tuple[str, str], ...] = ()
    """Start and title, as written."""
    chapters_url: str = ""
    duration: str = ""
    """Of its first sound or film, as written."""
    thumbnails: tuple[str, ...] = ()
    """Best first."""
    images: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = ""
    comments: str = ""


@dataclass(slots=True)
class RawFeed:
    format: Format
    base: str
    title: str = ""
    title_is_text: bool = False
    link: str = ""
    description: str = ""
    self_link: str = ""
    hub: str = ""
    icon: str = ""
    language: str = ""
    authors: tuple[str, ...] = ()
    """Authors of every entry that names none."""
    ttl_minutes: str = ""
    update_period: str = ""
    update_frequency: str = ""
    skip_hours: list[str] = field(default_factory=list)
    skip_days: list[str] = field(default_factory=list)
    entries: list[RawEntry] = field(default_factory=list)
    truncated: bool = False
    damaged: bool = False
    """Its text may need the repairs of ``text``."""
