"""The worker: refreshes feeds and runs tasks, each kind of work in a loop of its own.

Expected failures are results. A feed is stored before anything else is done about it; a
task that fails is tried again later, ever more seldom.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import structlog

from feedloom.flow.distill.deframing import Deframer
from feedloom.flow.metrics import TASKS_DONE, PassStats
from feedloom.flow.refresh.outage import NetworkWatch
from feedloom.flow.refresh.pipeline import Refresher
from feedloom.flow.worker.loop import Afterwork, Loop
from feedloom.flow.worker.rate_limit import MemoryBudget
from feedloom.model.errors import FeedloomError, LeaseLost, StoreUnavailable
from feedloom.model.ports import Clock
from feedloom.model.stages import FeedToRefresh, Refreshed, Stored
from feedloom.model.work import MAX_ATTEMPTS, Task

if TYPE_CHECKING:
    from feedloom.store import FeedQueue, TaskQueue

log = structlog.get_logger()

_DEFRAMING_BROKE = "Deframing failed because of an internal error. See the log."
_MEMORY = 4_000_000
"""Bytes of responses under way, beside the beginning of each."""
_LANE_OF_CONNECTIONS = 8
"""One connection of so many is for feeds that failed last time."""
_TASK_RETRY_S = (30, 120, 600, 3_600)

Handler = Callable[[Task], Awaitable[Mapping[str, object]]]
AfterRefresh = Callable[[Refreshed, Stored], Awaitable[None]]


@dataclass(slots=True)
class Worker:
    feeds: FeedQueue
    tasks: TaskQueue
    refresher: Refresher
    deframer: Deframer
    handlers: Mapping[str, Handler]
    clock: Clock
    connections: int = 256
    """Feeds asked for at once."""
    documents: int = 24
    """Responses parsed and stored at once."""
    memory: MemoryBudget = field(default_factory=lambda: MemoryBudget(_MEMORY))
    task_slots: int = 4
    lease_s: float = 600.0
    after_refresh: Sequence[AfterRefresh] = ()
    stats: PassStats = field(default_factory=PassStats)
    watch: NetworkWatch = field(default_factory=NetworkWatch)
    forgive: Callable[[list[int]], Awaitable[None]] | None = None
    """Takes back what feeds were charged with before our own outage was noticed."""
    on_progress: Callable[[PassStats], None] | None = None
    storing: int = 0
    """Feeds that are fetched and judged, and wait to be stored."""
    _at_work: asyncio.Semaphore = field(init=False)
    _failed_before: asyncio.Semaphore = field(init=False)
    """The lane for feeds that failed last time: hosts that hang keep hanging."""

    def __post_init__(self) -> None:
        self._at_work = asyncio.Semaphore(self.documents)
        self._failed_before = asyncio.Semaphore(max(1, self.connections // _LANE_OF_CONNECTIONS))

    def feed_loop(self, *, once: bool = False) -> Loop[FeedToRefresh]:
        """Make the loop that refreshes feeds.

        One that goes ``once`` over all of them tries each, also while most of the network
        is gone: what stands on this machine or nearby can still be reached.
        """
        loop: Loop[FeedToRefresh] = Loop(
            "feeds",
            self.feeds,
            lambda feed: feed.lease_token,
            lambda feed: feed.feed_id,
            lambda feed: self._refresh(feed, loop),
            self.connections,
            self.lease_s,
            allowance=None if once else lambda most: self.watch.allowance(time.monotonic(), most),
            waits=self.feeds.waits,
        )
        return loop

    def task_loop(self, *, for_people: bool | None = None) -> Loop[Task]:
        """Make the loop that runs tasks: those somebody waits for, the others, or all.

        Each has a limit of its own. A thousand icons to fetch, or sites to search that do
        not answer, keep nobody's digest waiting.
        """
        return Loop(
            "tasks",
            self.tasks,
            lambda task: task.lease_token or "",
            lambda task: task.id,
            self._run_task,
            self.task_slots,
            self.lease_s,
            claim=partial(self.tasks.claim, for_people=for_people),
        )

    async def _refresh(self, feed: FeedToRefresh, loop: Loop[FeedToRefresh]) -> Afterwork | None:
        room = self.memory.room()
        try:
            async with self._lane(feed, loop):
                began_at = time.monotonic()
                response = await self.refresher.fetch(feed, room)
                ended_at = time.monotonic()
            async with self._at_work:
                refreshed = await self.refresher.judge(feed, response)
                del response
                refreshed = self.watch.judge(refreshed, began_at=began_at, ended_at=ended_at)
                self.storing += 1
                try:
                    is_last = self.storing == loop.active
                    stored = await self.refresher.store.store(refreshed, last=is_last)
                finally:
                    self.storing -= 1
        finally:
            room.free()
        self.stats.count(refreshed, stored)
        if self.on_progress is not None:
            self.on_progress(self.stats)
        if stored.lease_lost:
            raise LeaseLost
        if not stored.lease_kept:
            loop.unleased.add(feed.lease_token)
        self.watch.note_stored(refreshed)
        charged = self.watch.take_charged()
        if charged and self.forgive is not None:
            await self.forgive(charged)
        for step in self.after_refresh:
            await step(refreshed, stored)
        return self._deframe(refreshed) if stored.lease_kept else None

    @asynccontextmanager
    async def _lane(self, feed: FeedToRefresh, loop: Loop[FeedToRefresh]) -> AsyncIterator[None]:
        """Let feeds that failed last time wait for each other instead of others."""
        if not feed.consecutive_failures:
            yield
            return
        loop.queued.add(feed.lease_token)
        loop.wake.set()
        async with self._failed_before:
            loop.queued.discard(feed.lease_token)
            yield

    async def _deframe(self, refreshed: Refreshed) -> None:
        try:
            await self.deframer.run(refreshed)
        except (LeaseLost, StoreUnavailable):
            raise
        except Exception:
            # A bug. Its feed goes on for its readers; a rerun might only cost money.
            feed_id = refreshed.feed.feed_id
            log.critical("deframing_crashed", feed=feed_id, exc_info=True)
            await self.deframer.store.settle(refreshed, None, error=_DEFRAMING_BROKE)

    async def _run_task(self, task: Task) -> None:
        handler = self.handlers.get(task.kind)
        if handler is None:
            await self._fail(task, f"This version cannot run {task.kind!r} tasks.")
            return
        try:
            result = await handler(task)
        except (LeaseLost, StoreUnavailable):
            raise
        except FeedloomError as error:
            await self._fail(task, str(error))
        else:
            await self.tasks.finish(task, result)
            TASKS_DONE.labels(task.kind, "done").inc()

    async def _fail(self, task: Task, error: str) -> None:
        TASKS_DONE.labels(task.kind, "failed").inc()
        retry_at = None
        if task.attempts < MAX_ATTEMPTS:
            wait_s = _TASK_RETRY_S[min(task.attempts, len(_TASK_RETRY_S)) - 1]
            retry_at = self.clock.now() + timedelta(seconds=wait_s)
        log.warning("task_failed", kind=task.kind, task=task.id, why=error)
        await self.tasks.fail(task, error, retry_at)
