"""The ledger of calls to language models, and the daily budget.

A reservation is a row that is committed before the call; the actual cost replaces it. A
lock makes all processes decide one after the other. Days are UTC, by the database's
clock. The sums are public; a call is visible to its person, operators and workers only.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from feedloom.model.distilled.requests import CallRecord, PlannedCall
from feedloom.model.distilled.spending import FailedCall, SpendDay, Spending, SpendLine
from feedloom.model.errors import BudgetSpent
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import Database, Query, Row, Scope, Script, sql
from feedloom.store.queries import NOW, insert, number, update, upsert, values
from feedloom.store.times import SECOND
from feedloom.store.values import value_of

RESERVED = "reserved"
_DAY_US = 86_400 * SECOND
_MICRO = 1_000_000
_TODAY = f"at >= now_us() - now_us() % {_DAY_US}"
_FAILURES_SHOWN = 20
_HARMLESS = ("ok", RESERVED)
_SUMS = (
    "SELECT coalesce(sum(cost), 0) AS cost,"
    " coalesce(sum(tokens_in + tokens_out), 0) AS tokens FROM ai_calls"
)
_EVERYBODYS = {
    "sqlite": f"{_SUMS} WHERE {_TODAY}",
    "postgresql": f"SELECT cost, tokens FROM ai_spent_since(now_us() - now_us() % {_DAY_US})",
}


@dataclass(frozen=True, slots=True)
class _Limits:
    micros: int
    tokens: int
    """0 means that only money limits them."""
    share: float

    def of_one(self) -> "_Limits":
        # A share of "no limit" is no limit; a share of a small limit is at least one token.
        tokens = max(int(self.tokens * self.share), 1) if self.tokens else 0
        return _Limits(int(self.micros * self.share), tokens, self.share)

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
        self._limits = _Limits(round(budget * _MICRO), most_tokens, person_share)

    @writes(lambda call: _payer(call.user_id))
    def reserve(self, call: PlannedCall) -> Script[int]:
        """Reserve the most a call may cost; raise ``BudgetSpent`` when none is left."""
        # The row stays locked until the commit, so the next call sees this reservation.
        yield upsert("installation", "key", key="ai_budget", value="")
        self._limits.check((yield from _sums(sql(_EVERYBODYS[self.database.kind]))), call)
        if call.user_id is not None:
            own = sql(f"{_SUMS} WHERE {_TODAY} AND user_id = :user", user=call.user_id)
            self._limits.of_one().check((yield from _sums(own)), call)
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
        today = yield sql(
            "SELECT purpose, model, outcome, count(*) AS calls, sum(tokens_in) AS tokens_in,"
            " sum(tokens_out) AS tokens_out, sum(cost) AS cost"
            f" FROM ai_calls WHERE {_TODAY} GROUP BY purpose, model, outcome"
            " ORDER BY purpose, model, outcome"
        )
        lately = yield sql(
            f"SELECT at / {_DAY_US} AS day, count(*) AS calls,"
            " sum(CASE WHEN outcome = ANY(:harmless) THEN 0 ELSE 1 END) AS failed,"
            " sum(tokens_in + tokens_out) AS tokens, sum(cost) AS cost"
            f" FROM ai_calls WHERE at >= now_us() - :days * {_DAY_US}"
            f" GROUP BY at / {_DAY_US} ORDER BY day DESC",
            days=days,
            harmless=list(_HARMLESS),
        )
        failed = sql(
            "SELECT at, purpose, model, outcome, ms FROM ai_calls"
            " WHERE outcome <> ALL(:harmless) ORDER BY id DESC LIMIT :limit",
            harmless=list(_HARMLESS),
            limit=_FAILURES_SHOWN,
        )
        return Spending(
            budget_micros=self._limits.micros,
            spent_micros=spent_micros,
            tokens=tokens,
            today=[_line(row) for row in today],
            days=[_day(row) for row in lately],
            failures=(yield from values(FailedCall, failed)),
        )


def _payer(user_id: int | None) -> Scope:
    """Return the scope of whoever pays; it also makes the write durable."""
    return Scope(user_id=user_id, operator=user_id is None)


def _sums(query: Query) -> Script[tuple[int, int]]:
    rows = yield query
    return round(rows[0]["cost"] * _MICRO), int(rows[0]["tokens"])


def _line(row: Row) -> SpendLine:
    return value_of(
        SpendLine,
        row,
        tokens_in=int(row["tokens_in"]),
        tokens_out=int(row["tokens_out"]),
        cost_micros=round(row["cost"] * _MICRO),
    )


def _day(row: Row) -> SpendDay:
    began = datetime.fromtimestamp(row["day"] * 86_400, UTC)
    return SpendDay(
        day=began.date(),
        calls=row["calls"],
        failed=int(row["failed"]),
        tokens=int(row["tokens"]),
        cost_micros=round(row["cost"] * _MICRO),
    )
