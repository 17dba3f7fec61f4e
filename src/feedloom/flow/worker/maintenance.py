"""What a worker does beside feeds and tasks: heartbeats, clean-up, search indexing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from feedloom.flow.metrics import PassStats, log_lines_lost
from feedloom.markup import to_text
from feedloom.model.errors import BadAddress, StoreError
from feedloom.model.ports import Clock
from feedloom.model.search_query import fold, words_of
from feedloom.model.stages import IndexArticle, IndexFeed, Outcome, Refreshed, Stored
from feedloom.model.urls import read_address

if TYPE_CHECKING:
    from feedloom.store import CleanupStore, IndexStore, OperationsStore

log = structlog.get_logger()

_BEAT_S = 15.0
_CLEAN_EVERY = timedelta(hours=1)
_PRUNE_EVERY = timedelta(days=1)
_BATCH = 200
_TEXT_CHARS = 100_000
"""Of an article; what stands further down is not found by its words."""
_INDEX_PAUSE_S = 1.0


async def pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        pass


@dataclass(slots=True)
class Maintenance:
    operations: OperationsStore
    cleanup: CleanupStore
    clock: Clock
    worker: str
    stats: PassStats
    report_every: timedelta
    chores: tuple[Callable[[], Awaitable[None]], ...] = ()
    """What else is done every hour."""
    errands: tuple[Callable[[], Awaitable[None]], ...] = ()
    """What is done every time: small questions to the database."""
    _cleaned_at: datetime | None = None
    _reported: dict[str, int] = field(default_factory=dict)
    _reported_at: datetime | None = None

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                await self.look_around()
            except StoreError as error:
                log.critical("housekeeping_failed", why=str(error))
            await pause(stop, _BEAT_S)

    async def look_around(self) -> None:
        now = self.clock.now()
        counts = self.stats.summary()
        await self.operations.beat(self.worker, counts | {"log_lines_lost": log_lines_lost()})
        for errand in self.errands:
            await errand()
        if _is_due(self._reported_at, self.report_every, now):
            counts = self.stats.summary()
            news = {name: count - self._reported.get(name, 0) for name, count in counts.items()}
            if any(news.values()):
                log.info("pass", **news)
            self._reported, self._reported_at = counts, now
        if _is_due(self._cleaned_at, _CLEAN_EVERY, now):
            self._cleaned_at = now
            await self.clean()

    async def clean(self) -> None:
        hidden = await self.cleanup.expire_day_subscriptions()
        read = await self.cleanup.read_old_articles()
        dropped = await self.cleanup.drop_orphans()
        await self.cleanup.forget_old_work()
        for chore in self.chores:
            await chore()
        log.info("cleaned_up", hidden=hidden, read=read, dropped=dropped)


def _is_due(last: datetime | None, every: timedelta, now: datetime) -> bool:
    """Tell whether it is time; a clock that was set back tells nothing."""
    return last is None or abs(now - last) >= every


@dataclass(slots=True)
class Pruner:
    """Removes old articles after a refresh, outside its transaction.

    At most once a day for each feed, and only when the document changed: between two
    documents nothing leaves a feed. The hourly clean-up finds what is missed here.
    """

    cleanup: CleanupStore
    _pruned: set[int] = field(default_factory=set)
    _since: datetime | None = None

    async def after_refresh(self, refreshed: Refreshed, stored: Stored) -> None:
        feed = refreshed.feed
        if self._since is None or refreshed.at - self._since >= _PRUNE_EVERY:
            self._pruned.clear()
            self._since = refreshed.at
        if (
            refreshed.outcome is not Outcome.NEW
            or feed.last_success_at is None
            or stored.merged_into is not None
            or feed.feed_id in self._pruned
        ):
            return
        self._pruned.add(feed.feed_id)
        await self.cleanup.prune_feed(feed.feed_id)


@dataclass(frozen=True, slots=True)
class Indexer:
    """Indexes articles and feeds for search, within seconds of their arrival."""

    store: IndexStore

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                await self.catch_up()
            except StoreError as error:
                log.warning("indexing_failed", why=str(error))
            await pause(stop, _INDEX_PAUSE_S)

    async def catch_up(self) -> int:
        """Index everything that waits; answer how much it was."""
        total = 0
        while True:
            waiting = await self.store.pending_articles(_BATCH)
            articles = await asyncio.to_thread(lambda rows: list(map(_article_row, rows)), waiting)
            if articles:
                await self.store.save_articles(articles)
            feeds = list(map(_feed_row, await self.store.pending_feeds(_BATCH)))
            if feeds:
                await self.store.save_feeds(feeds)
            if not (articles or feeds):
                return total
            total += len(articles) + len(feeds)


def _article_row(article: IndexArticle) -> tuple[int, str, str, str]:
    try:
        body = to_text(article.content, limit=_TEXT_CHARS)
    except ValueError:
        # A row that is never written would be read again for ever, and keep back others.
        log.exception("text_not_indexed", article=article.id)
        body = ""
    return article.id, _words(article.title), _words(article.author), _words(body)


def _feed_row(feed: IndexFeed) -> tuple[int, str]:
    try:
        domain = fold(read_address(feed.url).host)
    except BadAddress:
        domain = ""
    return feed.id, _words(" ".join((feed.text, domain, *feed.recent_titles)))


def _words(text: str) -> str:
    return " ".join(words_of(text))
