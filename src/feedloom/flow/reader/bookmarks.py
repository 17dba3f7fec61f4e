"""Bookmarked pages: read in the background, exported and imported as files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from feedloom.markup import to_text
from feedloom.model.bookmarks import Enriched, WantedBookmarks
from feedloom.model.distilled.documents import ImportedPage
from feedloom.model.distilled.requests import (
    Extracted,
    Extractor,
    PageSummary,
    PageToSummarise,
    Summariser,
)
from feedloom.model.errors import (
    BadAddress,
    BlockedAddress,
    DistillError,
    FetchError,
    InvalidInput,
    NoArticle,
)
from feedloom.model.reader import Bookmark
from feedloom.model.urls import hide_credentials
from feedloom.model.work import Task
from feedloom.publish import (
    MAX_IMPORTED,
    bookmarks_json,
    bookmarks_markdown,
    netscape_bookmarks,
    read_netscape,
)

if TYPE_CHECKING:
    from feedloom.store import BookmarkStore

SUMMED_UP = 10_000
"""How many characters of a page its summary is made of."""
_HEADING = re.compile(r"<h([1-6])\b[^>]*>.*?</h\1>", re.DOTALL)
_TRIES = 3
_MOST_TAGS = 100
LARGEST_FILE = 30_000_000
MOST_KEPT = 200_000
"""Bookmarks of one person that imports may lead to."""
_PAGE = 500
FileForm = Literal["json", "html", "md"]


@dataclass(frozen=True, slots=True)
class Enriching:
    """Finds out text, summary and tags of a page.

    What fails is told on the bookmark, and what could be found out is kept all the same: a
    page whose text cannot be had still has its title and description, and without a
    language model the description stands in for the summary.
    """

    store: BookmarkStore
    extractor: Extractor
    summariser: Summariser

    async def run(self, task: Task) -> Mapping[str, object]:
        bookmark_id = int(str(task.payload["bookmark_id"]))
        bookmark = await self.store.start_enriching(bookmark_id)
        if bookmark is None:
            return _not_done("The bookmark was deleted.")
        try:
            page = await self.extractor.extract(bookmark.url)
        except NoArticle as error:
            summary = error.description or bookmark.description
            found = Enriched(error.title, error.description, "", summary, (), str(error))
            await self.store.finish_enriching(bookmark_id, found)
            return _not_done(str(error))
        except (FetchError, BadAddress, DistillError) as error:
            await self.store.fail_enriching(bookmark_id, str(error))
            if isinstance(error, BlockedAddress | BadAddress) or task.attempts >= _TRIES:
                return _not_done(str(error))
            raise
        found = await self._sum_up(bookmark, page, task.user_id or 0)
        await self.store.finish_enriching(bookmark_id, found)
        return {"enriched": True, "why": found.problem}

    async def _sum_up(self, bookmark: Bookmark, page: Extracted, user_id: int) -> Enriched:
        known = await self.store.tags(user_id)
        often = sorted(known, key=lambda pair: -pair[1])[:_MOST_TAGS]
        # Headings are no sentences.
        text = to_text(_HEADING.sub(" ", page.html), limit=SUMMED_UP) or page.text
        asked = PageToSummarise(
            title=page.title or bookmark.title,
            text=text,
            description=page.description or bookmark.description,
            language=page.language,
            tags=tuple(name for name, _ in often),
        )
        problem: str | None = None
        try:
            told = await self.summariser.summarise(asked, user_id=user_id)
        except DistillError as error:
            told = PageSummary(asked.description, (), "")
            problem = str(error)
        return Enriched(
            title=page.title,
            description=page.description,
            content=page.markdown,
            summary=told.summary or asked.description,
            tags=told.tags,
            problem=problem,
        )


def _not_done(why: str) -> Mapping[str, object]:
    return {"enriched": False, "why": why}


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
        pages: list[Bookmark] = []
        wanted = WantedBookmarks(limit=_PAGE, with_content=form == "json")
        while True:
            page = await self.store.bookmarks(user_id, wanted)
            pages += (replace(b, url=hide_credentials(b.url)) for b in page.bookmarks)
            if page.next_cursor is None:
                return await asyncio.to_thread(_written, pages, form)
            wanted = replace(wanted, cursor=page.next_cursor)

    async def bring(self, user_id: int, document: bytes) -> ImportReport:
        """Keep what a browser's bookmark file holds; raise ``InvalidInput`` for none."""
        if len(document) > LARGEST_FILE:
            raise InvalidInput("The file is larger than 30 MB.", field="file")
        # Reading takes seconds for a large file, and nobody else shall wait for it.
        found = await asyncio.to_thread(read_netscape, document)
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
        pages = await asyncio.to_thread(lambda: tuple(map(_without_nul, found.pages)))
        added = await self.store.add_many(user_id, pages)
        return ImportReport(added, len(pages) - added, found.skipped)


def _written(pages: list[Bookmark], form: FileForm) -> ExportedFile:
    match form:
        case "json":
            return ExportedFile(bookmarks_json(pages), "application/json", "bookmarks.json")
        case "html":
            html = netscape_bookmarks(pages)
            return ExportedFile(html, "text/html; charset=utf-8", "bookmarks.html")
        case "md":
            text = bookmarks_markdown(pages).encode("utf-8", "replace")
            return ExportedFile(text, "text/markdown; charset=utf-8", "bookmarks.md")


def _without_nul(page: ImportedPage) -> ImportedPage:
    # Databases take none, and no browser ever wrote one on purpose.
    return replace(
        page,
        url=page.url.replace("\x00", ""),
        title=page.title.replace("\x00", ""),
        description=page.description.replace("\x00", ""),
        tags=tuple(tag.replace("\x00", "") for tag in page.tags),
    )
