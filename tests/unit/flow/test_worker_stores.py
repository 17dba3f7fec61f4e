"""A worker that stores: it says when no other feed is about to come."""

import asyncio
from typing import cast

from feedloom.flow.distill.deframing import Deframer
from feedloom.flow.refresh.pipeline import Refresher
from feedloom.flow.worker.worker import Worker
from feedloom.model.stages import Known, Refreshed, Stored
from feedloom.store import RefreshStore, TaskQueue
from tests.fakes import FixedClock
from tests.unit.flow.test_worker_outage import CutOff, Waiting, never


class Together(RefreshStore):
    """A ``RefreshStore`` that writes when it is told that nobody else comes."""

    def __init__(self) -> None:
        self.groups: list[int] = []
        self._waiting = 0
        self._written = asyncio.Event()

    async def known(self, _feed_id: int) -> Known:
        return Known({}, frozenset())

    async def store(self, refreshed: Refreshed, *, last: bool = False) -> Stored:
        self._waiting += 1
        written = self._written
        if last:
            self.groups.append(self._waiting)
            self._waiting, self._written = 0, asyncio.Event()
            written.set()
        await written.wait()
        return Stored(refreshed.feed.feed_id)


async def test_the_last_of_those_under_way_is_called_the_last():
    together = Together()
    worker = Worker(
        feeds=Waiting(10),
        tasks=cast("TaskQueue", None),
        refresher=Refresher(CutOff(), together, never, FixedClock()),
        deframer=cast("Deframer", None),
        handlers={},
        clock=FixedClock(),
        connections=4,
    )

    async with asyncio.timeout(10):
        await worker.feed_loop().drain()

    assert together.groups == [4, 4, 2]
