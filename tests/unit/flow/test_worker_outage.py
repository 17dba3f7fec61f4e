"""A worker whose network is gone: it stops asking and takes back what it charged."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from feedloom.flow.distilling.deframing import Deframer
from feedloom.flow.refreshing.refresh import Refresher
from feedloom.flow.working.slots import Slots
from feedloom.flow.working.worker import Worker
from feedloom.model.errors import TimedOut, Unreachable
from feedloom.model.ports import TaskQueue
from feedloom.model.stages import (
    Ask,
    FeedToRefresh,
    Fetched,
    Known,
    Outcome,
    Refreshed,
    Stored,
)
from feedloom.model.work import QueueDepth, Waits
from tests.fakes import FixedClock


class CutOff:
    """A ``Fetcher`` without a network."""

    def __init__(self) -> None:
        self.asked = 0

    async def fetch(self, _ask: Ask) -> Fetched:
        self.asked += 1
        raise Unreachable

    async def close(self) -> None:
        """Nothing is open."""


class Hanging(CutOff):
    """A ``Fetcher`` that is answered once, while all the others hang."""

    async def fetch(self, ask: Ask) -> Fetched:
        self.asked += 1
        await asyncio.sleep(0.05 if "h0." in ask.url else 0.2)
        if "h0." in ask.url:
            return Fetched(ask.url, 304, {}, b"")
        raise TimedOut


class Waiting:
    """A ``FeedQueue`` of feeds on as many hosts."""

    def __init__(self, count: int) -> None:
        self.left = [
            FeedToRefresh(n, f"https://h{n}.example/", f"h{n}.example", f"token{n}")
            for n in range(count)
        ]

    async def claim(self, limit: int) -> list[FeedToRefresh]:
        taken, self.left = self.left[:limit], self.left[limit:]
        return taken

    def waits(self) -> Waits:
        return Waits()

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        return set(tokens)

    async def release(self, feeds: Sequence[FeedToRefresh]) -> None:
        self.left += feeds

    async def depth(self) -> QueueDepth:
        return QueueDepth(len(self.left), 0, 0, 0.0)


class Kept:
    """A ``RefreshStore`` in memory."""

    def __init__(self) -> None:
        self.refreshed: list[Refreshed] = []

    async def known(self, _feed_id: int) -> Known:
        return Known({}, frozenset())

    async def store(self, refreshed: Refreshed, **_: bool) -> Stored:
        self.refreshed.append(refreshed)
        return Stored(refreshed.feed.feed_id)


async def never(*_: object) -> Any:
    raise AssertionError


def worker_of(queue: Waiting, fetcher: CutOff, kept: Kept, *, slots: int) -> Worker:
    return Worker(
        feeds=queue,
        tasks=cast("TaskQueue", None),
        refresher=Refresher(fetcher, kept, never, FixedClock()),
        deframer=cast("Deframer", None),
        handlers={},
        clock=FixedClock(),
        feed_slots=Slots(slots, slots),
    )


async def test_a_worker_without_a_network_stops_and_forgives():
    fetcher, queue, kept = CutOff(), Waiting(100), Kept()
    forgiven: list[int] = []

    async def forgive(feed_ids: list[int]) -> None:
        forgiven.extend(feed_ids)

    worker = worker_of(queue, fetcher, kept, slots=4)
    worker.forgive = forgive

    await worker.feed_loop().drain()

    charged = {
        one.feed.feed_id for one in kept.refreshed if one.verdict and one.verdict.charge
    }
    assert sorted(forgiven) == sorted(charged)
    assert len(charged) == 19
    # Those under way when it was noticed, and one to try.
    assert fetcher.asked <= 25
    assert len(queue.left) >= 75


async def test_hosts_that_hang_beside_one_that_answers_are_charged():
    kept = Kept()
    worker = worker_of(Waiting(40), Hanging(), kept, slots=40)

    await worker.feed_loop().drain()

    outcomes = Counter(one.outcome for one in kept.refreshed)
    assert outcomes == {Outcome.NOT_MODIFIED: 1, Outcome.TEMPORARY: 39}
