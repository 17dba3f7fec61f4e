"""Limits on what a process asks of hosts, and on the memory that answers take."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from feedloom.model.errors import BadAddress, BlockedAddress, TimedOut
from feedloom.model.ports import Fetcher, HostRateLimit
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from feedloom.model.urls import host_key

_LONGEST_WAIT_S = 60.0
_LONGEST_BURST_WAIT_S = 10.0
_BURST_AT_ONCE = 2
BURST_APART_S = 0.2
_OURS = {Purpose.MODEL, Purpose.EXTRACTOR, Purpose.OIDC, Purpose.ALERT}
"""Services an operator chose: not publishers, not spared."""


class HostBusy(TimedOut):
    """Our turn did not come: it says nothing about the server, so try again later."""

    default = "We're already sending this server other requests."


@dataclass(slots=True)
class _Burst:
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_BURST_AT_ONCE))
    free_at: float = 0.0
    asking: int = 0


@dataclass(frozen=True, slots=True)
class RateLimitedFetcher:
    """A ``Fetcher`` in front of another one, for pages, icons, hubs and candidates.

    Feeds are held back by the queue that hands them out; everything else passes here. The
    discovery of one site, and the icon of a feed just added, may burst, two requests at
    once and a fifth of a second apart (less where an operator asks for less), and pays for
    it afterwards.
    """

    fetcher: Fetcher
    limit: HostRateLimit
    longest_wait_s: float = _LONGEST_WAIT_S
    burst_apart_s: float = BURST_APART_S
    _bursts: dict[str, _Burst] = field(default_factory=dict)

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        """Send a request when its host may be asked; ``HostBusy`` after a while."""
        if ask.sink in _OURS:
            return await self.fetcher.fetch(ask)
        try:
            host = host_key(ask.url)
        except BadAddress as error:
            raise BlockedAddress from error
        if ask.ahead or ask.sink is Purpose.DISCOVERY:
            async with self._burst(host):
                return await self.fetcher.fetch(ask)
        token = secrets.token_hex(8)
        await self._wait_turn(host, token)
        try:
            return await self.fetcher.fetch(ask)
        finally:
            await self.limit.leave(host, token)

    async def close(self) -> None:
        await self.fetcher.close()

    @asynccontextmanager
    async def _burst(self, host: str) -> AsyncIterator[None]:
        burst = self._bursts.setdefault(host, _Burst())
        burst.asking += 1
        try:
            async with burst.slots:
                await self._wait_turn(host, "", burst=True)
                loop = asyncio.get_running_loop()
                wait_s = burst.free_at - loop.time()
                burst.free_at = max(burst.free_at, loop.time()) + self.burst_apart_s
                await asyncio.sleep(wait_s)
                yield
        finally:
            burst.asking -= 1
            if not burst.asking:
                self._bursts.pop(host, None)

    async def _wait_turn(self, host: str, token: str, *, burst: bool = False) -> None:
        longest_s = _LONGEST_BURST_WAIT_S if burst else self.longest_wait_s
        try:
            async with asyncio.timeout(longest_s):
                wait_s = await self.limit.enter(host, token, burst=burst)
                while wait_s:
                    await asyncio.sleep(wait_s)
                    wait_s = await self.limit.enter(host, token, burst=burst)
        except TimeoutError as error:
            raise HostBusy from error


class MemoryBudget:
    """One memory budget for all responses in progress.

    The fetcher asks before it keeps more of a body than a beginning. When nothing is left,
    responses wait in the order they asked, and one of them may go on beyond the budget:
    each alone stays within its own limit, so the work always goes on.
    """

    def __init__(self, size: int) -> None:
        self.left = size
        self._waiting: deque[tuple[ResponseRoom, int, asyncio.Future[None]]] = deque()
        self._beyond: ResponseRoom | None = None
        """Who may go on although nothing is left."""

    def room(self) -> ResponseRoom:
        return ResponseRoom(self)

    def take(self, room: ResponseRoom, size: int) -> asyncio.Future[None] | None:
        if self._may_take(room, size) and (not self._waiting or room is self._beyond):
            self._give(room, size)
            return None
        granted = asyncio.get_running_loop().create_future()
        self._waiting.append((room, size, granted))
        return granted

    def free(self, room: ResponseRoom) -> None:
        self.left += room.held
        room.held = 0
        if self._beyond is room:
            self._beyond = None
        while self._waiting:
            waiting, size, granted = self._waiting[0]
            if not granted.done():
                if not self._may_take(waiting, size):
                    return
                self._give(waiting, size)
                granted.set_result(None)
            self._waiting.popleft()

    def _may_take(self, room: ResponseRoom, size: int) -> bool:
        return size <= self.left or self._beyond in {None, room}

    def _give(self, room: ResponseRoom, size: int) -> None:
        if size > self.left:
            self._beyond = room
        self.left -= size
        room.held += size


class ResponseRoom:
    """The part of the budget that one response holds; a ``Room``."""

    def __init__(self, budget: MemoryBudget) -> None:
        self._budget = budget
        self.held = 0

    def take(self, size: int) -> asyncio.Future[None] | None:
        return self._budget.take(self, size)

    def free(self) -> None:
        self._budget.free(self)
