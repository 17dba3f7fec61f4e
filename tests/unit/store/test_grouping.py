"""Group commits: everybody gets an answer, whatever became of the others."""

import asyncio

import pytest

from feedloom.model.errors import StoreError
from feedloom.store.engine.group_commit import GroupCommit

pytestmark = pytest.mark.threat("D14")


async def test_who_waits_behind_a_bug_still_gets_an_answer():
    async def write(group: list[int]) -> list[int]:
        if 0 in group:
            raise TypeError("a bug")
        return [item * 2 for item in group]

    commit = GroupCommit(write, most=2)

    results = await asyncio.wait_for(
        asyncio.gather(*map(commit.put, range(6)), return_exceptions=True), 5
    )

    assert [type(one) for one in results[:2]] == [TypeError, TypeError]
    assert results[2:] == [4, 6, 8, 10]


async def test_a_refused_item_harms_nobody_else():
    async def write(group: list[int]) -> list[int]:
        if 3 in group:
            raise StoreError("refused")
        return group

    commit = GroupCommit(write, most=10)

    results = await asyncio.gather(*map(commit.put, range(6)), return_exceptions=True)

    assert [one for one in results if isinstance(one, int)] == [0, 1, 2, 4, 5]
    with pytest.raises(StoreError):
        await commit.put(3)


def recording(groups: list[list[int]]):
    async def write(group: list[int]) -> list[int]:
        groups.append(group)
        return group

    return write


async def test_what_comes_just_after_a_write_is_written_together():
    groups: list[list[int]] = []
    commit = GroupCommit(recording(groups), enough=10, gather_s=30)

    await commit.put(0)
    waiting = [asyncio.create_task(commit.put(n)) for n in range(1, 10)]
    await asyncio.sleep(0.01)
    alone = list(groups)
    await asyncio.wait_for(asyncio.gather(commit.put(10), *waiting), 5)

    assert alone == [[0]]
    assert sorted(groups[1]) == list(range(1, 11))


async def test_the_last_one_waits_for_nobody():
    groups: list[list[int]] = []
    commit = GroupCommit(recording(groups), enough=10, gather_s=30)

    await commit.put(0)
    waiting = asyncio.create_task(commit.put(1))
    await asyncio.sleep(0.01)
    await asyncio.wait_for(asyncio.gather(commit.put(2, last=True), waiting), 5)
    await asyncio.wait_for(commit.put(3, last=True), 5)

    assert groups == [[0], [1, 2], [3]]


async def test_a_group_is_all_that_wait_as_far_as_they_are_light():
    groups: list[list[int]] = []
    commit = GroupCommit(recording(groups), most=10, weigh=lambda item: item)

    await asyncio.wait_for(asyncio.gather(*map(commit.put, (1, 2, 3, 4, 5, 20, 1))), 5)

    assert groups == [[1, 2, 3, 4], [5], [20], [1]]


async def test_lanes_write_beside_each_other_and_each_item_once():
    groups: list[list[int]] = []

    async def write(group: list[int]) -> list[int]:
        groups.append(group)
        await asyncio.sleep(0.005)
        return group

    commit = GroupCommit(write, enough=5, most=5, lanes=4, gather_s=0.002)

    async def one_after_another(first: int) -> None:
        for item in range(first, first + 20):
            assert await commit.put(item) == item

    await asyncio.wait_for(asyncio.gather(*(one_after_another(100 * who) for who in range(12))), 20)

    items = [item for group in groups for item in group]
    assert all(groups)
    assert sorted(items) == [100 * who + n for who in range(12) for n in range(20)]


async def test_nobody_waits_longer_than_a_moment():
    groups: list[list[int]] = []
    commit = GroupCommit(recording(groups), enough=10, gather_s=0.02)

    for number in range(3):
        await asyncio.wait_for(commit.put(number), 5)

    assert groups == [[0], [1], [2]]
