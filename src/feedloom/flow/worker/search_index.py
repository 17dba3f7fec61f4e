"""Search indexing, within seconds of an article's arrival."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from feedloom.markup import to_text
from feedloom.model.errors import BadAddress, StoreError
from feedloom.model.search_query import fold, words_of
from feedloom.model.stages import IndexArticle, IndexFeed
from feedloom.model.urls import read_address

if TYPE_CHECKING:
    from feedloom.store import IndexStore

log = structlog.get_logger()

_BATCH = 200
_TEXT_CHARS = 100_000
"""Of an article; what stands further down is not found by its words."""
_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Indexer:
    store: IndexStore

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                await self.catch_up()
            except StoreError as error:
                log.warning("indexing_failed", why=str(error))
            try:
                async with asyncio.timeout(_PAUSE_S):
                    await stop.wait()
            except TimeoutError:
                continue

    async def catch_up(self) -> int:
        """Index everything that waits; answer how much it was."""
        total = 0
        while count := await self._some_articles() + await self._some_feeds():
            total += count
        return total

    async def _some_articles(self) -> int:
        waiting = await self.store.pending_articles(_BATCH)
        rows = await asyncio.to_thread(lambda: list(map(_article_row, waiting)))
        if rows:
            await self.store.save_articles(rows)
        return len(rows)

    async def _some_feeds(self) -> int:
        rows = list(map(_feed_row, await self.store.pending_feeds(_BATCH)))
        if rows:
            await self.store.save_feeds(rows)
        return len(rows)


def _article_row(article: IndexArticle) -> tuple[int, str, str, str]:
    try:
        body = to_text(article.content, limit=_TEXT_CHARS)
    except ValueError:
        # A row that is never written would be read again for ever, and keep back others.
        log.exception("text_not_indexed", article=article.id)
        body = ""
    return article.id, _words(article.title), _words(article.author), _words(body)


def _feed_row(feed: IndexFeed) -> tuple[int, str]:
    text = " ".join((feed.text, _domain(feed.url), *feed.recent_titles))
    return feed.id, _words(text)


def _words(text: str) -> str:
    return " ".join(words_of(text))


def _domain(url: str) -> str:
    try:
        return fold(read_address(url).host)
    except BadAddress:
        return ""
