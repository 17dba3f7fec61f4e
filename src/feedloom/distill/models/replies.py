"""Completions in; judged replies, records for the ledger and repair messages out.

Pure: knows prices and schemas, calls nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from feedloom.distill.models.structured_output import Unfit, read_answer
from feedloom.distill.models.wire import CallFailed, Completion, Endpoint
from feedloom.model.distilled.requests import CallOutcome, CallRecord, Message, PlannedCall, Task

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


def reply_record(task: Task, planned: PlannedCall, reply: Reply, *, ms: int) -> CallRecord:
    return CallRecord(
        purpose=task.purpose,
        user_id=task.user_id,
        model=planned.model,
        outcome=reply.outcome,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost_micros=reply.cost_micros,
        ms=ms,
    )


def failed_record(task: Task, planned: PlannedCall, failure: CallFailed, *, ms: int) -> CallRecord:
    """Write a failed call down; what may have been billed counts as planned."""
    billed = failure.may_be_billed
    return CallRecord(
        purpose=task.purpose,
        user_id=task.user_id,
        model=planned.model,
        outcome=failure.outcome,
        tokens_in=planned.tokens - task.max_tokens if billed else 0,
        tokens_out=task.max_tokens if billed else 0,
        cost_micros=planned.cost_micros if billed else 0,
        ms=ms,
    )


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
