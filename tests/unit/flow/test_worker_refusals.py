"""A worker whose database takes nothing, and jobs that end their processes."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest

from feedloom.flow.worker import loop as working
from feedloom.flow.worker.loop import Loop
from feedloom.model.errors import StoreError, StoreUnavailable
from feedloom.model.work import Task


class Rows:
    """A queue in memory: tasks wait, are claimed, and come back when released."""

    def __init__(self, count: int, *, attempts: int = 0) -> None:
        self.waiting = [Task(n, "topic", {}, None, attempts) for n in range(count)]
        self.claims: list[int] = []
        self.released: list[int] = []

    async def claim(self, limit: int) -> list[Task]:
        taken, self.waiting = self.waiting[:limit], self.waiting[limit:]
        if taken:
            self.claims.append(len(taken))
        return [
            Task(t.id, t.kind, t.payload, None, t.attempts + 1, lease_token=f"t{t.id}")
            for t in taken
        ]

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        return set(tokens)

    async def release(self, tasks: Sequence[Task]) -> None:
        self.released += [task.id for task in tasks]
        self.waiting += [Task(t.id, t.kind, t.payload, None, t.attempts - 1) for t in tasks]


def loop_over(queue: Rows, work) -> Loop[Task]:
    def token(task: Task) -> str:
        return task.lease_token or ""

    return Loop("tasks", queue, token, lambda t: t.id, work, limit=8, lease_s=60)


@pytest.fixture
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(working, "_PATIENCE_S", 0.0)


@pytest.mark.threat("D6")
@pytest.mark.usefixtures("impatient")
async def test_what_the_database_refuses_is_given_back_uncounted():
    queue = Rows(4)

    async def refused(_task: Task) -> None:
        raise StoreUnavailable

    with pytest.raises(StoreUnavailable):
        await loop_over(queue, refused).drain()

    assert sorted(queue.released) == [0, 1, 2, 3]
    assert {task.attempts for task in queue.waiting} == {0}
    assert queue.claims == [4]


class Refusing(Rows):
    """A queue that answers claims with errors first."""

    def __init__(self, count: int, errors: list[StoreError]) -> None:
        super().__init__(count)
        self.errors = errors

    async def claim(self, limit: int) -> list[Task]:
        if self.errors:
            raise self.errors.pop(0)
        return await super().claim(limit)


class Forgetful(Rows):
    """A queue that takes nothing back for a while."""

    def __init__(self, count: int, errors: Sequence[Exception] = ()) -> None:
        super().__init__(count)
        self.errors = list(errors or [StoreUnavailable()])

    async def release(self, tasks: Sequence[Task]) -> None:
        if self.errors:
            raise self.errors.pop(0)
        await super().release(tasks)


async def do_nothing(_task: Task) -> None:
    pass


async def test_a_pass_outlasts_a_database_that_is_busy(monkeypatch):
    monkeypatch.setattr(working, "_PAUSE_S", (0.01, 0.01))
    queue = Refusing(3, [StoreUnavailable(), StoreUnavailable()])

    assert await loop_over(queue, do_nothing).drain() == 3


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("error", [StoreUnavailable("It is locked."), StoreError("No.")])
async def test_a_pass_that_could_not_begin_says_so(error):
    queue = Refusing(3, [error] * 5)

    with pytest.raises(StoreError) as raised:
        await loop_over(queue, do_nothing).drain()

    assert raised.value is error
    assert len(queue.waiting) == 3


@pytest.mark.threat("D1", "D6")
@pytest.mark.usefixtures("impatient")
async def test_after_a_refusal_one_job_is_tried_until_one_is_stored():
    queue = Rows(12)
    is_full = True
    at_once: list[int] = []

    async def work(_task: Task) -> None:
        at_once.append(len(loop.running))
        await asyncio.sleep(0)
        if is_full:
            raise StoreUnavailable

    loop = loop_over(queue, work)
    with pytest.raises(StoreUnavailable):
        await loop.drain()
    at_once.clear()
    is_full = False
    loop.resume_at = 0.0
    await loop.drain()

    assert at_once[0] == 1
    assert max(at_once) == 8
    assert queue.waiting == []


@pytest.mark.threat("D6")
async def test_what_cannot_even_be_given_back_is_given_back_before_the_next_claim(monkeypatch):
    monkeypatch.setattr(working, "_PAUSE_S", (0.01, 0.01))
    queue = Forgetful(3)
    fails = [0, 1]

    async def work(task: Task) -> None:
        if task.id in fails:
            fails.remove(task.id)
            raise StoreUnavailable

    loop = loop_over(queue, work)
    total = await loop.drain()

    assert sorted(queue.released) == [0, 1]
    assert (total, queue.waiting, loop.owed) == (5, [], [])


@pytest.mark.threat("D6")
@pytest.mark.usefixtures("impatient")
async def test_a_pass_that_cannot_give_back_what_it_took_says_so(monkeypatch):
    monkeypatch.setattr(working, "_PAUSE_S", (0.01, 0.01))
    error = StoreUnavailable("It is full.")
    queue = Forgetful(3, [error] * 50)

    async def refused(_task: Task) -> None:
        raise StoreUnavailable

    loop = loop_over(queue, refused)
    with pytest.raises(StoreError) as raised:
        await loop.drain()

    assert raised.value is error
    assert sorted(task.id for task in loop.owed) == [0, 1, 2]


async def test_what_is_never_taken_back_keeps_nobody_from_being_claimed(monkeypatch):
    monkeypatch.setattr(working, "_PAUSE_S", (0.01, 0.01))
    queue = Forgetful(2, [StoreError("No.")] * 50)
    done: list[int] = []

    async def work(task: Task) -> None:
        if task.id == 0:
            queue.waiting += Rows(4).waiting[2:]
            raise StoreUnavailable
        done.append(task.id)

    loop = loop_over(queue, work)
    await loop.drain()

    assert (sorted(done), loop.owed, queue.released) == ([1, 2, 3], [], [])


@pytest.mark.threat("Q5")
async def test_what_is_owed_is_given_back_when_a_worker_stops():
    queue = Forgetful(1)

    async def refused(_task: Task) -> None:
        raise StoreUnavailable

    loop, stop = loop_over(queue, refused), asyncio.Event()
    running = asyncio.create_task(loop.run(stop))
    await asyncio.sleep(0.02)
    stop.set()
    await running

    assert (queue.released, loop.owed) == ([0], [])


async def test_a_job_that_alone_is_refused_counts_as_tried(monkeypatch):
    monkeypatch.setattr(working, "_PAUSE_S", (0.01, 0.01))
    queue = Rows(3)

    async def work(task: Task) -> None:
        if task.id == 0:
            raise StoreUnavailable

    loop = loop_over(queue, work)
    await loop.drain()

    assert queue.released == [0]
    assert queue.waiting == []


async def test_the_pause_grows_with_the_outage_and_is_never_long():
    loop = loop_over(Rows(0), None)
    shortest, longest = working._PAUSE_S
    now = asyncio.get_running_loop().time()

    for lasted_s, wanted_s in ((0, shortest), (120, 6), (86_400, longest)):
        loop.refused_since = now - lasted_s
        loop._note_refusal(StoreUnavailable())
        assert abs(loop.resume_at - now - wanted_s) < 1


@pytest.mark.threat("Q9")
async def test_no_job_is_started_beside_one_suspected_of_ending_its_process():
    queue = Rows(1, attempts=2)
    beside: list[int] = []

    async def work(task: Task) -> None:
        queue.waiting += Rows(3).waiting[1:] if not beside else []
        for _ in range(5):
            await asyncio.sleep(0.01)
        beside.append(len(loop.running) if task.id == 0 else 0)

    loop = loop_over(queue, work)
    await loop.drain()

    assert beside == [1, 0, 0]


@pytest.mark.threat("Q5")
async def test_a_job_that_ignores_being_cancelled_holds_up_no_shutdown(monkeypatch):
    monkeypatch.setattr(working, "_GRACE_S", 0.05)
    queue = Rows(2)
    stubborn_over = asyncio.Event()

    async def work(task: Task) -> None:
        while task.id == 0 and not stubborn_over.is_set():
            with suppress(asyncio.CancelledError):
                await stubborn_over.wait()

    loop = loop_over(queue, work)
    stop = asyncio.Event()
    running = asyncio.create_task(loop.run(stop))
    await asyncio.sleep(0.02)
    stop.set()

    async with asyncio.timeout(2):
        await running

    assert queue.released == [0]
    stubborn_over.set()
    await asyncio.sleep(0)


async def test_a_job_in_its_second_part_keeps_no_other_from_being_tried():
    queue = Rows(1)
    thinking = asyncio.Event()
    done: list[int] = []

    async def think() -> None:
        await thinking.wait()

    async def work(task: Task):
        done.append(task.id)
        return think() if task.id == 0 else None

    loop = loop_over(queue, work)
    draining = asyncio.create_task(loop.drain())
    await asyncio.sleep(0.02)
    loop.refused_since = loop.resume_at = 0.0
    queue.waiting += Rows(2).waiting[1:]
    await asyncio.sleep(0.3)

    assert done == [0, 1]
    thinking.set()
    await draining
