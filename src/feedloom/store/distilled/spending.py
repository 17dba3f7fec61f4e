"""The ledger of calls to language models, and the daily budget, by the database's clock in UTC.

A reservation is a row that is committed before the call; the actual cost replaces it. A
lock makes all processes decide one after the other.
"""

from typing import NamedTuple

from feedloom.model.distilled.requests import CallRecord, PlannedCall
from feedloom.model.distilled.spending import FailedCall, SpendDay, Spending, SpendLine
from feedloom.model.errors import BudgetSpent
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import Database, Query, Scope, Script, sql
from feedloom.store.queries import NOW, insert, number, update, upsert, values
from feedloom.store.values import DAY_US, from_us, value_of

RESERVED = "reserved"
_MICRO = 1_000_000
_TODAY = f"at >= now_us() - now_us() % {DAY_US}"
_FAILURES_SHOWN = 20
_HARMLESS = ("ok", RESERVED)
_SUMS = """SELECT coalesce(sum(cost), 0) AS cost,
    coalesce(sum(tokens_in + tokens_out), 0) AS tokens FROM ai_calls"""
_EVERYBODYS = {
    "sqlite": f"{_SUMS} WHERE {_TODAY}",
    "postgresql": f"SELECT cost, tokens FROM ai_spent_since(now_us() - now_us() % {DAY_US})",
}


class _Limits(NamedTuple):
    micros: int
    tokens: int
    """0 means that only money limits them."""

    def check(self, spent: tuple[int, int], call: PlannedCall) -> None:
        """Raise ``BudgetSpent`` if a call costs more than is left."""
        micros, tokens = spent
        if micros + call.cost_micros > self.micros:
            raise BudgetSpent
        if self.tokens and tokens + call.tokens > self.tokens:
            raise BudgetSpent


class SpendStore(Store):
    def __init__(
        self, database: Database, *, budget: float, most_tokens: int = 0, person_share: float = 1.0
    ) -> None:
        super().__init__(database)
        micros = round(budget * _MICRO)
        self._limits = _Limits(micros, most_tokens)
        # A share of "no limit" is no limit; a share of a small limit is at least one token.
        tokens = max(int(most_tokens * person_share), 1) if most_tokens else 0
        self._limits_of_one = _Limits(int(micros * person_share), tokens)

    @writes(lambda call: _payer(call.user_id))
    def reserve(self, call: PlannedCall) -> Script[int]:
        """Reserve the most a call may cost; raise ``BudgetSpent`` when none is left."""
        # The row stays locked until the commit, so the next call sees this reservation.
        yield upsert("installation", "key", key="ai_budget", value="")
        self._limits.check((yield from _sums(sql(_EVERYBODYS[self.database.kind]))), call)
        if call.user_id is not None:
            own = sql(f"{_SUMS} WHERE {_TODAY} AND user_id = :user", user=call.user_id)
            self._limits_of_one.check((yield from _sums(own)), call)
        reservation = insert(
            "ai_calls",
            "RETURNING id",
            at=NOW,
            purpose=call.purpose.value,
            user_id=call.user_id,
            model=call.model,
            tokens_in=call.tokens,
            cost=call.cost_micros / _MICRO,
            outcome=RESERVED,
        )
        return (yield from number(reservation))

    @writes(lambda _, call: _payer(call.user_id))
    def record(self, reservation: int, call: CallRecord) -> Script[None]:
        yield update(
            "ai_calls",
            reservation,
            model=call.model,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            cost=call.cost_micros / _MICRO,
            outcome=call.outcome.value,
            ms=call.ms,
        )

    @reads(OPERATOR)
    def overview(self, *, days: int = 30) -> Script[Spending]:
        spent_micros, tokens = yield from _sums(sql(f"{_SUMS} WHERE {_TODAY}"))
        text = f"""SELECT purpose, model, outcome, count(*) AS calls,
            CAST(sum(tokens_in) AS BIGINT) AS tokens_in,
            CAST(sum(tokens_out) AS BIGINT) AS tokens_out, sum(cost) AS cost
            FROM ai_calls WHERE {_TODAY} GROUP BY purpose, model, outcome
            ORDER BY purpose, model, outcome"""
        today = yield sql(text)
        text = f"""SELECT at / {DAY_US} AS day, count(*) AS calls,
            CAST(sum(CASE WHEN outcome = ANY(:harmless) THEN 0 ELSE 1 END) AS BIGINT) AS failed,
            CAST(sum(tokens_in + tokens_out) AS BIGINT) AS tokens, sum(cost) AS cost
            FROM ai_calls WHERE at >= now_us() - :days * {DAY_US}
            GROUP BY at / {DAY_US} ORDER BY day DESC"""
        lately = yield sql(text, days=days, harmless=list(_HARMLESS))
        text = """SELECT at, purpose, model, outcome, ms FROM ai_calls
            WHERE outcome <> ALL(:harmless) ORDER BY id DESC LIMIT :limit"""
        failed = sql(text, harmless=list(_HARMLESS), limit=_FAILURES_SHOWN)
        return Spending(
            budget_micros=self._limits.micros,
            spent_micros=spent_micros,
            tokens=tokens,
            today=[
                value_of(SpendLine, row, cost_micros=round(row["cost"] * _MICRO)) for row in today
            ],
            days=[
                value_of(
                    SpendDay,
                    row,
                    day=from_us(row["day"] * DAY_US).date(),
                    cost_micros=round(row["cost"] * _MICRO),
                )
                for row in lately
            ],
            failures=(yield from values(FailedCall, failed)),
        )


def _payer(user_id: int | None) -> Scope:
    """Return the scope of whoever pays; it also makes the write durable."""
    return Scope(user_id=user_id, operator=user_id is None)


def _sums(query: Query) -> Script[tuple[int, int]]:
    [row] = yield query
    return round(row["cost"] * _MICRO), int(row["tokens"])
