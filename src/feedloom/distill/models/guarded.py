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
from feedloom.distill.models.replies import (
    Reply,
    failed_record,
    judge,
    plan_call,
    repair_messages,
    reply_record,
)
from feedloom.distill.models.wire import CallFailed, Endpoint, Shape, ask_endpoint
from feedloom.model.distilled.requests import Answer, CallOutcome, Message, Spend, Task
from feedloom.model.errors import ModelAnswerInvalid, ModelUnavailable
from feedloom.model.ports import Fetcher

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
        try:
            completion = await ask_endpoint(
                self._fetcher, endpoint, task, messages=messages, timeout_s=self._patience.call_s
            )
        except CallFailed as failure:
            lost = failed_record(task, planned, failure, ms=_ms_since(started))
            await self._spend.record(reservation, lost)
            raise
        reply = judge(endpoint, task, planned, completion)
        record = reply_record(task, planned, reply, ms=_ms_since(started))
        await self._spend.record(reservation, record)
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


def _ms_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
