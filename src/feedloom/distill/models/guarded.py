"""A language model with a budget, retries, a circuit breaker and repair of its replies.

    task -> breaker? -> reserve -> call -> (retry) -> check -> (repair) -> answer

What comes out fits the schema or is an error of ours. Text of articles, answers and
keys never stands in an error.
"""

import asyncio
import dataclasses
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from feedloom.distill.models.breaker import Breaker
from feedloom.distill.models.structured_output import Unfit, read_answer
from feedloom.distill.models.wire import CallFailed, Completion, Endpoint, Shape, ask_endpoint
from feedloom.model.distilled.requests import (
    Answer,
    CallOutcome,
    CallRecord,
    Message,
    PlannedCall,
    Spend,
    Task,
)
from feedloom.model.errors import ModelAnswerInvalid, ModelUnavailable
from feedloom.model.ports import Fetcher

_REPAIR_SHOWS = 4_000


@dataclass(frozen=True, slots=True)
class Reply:
    """One call's result: a value, or what is wrong with its text."""

    text: str
    value: Mapping[str, object] | None
    problems: tuple[str, ...]
    outcome: CallOutcome
    tokens_in: int
    tokens_out: int
    cost_micros: int


def plan_call(endpoint: Endpoint, task: Task, messages: tuple[Message, ...]) -> PlannedCall:
    tokens_in = sum(estimated_tokens(message.content) for message in messages)
    return PlannedCall(
        purpose=task.purpose,
        user_id=task.user_id,
        model=endpoint.model,
        tokens=tokens_in + task.max_tokens,
        cost_micros=_price(endpoint, tokens_in, task.max_tokens),
    )


def judge(endpoint: Endpoint, task: Task, planned: PlannedCall, completion: Completion) -> Reply:
    value: Mapping[str, object] | None = None
    problems: tuple[str, ...] = ()
    try:
        value = _value_of(completion, task.schema)
    except Unfit as unfit:
        problems = unfit.problems
    tokens_in, tokens_out = completion.tokens_in, completion.tokens_out
    tokens_in = planned.tokens - task.max_tokens if tokens_in is None else tokens_in
    if tokens_out is None:
        tokens_out = estimated_tokens(completion.text)
    cost = completion.cost_micros
    return Reply(
        text=completion.text,
        value=value,
        problems=problems,
        outcome=CallOutcome.OK if value is not None else _fault(completion),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_micros=_price(endpoint, tokens_in, tokens_out) if cost is None else cost,
    )


def _value_of(completion: Completion, schema: Mapping[str, object]) -> Mapping[str, object]:
    if completion.refused:
        raise Unfit("the service declined")
    if completion.cut:
        raise Unfit("the answer is too long and was cut; be brief")
    return read_answer(completion.text, schema)


def _fault(completion: Completion) -> CallOutcome:
    if completion.refused:
        return CallOutcome.REFUSED
    return CallOutcome.CUT if completion.cut else CallOutcome.INVALID


def repair_messages(task: Task, reply: Reply) -> tuple[Message, ...]:
    problems = "; ".join(reply.problems)
    complaint = (
        f"That answer cannot be used: {problems}. "
        "Answer again with one JSON object that fits the schema, and nothing else."
    )
    said = reply.text[:_REPAIR_SHOWS] or "(nothing)"
    return (*task.messages, Message("assistant", said), Message("user", complaint))


def estimated_tokens(text: str) -> int:
    # Tokenisers make a token of about four bytes of prose; three leave a margin, so
    # that a reservation is rather too large than too small.
    return len(text.encode("utf-8", "replace")) // 3 + 8


def _price(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> int:
    total = (
        tokens_in * endpoint.micros_per_million_in + tokens_out * endpoint.micros_per_million_out
    )
    return -(-total // 1_000_000)


_LONGEST_RETRY_AFTER_S = 10.0
_FORM_STATUSES = frozenset({400, 404, 422})
_NOT_ABOUT_FORM = frozenset({"model_not_found", "context_length_exceeded"})
_ABOUT_A_PARAMETER = frozenset({"unsupported_parameter", "unsupported_value"})
_NEXT_SHAPE = {Shape.SCHEMA: Shape.OBJECT, Shape.OBJECT: Shape.WORDS}


@dataclass(frozen=True, slots=True)
class Patience:
    call_s: float = 60.0
    """One request, from the first byte sent to the last one read."""
    retry_after_s: float = 2.0

    @property
    def total_s(self) -> float:
        """One task with its retry and repair, however these fall."""
        return 2 * self.call_s + self.retry_after_s + 3.0


class GuardedModel:
    """A ``LanguageModel`` over one endpoint of an OpenAI-compatible service."""

    def __init__(
        self,
        fetcher: Fetcher,
        endpoint: Endpoint,
        spend: Spend,
        *,
        patience: Patience = Patience(),  # noqa: B008 - frozen, so safe to share
        breaker: Breaker | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._endpoint = endpoint
        self._spend = spend
        self._patience = patience
        self._breaker = breaker or Breaker()
        self._sleep = sleep

    @property
    def name(self) -> str:
        return self._endpoint.model

    @property
    def shape(self) -> Shape:
        """How the service is told the form of its answers, as far as is known."""
        return self._endpoint.shape

    async def complete(self, task: Task) -> Answer:
        self._breaker.admit()
        try:
            async with asyncio.timeout(self._patience.total_s):
                answer = await self._converse(task)
        except (CallFailed, TimeoutError) as error:
            self._breaker.failed()
            raise ModelUnavailable(detail=str(error) or "timed_out") from error
        except ModelAnswerInvalid:
            self._breaker.succeeded()
            raise
        except BaseException:
            # The budget, the database or a cancellation: not the provider's doing.
            self._breaker.released()
            raise
        self._breaker.succeeded()
        return answer

    async def probe(self, task: Task) -> Answer:
        """Make one call without breaker, retry and repair; raise ``CallFailed``."""
        reply = await self._call(task, task.messages)
        if reply.value is None:
            raise CallFailed(reply.outcome)
        return self._answer(reply.value, (reply,))

    async def _converse(self, task: Task) -> Answer:
        first = await self._call_with_retry(task)
        if first.value is not None:
            return self._answer(first.value, (first,))
        if first.outcome is CallOutcome.REFUSED:
            raise ModelAnswerInvalid("The AI service declined this text.")
        second = await self._call(task, repair_messages(task, first))
        if second.value is None:
            raise ModelAnswerInvalid(detail="; ".join(second.problems))
        return self._answer(second.value, (first, second))

    async def _call_with_retry(self, task: Task) -> Reply:
        try:
            return await self._call(task, task.messages)
        except CallFailed as failure:
            pause_s = failure.retry_after_s or self._patience.retry_after_s
            if not failure.retryable or pause_s > _LONGEST_RETRY_AFTER_S:
                raise
        await self._sleep(pause_s)
        return await self._call(task, task.messages)

    async def _call(self, task: Task, messages: tuple[Message, ...]) -> Reply:
        endpoint = self._endpoint
        while True:
            try:
                reply = await self._paid_call(endpoint, task, messages)
            except CallFailed as failure:
                endpoint = _looser(endpoint, failure)
            else:
                self._endpoint = endpoint
                return reply

    async def _paid_call(
        self, endpoint: Endpoint, task: Task, messages: tuple[Message, ...]
    ) -> Reply:
        task = dataclasses.replace(task, max_tokens=task.max_tokens + endpoint.extra_tokens)
        planned = plan_call(endpoint, task, messages)
        reservation = await self._spend.reserve(planned)
        started = time.monotonic()

        async def record(outcome: CallOutcome, used: tuple[int, int, int]) -> None:
            ms = round((time.monotonic() - started) * 1000)
            call = CallRecord(task.purpose, task.user_id, planned.model, outcome, *used, ms)
            await self._spend.record(reservation, call)

        try:
            completion = await ask_endpoint(
                self._fetcher, endpoint, task, messages=messages, timeout_s=self._patience.call_s
            )
        except CallFailed as failure:
            # What may have been billed counts as planned.
            used = (planned.tokens - task.max_tokens, task.max_tokens, planned.cost_micros)
            await record(failure.outcome, used if failure.may_be_billed else (0, 0, 0))
            raise
        reply = judge(endpoint, task, planned, completion)
        await record(reply.outcome, (reply.tokens_in, reply.tokens_out, reply.cost_micros))
        return reply

    def _answer(self, value: Mapping[str, object], replies: tuple[Reply, ...]) -> Answer:
        return Answer(
            value=value,
            model=self.name,
            tokens_in=sum(reply.tokens_in for reply in replies),
            tokens_out=sum(reply.tokens_out for reply in replies),
            cost_micros=sum(reply.cost_micros for reply in replies),
            repaired=len(replies) > 1,
        )


def _looser(endpoint: Endpoint, failure: CallFailed) -> Endpoint:
    """Return the endpoint asked with less, or raise the failure when that is no use.

    Many compatible servers refuse the strict form of a request, and some models refuse
    a temperature. The looser form is remembered only once it has worked.
    """
    if failure.code in _NOT_ABOUT_FORM or failure.status not in _FORM_STATUSES:
        raise failure
    if failure.code in _ABOUT_A_PARAMETER and endpoint.with_temperature:
        return dataclasses.replace(endpoint, with_temperature=False)
    if endpoint.shape not in _NEXT_SHAPE:
        raise failure
    return dataclasses.replace(endpoint, shape=_NEXT_SHAPE[endpoint.shape])
