"""What a housekeeper does each time, and what only every hour."""

from datetime import timedelta
from typing import Any

import pytest

from feedloom.flow.metrics import PassStats
from feedloom.flow.worker.maintenance import Maintenance
from tests.fakes import FixedClock


class Rows:
    """Stands in for the stores: counts what is asked of it."""

    def __init__(self) -> None:
        self.beats = 0
        self.cleaned = 0

    async def beat(self, _worker: str, _stats: object) -> None:
        self.beats += 1

    async def read_old_articles(self) -> int:
        return 0

    async def expire_day_subscriptions(self) -> int:
        self.cleaned += 1
        return 0

    async def drop_orphans(self) -> int:
        return 0

    async def forget_old_work(self) -> None:
        pass


def keeper_of(rows: Rows, clock: FixedClock, **more: Any) -> Maintenance:
    return Maintenance(
        rows,  # type: ignore[arg-type]  # what it is asked for here
        rows,  # type: ignore[arg-type]  # likewise
        clock,
        "worker",
        PassStats(),
        timedelta(hours=1),
        **more,
    )


async def test_errands_are_run_each_time_and_chores_every_hour():
    rows, clock = Rows(), FixedClock()
    done: list[str] = []

    async def errand() -> None:
        done.append("errand")

    async def chore() -> None:
        done.append("chore")

    keeper = keeper_of(rows, clock, chores=(chore,), errands=(errand,))
    for _ in range(3):
        await keeper.look_around()
        clock.advance(timedelta(minutes=29))
    await keeper.look_around()

    assert done.count("errand") == rows.beats == 4
    assert done.count("chore") == rows.cleaned == 2


@pytest.mark.threat("Q8")
async def test_a_clock_that_was_ahead_puts_off_no_cleaning():
    rows, clock = Rows(), FixedClock()
    keeper = keeper_of(rows, clock)
    right = clock.now()

    clock.advance(timedelta(days=400))
    await keeper.look_around()
    clock.set(right)
    await keeper.look_around()

    assert rows.cleaned == 2
