"""A worker whose network is gone: it stops asking and takes back what it charged."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from feedloom.flow.distill.deframing import Deframer
from feedloom.flow.refresh.pipeline import Refresher
from feedloom.flow.worker.worker import Worker
from feedloom.model.errors import OutOfFiles, TimedOut, Unreachable
from feedloom.model.stages import (
    FeedToRefresh,
    FetchRequest,
    FetchResponse,
    Known,
    Outcome,
    Refreshed,
    Stored,
)
from feedloom.model.work import QueueDepth, Waits
from feedloom.store import FeedQueue, RefreshStore, TaskQueue
from tests.fakes import FixedClock


class CutOff:
    """A ``Fetcher`` without a network."""

    def __init__(self) -> None:
        self.asked = 0

    async def fetch(self, _ask: FetchRequest) -> FetchResponse:
        self.asked += 1
        raise Unreachable

    async def close(self) -> None:
        """Nothing is open."""


class Hanging(CutOff):
    """A ``Fetcher`` that is answered once, while all the others hang."""

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asked += 1
        await asyncio.sleep(0.05 if "h0." in ask.url else 0.2)
        if "h0." in ask.url:
            return FetchResponse(ask.url, 304, {}, b"")
        raise TimedOut


class Waiting(FeedQueue):
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


class Kept(RefreshStore):
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
        connections=slots,
    )


async def test_a_worker_without_a_network_stops_and_forgives():
    fetcher, queue, kept = CutOff(), Waiting(100), Kept()
    forgiven: list[int] = []

    async def forgive(feed_ids: list[int]) -> None:
        forgiven.extend(feed_ids)

    worker = worker_of(queue, fetcher, kept, slots=4)
    worker.forgive = forgive

    await worker.feed_loop().drain()

    charged = {one.feed.feed_id for one in kept.refreshed if one.verdict and one.verdict.charge}
    assert sorted(forgiven) == sorted(charged)
    assert len(charged) == 19
    # Those under way when it was noticed, and one to try.
    assert fetcher.asked <= 25
    assert len(queue.left) >= 75


async def test_who_goes_once_over_all_feeds_tries_each_without_a_network():
    fetcher, queue, kept = CutOff(), Waiting(100), Kept()
    forgiven: list[int] = []

    async def forgive(feed_ids: list[int]) -> None:
        forgiven.extend(feed_ids)

    worker = worker_of(queue, fetcher, kept, slots=4)
    worker.forgive = forgive

    await worker.feed_loop(once=True).drain()

    assert (fetcher.asked, queue.left) == (100, [])
    assert len(forgiven) == 19


async def test_hosts_that_hang_beside_one_that_answers_are_charged():
    kept = Kept()
    worker = worker_of(Waiting(40), Hanging(), kept, slots=40)

    await worker.feed_loop().drain()

    outcomes = Counter(one.outcome for one in kept.refreshed)
    assert outcomes == {Outcome.NOT_MODIFIED: 1, Outcome.TEMPORARY: 39}


class WithoutFiles(CutOff):
    """A ``Fetcher`` of a process that may open nothing at first."""

    async def fetch(self, _ask: FetchRequest) -> FetchResponse:
        self.asked += 1
        raise OutOfFiles if self.asked <= 3 else Unreachable


@pytest.mark.threat("W13")
async def test_a_process_without_open_files_says_so_and_blames_no_feed():
    queue, kept, fetcher = Waiting(10), Kept(), WithoutFiles()
    worker = worker_of(queue, fetcher, kept, slots=3)

    with capture_logs() as logs:
        await worker.feed_loop().drain()

    assert fetcher.asked >= 3
    critical = [line["event"] for line in logs if line["log_level"] == "critical"]
    assert critical == ["out_of_files"] * 3
    # Those that were refused are back in the queue, and nothing is stored about them.
    stored = {one.feed.feed_id for one in kept.refreshed}
    waiting = {feed.feed_id for feed in queue.left}
    assert stored | waiting == {feed.feed_id for feed in Waiting(10).left}
    assert not stored & waiting
