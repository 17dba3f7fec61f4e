"""Free slots are filled several at a time, but nobody waits for what hangs."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from feedloom.flow.worker.loop import Loop

SLOTS = 16


@dataclass(frozen=True)
class Job:
    number: int
    attempts: int = 1


@dataclass
class Queue:
    """An endless queue that notes how many were asked for."""

    asked: list[int] = field(default_factory=list)
    given: int = 0

    async def claim(self, limit: int) -> list[Job]:
        self.asked.append(limit)
        self.given += limit
        return [Job(number) for number in range(self.given - limit, self.given)]

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        return set(tokens)

    async def release(self, jobs: Sequence[Job]) -> None:
        pass


@asynccontextmanager
async def running() -> AsyncIterator[tuple[Queue, Loop[Job], list[asyncio.Event]]]:
    """Run a loop whose jobs end when their event is set."""
    ends = [asyncio.Event() for _ in range(4 * SLOTS)]

    async def work(job: Job) -> None:
        await ends[job.number].wait()

    queue = Queue()
    loop: Loop[Job] = Loop(
        "jobs",
        queue,
        lambda job: str(job.number),
        lambda job: job.number,
        work,
        SLOTS,
        60.0,
        gather_s=30.0,
    )
    stop = asyncio.Event()
    task = asyncio.create_task(loop.run(stop))
    await settle()
    try:
        yield queue, loop, ends
    finally:
        stop.set()
        for end in ends:
            end.set()
        loop.wake.set()
        await asyncio.wait_for(task, 5)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_quarter_of_the_slots_is_filled_at_once():
    async with running() as (queue, _, ends):
        for end in ends[:3]:
            end.set()
            await settle()
        before = list(queue.asked)
        ends[3].set()
        await settle()

        assert (before, queue.asked) == ([16], [16, 4])


async def test_slots_beside_jobs_that_hang_are_filled_one_by_one():
    async with running() as (queue, loop, ends):
        loop.started_at = dict.fromkeys(loop.started_at, 0.0)
        ends[0].set()
        await settle()

        assert queue.asked == [16, 1]
