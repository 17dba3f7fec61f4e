"""Periodic tasks of a worker: heartbeats, statistics, hourly clean-up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from feedloom.flow.metrics import log_lines_lost
from feedloom.flow.refresh.passes import PassStats
from feedloom.model.errors import StoreError
from feedloom.model.ports import Clock

if TYPE_CHECKING:
    from feedloom.store import CleanupStore, OperationsStore

log = structlog.get_logger()

_BEAT_S = 15.0
_CLEAN_EVERY = timedelta(hours=1)


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
            try:
                async with asyncio.timeout(_BEAT_S):
                    await stop.wait()
            except TimeoutError:
                continue

    async def look_around(self) -> None:
        now = self.clock.now()
        told = self.stats.summary() | {"log_lines_lost": log_lines_lost()}
        await self.operations.beat(self.worker, told)
        for errand in self.errands:
            await errand()
        if _is_due(self._reported_at, self.report_every, now):
            self._report()
            self._reported_at = now
        if _is_due(self._cleaned_at, _CLEAN_EVERY, now):
            self._cleaned_at = now
            await self.clean()

    async def clean(self) -> None:
        """Clean up once."""
        hidden = await self.cleanup.expire_day_subscriptions()
        read = await self.cleanup.read_old_articles()
        dropped = await self.cleanup.drop_orphans()
        await self.cleanup.forget_old_work()
        for chore in self.chores:
            await chore()
        log.info("cleaned_up", hidden=hidden, read=read, dropped=dropped)

    def _report(self) -> None:
        counts = self.stats.summary()
        news = {name: count - self._reported.get(name, 0) for name, count in counts.items()}
        if any(news.values()):
            log.info("pass", **news)
        self._reported = counts


def _is_due(last: datetime | None, every: timedelta, now: datetime) -> bool:
    """Tell whether it is time; a clock that was set back tells nothing."""
    return last is None or abs(now - last) >= every
