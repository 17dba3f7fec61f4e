"""Bookmarks: new ones, lists of them, and what was found out about their pages."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from feedloom.model.reader import Bookmark

INBOX = "inbox"
ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class NewBookmark:
    url: str
    title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    state: str = INBOX


@dataclass(frozen=True, slots=True)
class Kept:
    bookmark: Bookmark
    is_new: bool


class BookmarkSort(StrEnum):
    """The time by which bookmarks are sorted."""

    ADDED = "added"
    CHANGED = "changed"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class WantedBookmarks:
    """Which bookmarks are asked for, newest first. All conditions hold together."""

    state: str | None = None
    pinned: bool | None = None
    text: str | None = None
    """Words of title, address, note, summary, tags or the page: ``word "a phrase" -no``.

    The last word of each term may be the beginning of a longer one.
    """
    tags: tuple[str, ...] = ()
    changed_since: datetime | None = None
    sort: BookmarkSort = BookmarkSort.ADDED
    """A cursor needs this one, descending; other orders are counted with ``skip``."""
    ascending: bool = False
    skip: int = 0
    cursor: str | None = None
    limit: int = 50
    with_content: bool = False


@dataclass(frozen=True, slots=True)
class BookmarkPage:
    bookmarks: tuple[Bookmark, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Enriched:
    title: str
    description: str
    content: str
    """Markdown."""
    summary: str
    tags: tuple[str, ...]
    problem: str | None = None
    """What could not be done, when only a part could: its owner may try again."""
