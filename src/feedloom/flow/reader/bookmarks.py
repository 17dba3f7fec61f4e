"""Reading bookmarked pages in the background: text, summary and tags.

    page -> article -> summary and tags -> kept

What fails is told on the bookmark, and what could be found out is kept all the same: a
page whose text cannot be had still has its title and description, and without a
language model the description stands in for the summary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.markup import to_text
from feedloom.model.bookmarks import Enriched
from feedloom.model.distilled.requests import (
    Extracted,
    Extractor,
    PageSummary,
    PageToSummarise,
    Summariser,
)
from feedloom.model.errors import BadAddress, BlockedAddress, DistillError, FetchError, NoArticle
from feedloom.model.reader import Bookmark
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import BookmarkStore

SUMMED_UP = 10_000
"""How many characters of a page its summary is made of."""
_HEADING = re.compile(r"<h([1-6])\b[^>]*>.*?</h\1>", re.DOTALL)
_TRIES = 3
_MOST_TAGS = 100


@dataclass(frozen=True, slots=True)
class Enriching:
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
            found = _only_described(bookmark, error)
            await self.store.finish_enriching(bookmark_id, found)
            return _not_done(str(error))
        except (FetchError, BadAddress, DistillError) as error:
            await self.store.fail_enriching(bookmark_id, str(error))
            if isinstance(error, BlockedAddress | BadAddress):
                return _not_done(str(error))
            if task.attempts >= _TRIES:
                return _not_done(str(error))
            raise
        found = await self._sum_up(bookmark, page, task.user_id or 0)
        await self.store.finish_enriching(bookmark_id, found)
        return {"enriched": True, "why": found.problem}

    async def _sum_up(self, bookmark: Bookmark, page: Extracted, user_id: int) -> Enriched:
        known = await self.store.tags(user_id)
        often = sorted(known, key=lambda pair: -pair[1])[:_MOST_TAGS]
        asked = PageToSummarise(
            title=page.title or bookmark.title,
            text=_told(page),
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


def _told(page: Extracted) -> str:
    """Return the text without its headings: they are no sentences."""
    return to_text(_HEADING.sub(" ", page.html), limit=SUMMED_UP) or page.text


def _only_described(bookmark: Bookmark, error: NoArticle) -> Enriched:
    return Enriched(
        title=error.title,
        description=error.description,
        content="",
        summary=error.description or bookmark.description,
        tags=(),
        problem=str(error),
    )


def _not_done(why: str) -> Mapping[str, object]:
    return {"enriched": False, "why": why}
