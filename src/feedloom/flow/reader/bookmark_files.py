"""Bookmarks as files: exported in three formats, imported from browsers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from feedloom.model.bookmarks import WantedBookmarks
from feedloom.model.distilled.documents import Imported, ImportedPage
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Bookmark
from feedloom.model.urls import hide_credentials
from feedloom.publish import (
    MAX_IMPORTED,
    bookmarks_json,
    bookmarks_markdown,
    netscape_bookmarks,
    read_netscape,
)

if TYPE_CHECKING:
    from feedloom.store import BookmarkStore

LARGEST_FILE = 30_000_000
MOST_KEPT = 200_000
"""Bookmarks of one person that imports may lead to."""
_PAGE = 500
FileForm = Literal["json", "html", "md"]


@dataclass(frozen=True, slots=True)
class ExportedFile:
    content: bytes
    media_type: str
    name: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    added: int
    known: int
    skipped: int
    """Lines without an address of the web."""


@dataclass(frozen=True, slots=True)
class BookmarkFiles:
    store: BookmarkStore

    async def export(self, user_id: int, form: FileForm) -> ExportedFile:
        pages = await self._pages(user_id, with_content=form == "json")
        return await asyncio.to_thread(_written, pages, form)

    async def bring(self, user_id: int, document: bytes) -> ImportReport:
        """Keep what a browser's bookmark file holds; raise ``InvalidInput`` for none."""
        if len(document) > LARGEST_FILE:
            raise InvalidInput("The file is larger than 30 MB.", field="file")
        # Reading takes seconds for a large file, and nobody else shall wait for it.
        found = await asyncio.to_thread(_read, document)
        if found.truncated:
            raise InvalidInput(
                "This file has too many bookmarks. Split it into files of at"
                f" most {MAX_IMPORTED:,}.",
                field="file",
            )
        if not found.pages:
            raise InvalidInput(
                "This file has no bookmarks. Choose the HTML file exported by a browser.",
                field="file",
            )
        kept = await self.store.count(user_id, WantedBookmarks())
        if kept + len(found.pages) > MOST_KEPT:
            raise InvalidInput(f"You can keep up to {MOST_KEPT:,} bookmarks.", field="file")
        added = await self.store.add_many(user_id, found.pages)
        return ImportReport(added, len(found.pages) - added, found.skipped)

    async def _pages(self, user_id: int, *, with_content: bool) -> list[Bookmark]:
        found: list[Bookmark] = []
        cursor: str | None = None
        while True:
            wanted = WantedBookmarks(cursor=cursor, limit=_PAGE, with_content=with_content)
            page = await self.store.bookmarks(user_id, wanted)
            found += (replace(b, url=hide_credentials(b.url)) for b in page.bookmarks)
            cursor = page.next_cursor
            if cursor is None:
                return found


def _written(pages: list[Bookmark], form: FileForm) -> ExportedFile:
    match form:
        case "json":
            return ExportedFile(bookmarks_json(pages), "application/json", "bookmarks.json")
        case "html":
            return ExportedFile(
                netscape_bookmarks(pages), "text/html; charset=utf-8", "bookmarks.html"
            )
        case "md":
            return ExportedFile(
                bookmarks_markdown(pages).encode("utf-8", "replace"),
                "text/markdown; charset=utf-8",
                "bookmarks.md",
            )


def _read(document: bytes) -> Imported:
    found = read_netscape(document)
    return replace(found, pages=tuple(map(_clean, found.pages)))


def _clean(page: ImportedPage) -> ImportedPage:
    # Databases take no NUL, and no browser ever wrote one on purpose.
    return replace(
        page,
        url=page.url.replace("\x00", ""),
        title=page.title.replace("\x00", ""),
        description=page.description.replace("\x00", ""),
        tags=tuple(tag.replace("\x00", "") for tag in page.tags),
    )
