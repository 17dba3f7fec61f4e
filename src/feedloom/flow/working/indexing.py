"""Search indexing: follows storing within seconds, never in its way."""

import asyncio
from dataclasses import dataclass

import structlog

from feedloom.markup import to_text
from feedloom.model.errors import StoreError
from feedloom.model.ports import IndexStore
from feedloom.model.searching import fold, words_of
from feedloom.model.urls import read_address

log = structlog.get_logger()

_BATCH = 200
_TEXT_CHARS = 100_000
"""Of an article; what stands further down is not found by its words."""
_PAUSE_S = 3.0


@dataclass(frozen=True, slots=True)
class Indexer:
    """Turns stored rows into words that can be searched."""

    store: IndexStore

    async def run(self, stop: asyncio.Event) -> None:
        """Index what comes in until told to stop."""
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
        rows = await asyncio.to_thread(
            lambda: [
                (
                    article.id,
                    _words(article.title),
                    _words(article.author),
                    _words(to_text(article.content, limit=_TEXT_CHARS)),
                )
                for article in waiting
            ]
        )
        if rows:
            await self.store.save_articles(rows)
        return len(rows)

    async def _some_feeds(self) -> int:
        rows = [
            (
                feed.id,
                _words(" ".join((feed.text, _domain(feed.url), *feed.recent_titles))),
            )
            for feed in await self.store.pending_feeds(_BATCH)
        ]
        if rows:
            await self.store.save_feeds(rows)
        return len(rows)


def _words(text: str) -> str:
    return " ".join(words_of(text))


def _domain(url: str) -> str:
    return fold(read_address(url).host) if url else ""
