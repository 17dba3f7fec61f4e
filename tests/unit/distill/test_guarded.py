"""Budget, breaker, retry, repair and costs around a call."""

import asyncio
import json
from itertools import pairwise

import pytest

from feedloom.distill import Breaker
from feedloom.distill.models.guarded import GuardedModel, Patience
from feedloom.distill.models.wire import Endpoint, Shape
from feedloom.model.distilled.requests import CallOutcome, Message, ModelPurpose, PlannedCall, Task
from feedloom.model.errors import (
    BlockedAddress,
    BudgetSpent,
    ModelAnswerInvalid,
    ModelUnavailable,
    StoreUnavailable,
    Unreachable,
)
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from tests.model_api import Reply, fails, says
from tests.unit.distill.doubles import KEY, MemorySpend, Naps

TASK = Task(
    purpose=ModelPurpose.TOPIC,
    messages=(Message("system", "Say a word."), Message("user", "Now.")),
    schema={"type": "object", "properties": {"word": {"type": "string", "maxLength": 10}}},
    user_id=3,
    max_tokens=50,
)
GOOD = says({"word": "yes"}, usage={"prompt_tokens": 30, "completion_tokens": 5})


class ScriptedFetcher:
    """A ``Fetcher`` that plays replies and errors in turn; the last one repeats."""

    def __init__(self, *script: Reply | Exception) -> None:
        self.script = list(script)
        self.asks: list[FetchRequest] = []

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asks.append(ask)
        reply = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(reply, Exception):
            raise reply
        headers = {name.lower(): value for name, value in reply.headers.items()}
        return FetchResponse(ask.url, reply.status, headers, reply.body)

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def shapes(self) -> list[str]:
        sent = [json.loads(ask.body or b"{}") for ask in self.asks]
        return [s.get("response_format", {}).get("type", "words") for s in sent]


class Ticks:
    """A monotonic clock in the hand of a test."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def model(
    fetcher: ScriptedFetcher,
    spend: MemorySpend | None = None,
    *,
    naps: Naps | None = None,
    breaker: Breaker | None = None,
    **endpoint: object,
) -> GuardedModel:
    settings: dict[str, object] = {
        "base_url": "https://models.example/v1",
        "model": "small",
        "key": KEY,
        "micros_per_million_in": 1_000_000,
        "micros_per_million_out": 2_000_000,
    }
    return GuardedModel(
        fetcher,
        Endpoint(**(settings | endpoint)),  # type: ignore[arg-type] # keywords of a test
        spend or MemorySpend(),
        patience=Patience(call_s=0.3),
        breaker=breaker,
        sleep=naps or Naps(),
    )


async def test_an_answer_carries_what_it_cost():
    spend = MemorySpend()
    answer = await model(ScriptedFetcher(GOOD), spend).complete(TASK)

    assert answer.value == {"word": "yes"}
    assert (answer.tokens_in, answer.tokens_out, answer.cost_micros) == (30, 5, 40)
    record = spend.records[0]
    assert (record.purpose, record.user_id, record.model) == (ModelPurpose.TOPIC, 3, "small")
    assert record.outcome is CallOutcome.OK


async def test_a_repaired_answer_costs_both_calls():
    bad = says({"word": 5}, usage={"prompt_tokens": 30, "completion_tokens": 5})
    answer = await model(ScriptedFetcher(bad, GOOD)).complete(TASK)

    assert answer.repaired
    assert answer.cost_micros == 80


async def test_the_providers_own_price_counts():
    priced = says(
        {"word": "yes"}, usage={"prompt_tokens": 30, "completion_tokens": 5, "cost": 0.0125}
    )
    fetcher = ScriptedFetcher(priced)
    answer = await model(fetcher, asks_for_cost=True).complete(TASK)

    assert answer.cost_micros == 12_500
    assert json.loads(fetcher.asks[0].body or b"")["usage"] == {"include": True}


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": 10**12},
        {"prompt_tokens": "many", "completion_tokens": True},
        "none",
        {"cost": -1},
        {"cost": "free"},
    ],
)
async def test_a_senseless_bill_is_estimated(usage: object):
    spend = MemorySpend()
    await model(ScriptedFetcher(says({"word": "yes"}, usage=usage)), spend).complete(TASK)

    record = spend.records[0]
    assert 0 < record.tokens_in < 100
    assert 0 < record.tokens_out < 50
    assert record.cost_micros == record.tokens_in + 2 * record.tokens_out


@pytest.mark.threat("L10")
async def test_the_key_goes_into_one_header_and_nowhere_else():
    fetcher = ScriptedFetcher(GOOD)
    await model(fetcher).complete(TASK)

    ask = fetcher.asks[0]
    assert ask.headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in ask.url + (ask.body or b"").decode()
    assert KEY not in repr(Endpoint("https://models.example", "m", KEY))


@pytest.mark.threat("L10")
async def test_a_request_is_small_and_does_not_follow_redirects():
    fetcher = ScriptedFetcher(GOOD)
    await model(fetcher).complete(TASK)

    ask = fetcher.asks[0]
    assert (ask.sink, ask.method, ask.max_redirects) == (Purpose.MODEL, "POST", 0)
    assert ask.max_bytes == 65_536
    assert ask.timeout_s == 0.3


async def test_a_failure_is_tried_again_once_after_two_seconds():
    naps, spend = Naps(), MemorySpend()
    fetcher = ScriptedFetcher(Unreachable(), Unreachable())
    with pytest.raises(ModelUnavailable):
        await model(fetcher, spend, naps=naps).complete(TASK)

    assert naps.taken == [2.0]
    assert spend.outcomes == ["unreachable", "unreachable"]


async def test_a_short_retry_after_is_honoured():
    naps = Naps()
    fetcher = ScriptedFetcher(fails(429, Retry_After="7"), GOOD)
    await model(fetcher, naps=naps).complete(TASK)

    assert naps.taken == [7.0]


@pytest.mark.parametrize(
    "failure", [fails(401), fails(402), fails(429, Retry_After="60"), BlockedAddress(), Reply(301)]
)
async def test_what_will_not_pass_soon_is_not_tried_again(failure: Reply | Exception):
    naps = Naps()
    fetcher = ScriptedFetcher(failure)
    with pytest.raises(ModelUnavailable):
        await model(fetcher, naps=naps).complete(TASK)

    assert len(fetcher.asks) == 1
    assert naps.taken == []


async def test_a_call_that_may_be_billed_counts_as_planned():
    class Slow(ScriptedFetcher):
        async def fetch(self, ask: FetchRequest) -> FetchResponse:
            await asyncio.sleep(60)
            return await super().fetch(ask)

    spend = MemorySpend()
    with pytest.raises(ModelUnavailable):
        await model(Slow(GOOD), spend).complete(TASK)

    assert spend.outcomes == ["timed_out", "timed_out"]
    assert spend.cost_micros == sum(call.cost_micros for call in spend.planned) > 0


async def test_a_server_that_knows_no_schemas_is_asked_in_words():
    fetcher = ScriptedFetcher(fails(400), fails(400), GOOD)
    small = model(fetcher)
    first = await small.complete(TASK)
    second = await small.complete(TASK)

    assert first.value == second.value == {"word": "yes"}
    assert fetcher.shapes == ["json_schema", "json_object", "words", "words"]
    asked = json.loads(fetcher.asks[2].body or b"")["messages"][0]["content"]
    assert '"additionalProperties": false' in asked


async def test_a_model_that_takes_no_temperature_is_not_told_one():
    fetcher = ScriptedFetcher(fails(400, code="unsupported_value"), GOOD)
    small = model(fetcher)
    await small.complete(TASK)
    await small.complete(TASK)

    sent = [json.loads(ask.body or b"") for ask in fetcher.asks]
    assert ["temperature" in request for request in sent] == [True, False, False]
    assert fetcher.shapes == ["json_schema"] * 3


async def test_a_request_that_fails_in_every_form_keeps_the_strict_one():
    fetcher = ScriptedFetcher(fails(400))
    small = model(fetcher)
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await small.complete(TASK)

    assert fetcher.shapes == ["json_schema", "json_object", "words"] * 2


async def test_the_strict_schema_leaves_out_words_providers_refuse():
    fetcher = ScriptedFetcher(GOOD)
    await model(fetcher).complete(TASK)

    sent = json.loads(fetcher.asks[0].body or b"")["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["schema"] == {
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"word": "yes"}\n```',
        '<think>\nLet me see {"word": 1}\n</think>\n{"word": "yes"}',
        '  {"word": "yes"}\n',
    ],
)
async def test_wrapping_that_says_nothing_is_taken_off(text: str):
    answer = await model(ScriptedFetcher(says(text))).complete(TASK)

    assert answer.value == {"word": "yes"}
    assert not answer.repaired


async def test_content_in_parts_is_joined():
    parts = [{"type": "text", "text": '{"word": '}, {"type": "text", "text": '"yes"}'}]
    message = {"content": parts}
    document = {"choices": [{"message": message, "finish_reason": "stop"}]}
    reply = Reply(body=json.dumps(document).encode())
    answer = await model(ScriptedFetcher(reply)).complete(TASK)

    assert answer.value == {"word": "yes"}


class TestBreaker:
    @pytest.mark.threat("L11")
    async def test_five_failures_open_it_and_nobody_calls(self):
        fetcher = ScriptedFetcher(fails(401))
        small = model(fetcher, breaker=Breaker(monotonic=Ticks()))
        for _ in range(8):
            with pytest.raises(ModelUnavailable):
                await small.complete(TASK)

        assert len(fetcher.asks) == 5

    async def test_a_probe_closes_it(self):
        ticks = Ticks()
        fetcher = ScriptedFetcher(*[fails(401)] * 5, GOOD)
        breaker = Breaker(monotonic=ticks)
        small = model(fetcher, breaker=breaker)
        for _ in range(5):
            with pytest.raises(ModelUnavailable):
                await small.complete(TASK)
        assert breaker.is_open
        ticks.now = 61
        answer = await small.complete(TASK)

        assert answer.value == {"word": "yes"}
        assert not breaker.is_open

    async def test_each_failed_probe_waits_longer(self):
        ticks = Ticks()
        fetcher = ScriptedFetcher(fails(401))
        small = model(fetcher, breaker=Breaker(monotonic=ticks))
        called_at = []
        for second in range(0, 4_000, 10):
            ticks.now = float(second)
            before = len(fetcher.asks)
            with pytest.raises(ModelUnavailable):
                await small.complete(TASK)
            if len(fetcher.asks) > before:
                called_at.append(second)

        assert called_at[:9] == [0, 10, 20, 30, 40, 100, 220, 460, 940]
        gaps = [b - a for a, b in pairwise(called_at[8:])]
        assert gaps == [900] * len(gaps)

    async def test_only_one_probe_goes_out_at_a_time(self):
        class Held(ScriptedFetcher):
            gate = asyncio.Event()

            async def fetch(self, ask: FetchRequest) -> FetchResponse:
                if len(self.asks) >= 5:
                    await self.gate.wait()
                return await super().fetch(ask)

        ticks = Ticks()
        fetcher = Held(*[fails(401)] * 5, GOOD)
        small = model(fetcher, breaker=Breaker(monotonic=ticks))
        for _ in range(5):
            with pytest.raises(ModelUnavailable):
                await small.complete(TASK)
        ticks.now = 61
        probe = asyncio.create_task(small.complete(TASK))
        await asyncio.sleep(0)
        with pytest.raises(ModelUnavailable):
            await small.complete(TASK)
        fetcher.gate.set()

        assert (await probe).value == {"word": "yes"}

    async def test_a_cancelled_probe_lets_the_next_one_try(self):
        ticks = Ticks()
        breaker = Breaker(monotonic=ticks, threshold=1)

        class Hanging(ScriptedFetcher):
            async def fetch(self, ask: FetchRequest) -> FetchResponse:
                if len(self.asks) == 1:
                    self.asks.append(ask)
                    await asyncio.Event().wait()
                return await super().fetch(ask)

        small = model(Hanging(fails(401), GOOD), breaker=breaker)
        with pytest.raises(ModelUnavailable):
            await small.complete(TASK)
        ticks.now = 61
        probe = asyncio.create_task(small.complete(TASK))
        await asyncio.sleep(0)
        probe.cancel()
        with pytest.raises(asyncio.CancelledError):
            await probe
        answer = await small.complete(TASK)

        assert answer.value == {"word": "yes"}

    async def test_an_invalid_answer_does_not_open_it(self):
        breaker = Breaker(monotonic=Ticks())
        small = model(ScriptedFetcher(says("no JSON")), breaker=breaker)
        for _ in range(6):
            with pytest.raises(ModelAnswerInvalid):
                await small.complete(TASK)

        assert not breaker.is_open


class TestBudget:
    async def test_no_call_is_made_when_it_is_spent(self):
        fetcher = ScriptedFetcher(GOOD)
        with pytest.raises(BudgetSpent):
            await model(fetcher, MemorySpend(tokens=0)).complete(TASK)

        assert fetcher.asks == []

    @pytest.mark.threat("L8")
    async def test_it_is_exceeded_by_one_call_at_most(self):
        spend = MemorySpend(cost_micros=100)
        small = model(ScriptedFetcher(GOOD), spend)
        for _ in range(3):
            await small.complete(TASK)
        with pytest.raises(BudgetSpent):
            await small.complete(TASK)

        assert spend.cost_micros == 120

    async def test_calls_under_way_count_with_what_they_may_cost(self):
        spend = MemorySpend(cost_micros=100)
        small = model(ScriptedFetcher(GOOD), spend)
        results = await asyncio.gather(
            *(small.complete(TASK) for _ in range(10)), return_exceptions=True
        )

        assert sum(not isinstance(r, BudgetSpent) for r in results) == len(spend.planned)
        assert spend.cost_micros <= 100 + spend.planned[0].cost_micros

    @pytest.mark.threat("L8")
    async def test_a_retry_storm_stays_within_it(self):
        spend = MemorySpend(tokens=500)

        class Slow(ScriptedFetcher):
            async def fetch(self, ask: FetchRequest) -> FetchResponse:
                self.asks.append(ask)
                raise TimeoutError

        fetcher = Slow(GOOD)
        small = model(fetcher, spend, breaker=Breaker(threshold=1_000))
        for _ in range(50):
            with pytest.raises((ModelUnavailable, BudgetSpent)):
                await small.complete(TASK)

        assert spend.tokens < 500 + spend.planned[0].tokens

    async def test_a_spent_budget_says_nothing_about_the_provider(self):
        breaker = Breaker(threshold=1)
        small = model(ScriptedFetcher(GOOD), MemorySpend(tokens=0), breaker=breaker)
        with pytest.raises(BudgetSpent):
            await small.complete(TASK)

        assert not breaker.is_open

    async def test_a_ledger_that_is_down_stops_the_call(self):
        class Broken(MemorySpend):
            async def reserve(self, call: PlannedCall) -> int:
                raise StoreUnavailable(detail=call.model)

        fetcher = ScriptedFetcher(GOOD)
        with pytest.raises(StoreUnavailable):
            await model(fetcher, Broken()).complete(TASK)

        assert fetcher.asks == []


async def test_a_looser_form_is_chosen_in_the_settings_too():
    fetcher = ScriptedFetcher(GOOD)
    await model(fetcher, shape=Shape.WORDS).complete(TASK)

    assert fetcher.shapes == ["words"]
