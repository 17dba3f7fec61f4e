"""Group commits: everybody gets an answer, whatever became of the others."""

import asyncio

import pytest

from feedloom.model.errors import StoreError
from feedloom.store.engine.grouping import GroupCommit

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
