"""What people keep: bookmarks, and what is promised about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from feedloom.model.distilled.publishing import ImportedPage
from feedloom.model.reading import Bookmark

INBOX = "inbox"
ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class NewBookmark:
    """A page somebody wants to keep."""

    url: str
    title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    state: str = INBOX


@dataclass(frozen=True, slots=True)
class Kept:
    """A bookmark, and whether it is new: one address is kept once."""

    bookmark: Bookmark
    is_new: bool


@dataclass(frozen=True, slots=True)
class WantedBookmarks:
    """Which bookmarks are asked for, newest first. All conditions hold together."""

    state: str | None = None
    tag: str | None = None
    pinned: bool | None = None
    text: str | None = None
    """Words of title, address, note, summary, tags or the page: ``word "a phrase" -no``.

    The last word of each term may be the beginning of a longer one.
    """
    cursor: str | None = None
    limit: int = 50
    with_content: bool = False


@dataclass(frozen=True, slots=True)
class BookmarkPage:
    """One page of bookmarks; ``next_cursor`` is None on the last."""

    bookmarks: tuple[Bookmark, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Enriched:
    """What reading a bookmark's page brought."""

    title: str
    description: str
    content: str
    """Markdown."""
    summary: str
    tags: tuple[str, ...]
    problem: str | None = None
    """What could not be done, when only a part could: its owner may try again."""


class BookmarkStore(Protocol):
    """A person's bookmarks. Another person's is ``NotFound``."""

    async def save_article(
        self, user_id: int, subscription_id: int, item_no: int
    ) -> Kept:
        """Keep an article of a feed in the archive and queue its enrichment."""
        ...

    async def add(self, user_id: int, new: NewBookmark) -> Kept:
        """Keep a page and queue its enrichment; ``BadAddress`` when it is none."""
        ...

    async def add_many(self, user_id: int, pages: Sequence[ImportedPage]) -> int:
        """Keep pages of another program's list as they are; answer how many are new.

        Their own pages are not read: they may be thousands.
        """
        ...

    async def bookmarks(self, user_id: int, wanted: WantedBookmarks) -> BookmarkPage:
        """List bookmarks, the texts of their pages left out unless they are wanted."""
        ...

    async def tags(self, user_id: int) -> list[tuple[str, int]]:
        """List the tags of a person's bookmarks with their numbers, by name."""
        ...

    async def bookmark(self, user_id: int, bookmark_id: int) -> Bookmark:
        """Find one, with the text of its page."""
        ...

    async def change(
        self, user_id: int, bookmark_id: int, changes: Mapping[str, object]
    ) -> Bookmark:
        """Change title, description, tags, state or pinned."""
        ...

    async def delete(self, user_id: int, bookmark_id: int) -> None:
        """Delete one; the article it came from stays."""
        ...

    async def retry(self, user_id: int, bookmark_id: int) -> Bookmark:
        """Queue the enrichment of one anew."""
        ...

    async def start_enriching(self, bookmark_id: int) -> Bookmark | None:
        """Say that a worker reads its page now; None when it is gone."""
        ...

    async def finish_enriching(self, bookmark_id: int, found: Enriched) -> None:
        """Store what was found; what its owner wrote stays."""
        ...

    async def fail_enriching(self, bookmark_id: int, error: str) -> None:
        """Say why its page could not be read."""
        ...
