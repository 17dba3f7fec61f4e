"""The cost of language models, as operators see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class SpendLine:
    purpose: str
    model: str
    outcome: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost_micros: int


@dataclass(frozen=True, slots=True)
class SpendDay:
    day: date
    calls: int
    failed: int
    tokens: int
    cost_micros: int


@dataclass(frozen=True, slots=True)
class FailedCall:
    at: datetime
    purpose: str
    model: str
    outcome: str
    ms: int


@dataclass(frozen=True, slots=True)
class Spending:
    """Today against the budget, the days before, and what failed lately."""

    budget_micros: int
    spent_micros: int
    """Of today, what is reserved for calls under way included."""
    tokens: int
    today: Sequence[SpendLine]
    days: Sequence[SpendDay]
    """Newest first, days with calls only."""
    failures: Sequence[FailedCall]

    @property
    def left_micros(self) -> int:
        return max(self.budget_micros - self.spent_micros, 0)
