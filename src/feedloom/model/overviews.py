"""What pages show beside lists: fresh articles by source, counts for charts, sweeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from feedloom.model.reading import Article, Wanted


@dataclass(frozen=True, slots=True)
class Fresh:
    """What arrived lately and was not dismissed, a few articles of each subscription."""

    articles: tuple[Article, ...]
    """Newest first within each subscription."""
    totals: Mapping[int, int] = field(default_factory=dict)
    """How many there are of each subscription altogether."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How often fetches of a person's feeds ended one way on one day."""

    day: datetime
    outcome: str
    count: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """Everything that one "mark all read" marked; ``token`` undoes it."""

    count: int
    token: int


class OverviewStore(Protocol):
    """Overviews of a person's reading."""

    async def fresh(
        self, user_id: int, since: datetime, *, per_feed: int, most: int
    ) -> Fresh:
        """List what arrived since a time, at most so many of each subscription."""
        ...

    async def arrivals_per_feed(
        self, user_id: int, subscription_ids: Sequence[int], days: int
    ) -> dict[int, tuple[int, ...]]:
        """Count each subscription's articles by day of publication, oldest first."""
        ...

    async def outcomes(self, user_id: int, days: int) -> list[OutcomeCount]:
        """Count how fetches of a person's feeds ended on each of the last days."""
        ...

    async def sweep(self, user_id: int, wanted: Wanted) -> Sweep:
        """Mark everything that is wanted as read, so that it can be undone."""
        ...

    async def undo_sweep(self, user_id: int, token: int) -> int:
        """Make unread again what a sweep marked and nobody touched since."""
        ...
