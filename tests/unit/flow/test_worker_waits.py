"""What a worker waits for, and what it does not give up: slots, stored jobs, claims."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import pytest

from feedloom.flow.worker.loop import Loop
from feedloom.model.errors import StoreError
from feedloom.model.work import Waits


@dataclass(frozen=True)
class Job:
    token: str
    attempts: int = 1


@dataclass
class Queue:
    """Jobs that come due at times of their own, as those put off for their host do."""

    due: dict[str, float] = field(default_factory=dict)
    put_off_until: float = 0.0
    next_at: float = inf
    held: set[str] = field(default_factory=set)
    looks: int = 0
    faults: list[StoreError] = field(default_factory=list)

    async def claim(self, limit: int) -> list[Job]:
        self.looks += 1
        if self.faults:
            raise self.faults.pop()
        now = time.monotonic()
        taken = [token for token in self.due if self.due[token] <= now][:limit]
        for token in taken:
            del self.due[token]
        self.held |= set(taken)
        self.next_at = min(self.due.values(), default=inf)
        return [Job(token) for token in taken]

    def waits(self) -> Waits:
        now = time.monotonic()
        return Waits(max(0.0, self.next_at - now), max(0.0, self.put_off_until - now))

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        return self.held & set(tokens)

    async def release(self, jobs: Sequence[Job]) -> None:
        pass


def loop_over(queue: Queue, work, *, lease_s: float = 60) -> Loop[Job]:
    def token(job: Job) -> str:
        return job.token

    return Loop("jobs", queue, token, hash, work, limit=4, lease_s=lease_s, waits=queue.waits)


async def nothing(_job: Job) -> None:
    pass


async def test_a_pass_waits_for_jobs_that_were_put_off_and_for_no_others():
    now = time.monotonic()
    queue = Queue({"now": now, "later": now + 0.4, "tomorrow": now + 86_400})
    queue.put_off_until = now + 0.4

    async with asyncio.timeout(20):
        claimed = await loop_over(queue, nothing).drain()

    assert claimed == 2
    assert set(queue.due) == {"tomorrow"}


async def test_a_pass_sleeps_while_it_waits():
    now = time.monotonic()
    queue = Queue({"later": now + 0.5}, put_off_until=now + 0.5)

    async with asyncio.timeout(20):
        await loop_over(queue, nothing).drain()

    assert queue.looks < 8


async def test_a_pass_ends_when_what_was_put_off_is_done_by_others():
    queue = Queue(put_off_until=time.monotonic() + 0.2)

    async with asyncio.timeout(20):
        assert await loop_over(queue, nothing).drain() == 0


@pytest.mark.threat("Q3")
@pytest.mark.parametrize("is_stored", [True, False])
async def test_only_a_job_that_is_not_stored_can_lose_its_lease(is_stored):
    queue = Queue({"job": 0.0})
    ended: list[str] = []

    async def work(job: Job) -> None:
        queue.held.clear()
        if is_stored:
            loop.unleased.add(job.token)
        await asyncio.sleep(0.5)
        ended.append(job.token)

    loop = loop_over(queue, work, lease_s=0.3)
    async with asyncio.timeout(20):
        await loop.drain()

    assert ended == (["job"] if is_stored else [])


@pytest.mark.threat("Q3")
async def test_a_job_that_is_stored_while_its_heart_beats_is_not_lost():
    beaten = asyncio.Event()

    class Slow(Queue):
        async def heartbeat(self, _tokens: Sequence[str]) -> set[str]:
            beaten.set()
            return set()

    queue = Slow({"job": 0.0})
    ended: list[str] = []

    async def work(job: Job) -> None:
        await beaten.wait()
        loop.unleased.add(job.token)
        await asyncio.sleep(0.3)
        ended.append(job.token)

    loop = loop_over(queue, work, lease_s=0.3)
    async with asyncio.timeout(20):
        await loop.drain()

    assert ended == ["job"]


async def test_a_claim_that_the_database_refused_does_not_end_the_loop():
    queue = Queue({"job": 0.0}, faults=[StoreError("The plan is no more.")])
    stop = asyncio.Event()

    async def work(_job: Job) -> None:
        stop.set()

    async with asyncio.timeout(20):
        await loop_over(queue, work).run(stop)

    assert queue.due == {}
