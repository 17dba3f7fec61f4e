"""One budget for all responses: it is kept, and never stops the work."""

import asyncio
import random

import pytest

from feedloom.flow.worker.rate_limit import MemoryBudget


async def test_room_is_given_at_once_while_there_is_some():
    budget = MemoryBudget(100)
    room = budget.room()

    assert room.take(60) is None
    assert (room.held, budget.left) == (60, 40)
    room.free()
    assert (room.held, budget.left) == (0, 100)


async def test_who_finds_nothing_left_waits_until_another_ends():
    budget = MemoryBudget(100)
    first, second, third = budget.room(), budget.room(), budget.room()
    first.take(90)
    assert second.take(20) is None  # one may go on beyond the budget

    granted = third.take(20)
    assert granted is not None
    assert not granted.done()
    first.free()

    assert granted.done()
    assert budget.left == 60


async def test_those_who_wait_are_served_in_order():
    budget = MemoryBudget(10)
    rooms = [budget.room() for _ in range(5)]
    rooms[0].take(10)
    rooms[1].take(10)
    waiting = [room.take(10) for room in rooms[2:]]
    late = rooms[0].take(1)

    rooms[1].free()

    assert [granted.done() for granted in waiting if granted] == [True, False, False]
    assert late is not None
    assert not late.done()


async def test_who_gave_up_waiting_is_passed_over():
    budget = MemoryBudget(10)
    first, second, third, fourth = (budget.room() for _ in range(4))
    first.take(10)
    second.take(10)
    given_up, granted = third.take(10), fourth.take(10)
    assert given_up is not None
    assert granted is not None

    given_up.cancel()
    third.free()
    second.free()

    assert granted.done()


@pytest.mark.threat("S17")
async def test_many_that_want_more_than_there_is_all_come_to_an_end():
    budget, most = MemoryBudget(1_000), 0
    dice = random.Random(7)

    async def read(steps: int) -> None:
        nonlocal most
        room = budget.room()
        for _ in range(steps):
            if granted := room.take(50):
                await granted
            most = max(most, 1_000 - budget.left)
            await asyncio.sleep(0)
        room.free()

    async with asyncio.timeout(20):
        await asyncio.gather(*(read(dice.randint(1, 20)) for _ in range(300)))

    assert budget.left == 1_000
    assert most <= 2_000
