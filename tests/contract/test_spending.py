"""The ledger: reservations that hold, a budget nobody overruns, sums for operators."""

import asyncio

import pytest

from feedloom.model.distilled.requests import CallOutcome, CallRecord, ModelPurpose, PlannedCall
from feedloom.model.errors import BudgetSpent
from feedloom.store import SpendStore
from tests.stores import Stores

DAY_US = 86_400_000_000


def planned(
    micros: int = 100_000, tokens: int = 1_000, *, user_id: int | None = None
) -> PlannedCall:
    return PlannedCall(ModelPurpose.DEFRAME, user_id, "m", tokens, micros)


def record(
    micros: int, outcome: CallOutcome = CallOutcome.OK, *, user_id: int | None = None
) -> CallRecord:
    return CallRecord(ModelPurpose.DEFRAME, user_id, "m", outcome, 600, 200, micros, ms=1_234)


@pytest.mark.threat("L8")
async def test_a_reservation_counts_before_the_call_is_made(stores: Stores):
    ledger = SpendStore(stores.work, budget=0.25)
    await ledger.reserve(planned())
    await ledger.reserve(planned())

    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned())

    rows = await stores.rows("SELECT outcome, cost FROM ai_calls")
    assert [(row["outcome"], row["cost"]) for row in rows] == [("reserved", 0.1)] * 2


async def test_what_a_call_did_cost_replaces_its_reservation(stores: Stores):
    ledger = SpendStore(stores.work, budget=0.25)
    first = await ledger.reserve(planned(200_000))
    await ledger.record(first, record(20_000))

    await ledger.reserve(planned(200_000))

    [row, _] = await stores.rows("SELECT * FROM ai_calls ORDER BY id")
    assert (row["outcome"], row["cost"], row["ms"]) == ("ok", 0.02, 1_234)
    assert (row["tokens_in"], row["tokens_out"]) == (600, 200)


@pytest.mark.threat("L8")
@pytest.mark.parametrize("side", ["front", "work"])
async def test_many_at_once_never_get_more_than_there_is(stores: Stores, side):
    ledgers = [SpendStore(getattr(stores, side), budget=0.5) for _ in range(4)]

    async def attempt(number: int) -> bool:
        try:
            await ledgers[number % 4].reserve(planned())
        except BudgetSpent:
            return False
        return True

    won = await asyncio.gather(*(attempt(number) for number in range(20)))

    assert won.count(True) == 5


@pytest.mark.threat("L8")
async def test_a_process_that_died_after_reserving_costs_budget(stores: Stores):
    await SpendStore(stores.work, budget=0.1).reserve(planned())

    with pytest.raises(BudgetSpent):
        await SpendStore(stores.work, budget=0.1).reserve(planned())


async def test_every_day_has_its_own_budget(stores: Stores):
    ledger = SpendStore(stores.work, budget=0.1)
    await ledger.reserve(planned())
    await stores.execute("UPDATE ai_calls SET at = at - :day", day=DAY_US)

    await ledger.reserve(planned())

    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned())


async def test_tokens_may_have_a_limit_of_their_own(stores: Stores):
    ledger = SpendStore(stores.work, budget=0, most_tokens=2_500)
    await ledger.reserve(planned(0))
    await ledger.reserve(planned(0))

    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned(0))


@pytest.mark.threat("Q20")
@pytest.mark.threat("L8", "Q20")
@pytest.mark.parametrize("side", ["front", "work"])
async def test_one_person_cannot_use_up_everybodys_budget(stores: Stores, side):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    ledger = SpendStore(getattr(stores, side), budget=0.5, person_share=0.4)
    for _ in range(2):
        await ledger.reserve(planned(user_id=ada.id))

    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned(user_id=ada.id))

    await ledger.reserve(planned(user_id=bob.id))
    await ledger.reserve(planned())
    await ledger.reserve(planned())
    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned(user_id=bob.id))


async def test_one_persons_tokens_are_a_share_too(stores: Stores):
    ada = await stores.person()
    ledger = SpendStore(stores.front, budget=0, most_tokens=4_000, person_share=0.5)
    for _ in range(2):
        await ledger.reserve(planned(0, user_id=ada.id))

    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned(0, user_id=ada.id))

    await ledger.reserve(planned(0))


async def test_calls_of_somebody_who_left_still_count(stores: Stores):
    ada = await stores.person()
    ledger = SpendStore(stores.front, budget=0.25)
    under_way = await ledger.reserve(planned(user_id=ada.id))
    await stores.execute("DELETE FROM users WHERE id = :id", id=ada.id)
    await ledger.record(under_way, record(200_000, user_id=ada.id))

    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned())

    [row] = await stores.rows("SELECT user_id, outcome FROM ai_calls")
    assert (row["user_id"], row["outcome"]) == (None, "ok")


async def test_without_a_budget_only_what_is_free_is_called(stores: Stores):
    ledger = SpendStore(stores.work, budget=0)
    await ledger.reserve(planned(0))

    with pytest.raises(BudgetSpent):
        await ledger.reserve(planned(1))


async def test_the_overview_sums_up(stores: Stores):
    ledger = SpendStore(stores.front, budget=1.0)
    for outcome in (CallOutcome.OK, CallOutcome.OK, CallOutcome.TIMED_OUT):
        await ledger.record(await ledger.reserve(planned()), record(50_000, outcome))
    await stores.execute(
        "UPDATE ai_calls SET at = at - :days WHERE outcome = 'timed_out'", days=2 * DAY_US
    )
    await ledger.reserve(planned())

    seen = await ledger.overview(days=30)

    assert (seen.budget_micros, seen.spent_micros) == (1_000_000, 200_000)
    assert seen.left_micros == 800_000
    assert seen.tokens == 2 * 800 + 1_000
    assert [(line.outcome, line.calls, line.cost_micros) for line in seen.today] == [
        ("ok", 2, 100_000),
        ("reserved", 1, 100_000),
    ]
    assert [(day.calls, day.failed) for day in seen.days] == [(3, 0), (1, 1)]
    assert (seen.days[0].day - seen.days[1].day).days == 2
    assert [failure.outcome for failure in seen.failures] == ["timed_out"]
