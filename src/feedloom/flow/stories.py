"""Grouping articles into stories, within seconds of their arrival.

New articles go to the engine in the order of their ids; what it tells of each is stored.
The worker that holds the lease keeps the open stories in memory. Whoever takes it over
reads them again from what was stored, so nothing is lost with a worker.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from feedloom.model.errors import StoreError
from feedloom.model.stories import StoryArticle, StoryEngine

if TYPE_CHECKING:
    from feedloom.store import StoryQueue

log = structlog.get_logger()

_BATCH = 500
_PAUSE_S = 1.0
_REST = 4
"""Whoever stores articles comes first: rest this many times as long as the work took."""


@dataclass(slots=True)
class StoryTeller:
    store: StoryQueue
    make_engine: Callable[[], StoryEngine]
    lease_s: float = 30.0
    batch: int = _BATCH
    _engine: StoryEngine | None = None
    """What it knows holds for as long as the token does."""
    _token: str = field(default_factory=lambda: secrets.token_hex(16))
    _renewed_at: float = 0.0

    async def run(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                began_at, count = time.monotonic(), 0
                try:
                    count = await self._some()
                    await self._keep_lease()
                except StoreError as error:
                    log.warning("stories_not_told", why=str(error))
                took_s = time.monotonic() - began_at
                try:
                    async with asyncio.timeout(_REST * took_s if count else _PAUSE_S):
                        await stop.wait()
                except TimeoutError:
                    continue
        finally:
            await self.let_go()

    async def catch_up(self) -> int:
        """Tell the story of everything that waits; answer how many articles it were."""
        total = 0
        while count := await self._some():
            total += count
        return total

    async def tell_once(self) -> None:
        """Tell everything that waits, and leave the lease to others."""
        try:
            await self.catch_up()
        finally:
            await self.let_go()

    async def let_go(self) -> None:
        """Leave the telling to whoever comes next."""
        if self._engine is None:
            return
        self._engine = None
        try:
            await self.store.release(self._token)
        except StoreError as error:
            log.warning("stories_not_released", why=str(error))

    async def _some(self) -> int:
        if not await self.store.any_waiting():
            return 0
        is_fresh = time.monotonic() < self._renewed_at + self.lease_s / 3
        engine = (self._engine if is_fresh else None) or await self._claim()
        if engine is None:
            return 0
        try:
            waiting = await self.store.waiting(self.batch)
            stories = await asyncio.to_thread(_tell, engine, waiting)
            is_written = await self.store.tell(self._token, stories, self.lease_s)
        except BaseException:
            # The engine may know of articles that were not written.
            self._engine = None
            raise
        if not is_written:
            self._engine = None
            return 0
        self._renewed_at = time.monotonic()
        return len(stories)

    async def _keep_lease(self) -> None:
        if self._engine is not None and time.monotonic() > self._renewed_at + self.lease_s / 3:
            await self._claim()

    async def _claim(self) -> StoryEngine | None:
        was_own = await self.store.claim(self._token, self.lease_s)
        self._renewed_at = time.monotonic()
        if not was_own:
            self._engine = None
        if was_own is None:
            return None
        if self._engine is None:
            self._engine = await self._remember()
            if not await self.store.claim(self._token, self.lease_s):
                self._engine = None
        return self._engine

    async def _remember(self) -> StoryEngine:
        engine, after = self.make_engine(), 0
        since = await self.store.open_since()
        while rows := await self.store.told(since, after, 1_000):
            await asyncio.to_thread(_remember, engine, rows)
            after = rows[-1][0].id
            if time.monotonic() > self._renewed_at + self.lease_s / 3:
                # Reading a large window may take longer than a lease.
                await self.store.claim(self._token, self.lease_s)
                self._renewed_at = time.monotonic()
        return engine


def _tell(engine: StoryEngine, waiting: Sequence[StoryArticle]) -> list[tuple[int, int]]:
    return [(article.id, engine.add(article)) for article in waiting]


def _remember(engine: StoryEngine, told: Sequence[tuple[StoryArticle, int]]) -> None:
    for article, story in told:
        engine.add(article, decided=story)
