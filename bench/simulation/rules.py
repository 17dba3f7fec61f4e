"""When a feed is polled next: the product's own decision, and others to compare with.

``Ours`` calls ``next_health`` itself. The others are written here from what their
authors say: fixed hourly polling, and the rules of the two designs Feedloom grew from.
``Adaptive`` is our rule with other constants; with ours it must decide the same, and a
test holds it to that.
"""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Protocol

from bench.simulation.world import DAY_S, HOUR_S, Publisher
from feedloom.flow.refresh.health import next_health
from feedloom.model.feed import Asked
from feedloom.model.stages import FeedToRefresh, Outcome

START = datetime(2026, 1, 5, tzinfo=UTC)
WEEK_S = 7 * DAY_S


@dataclass(slots=True)
class Known:
    """What a poller knows about a feed when it decides."""

    publisher: Publisher
    week_articles: int
    failures: int = 0
    hub: bool = False


class Rule(Protocol):
    """A way to decide."""

    @property
    def name(self) -> str:
        """Name it for the tables."""
        ...

    @property
    def spacing_s(self) -> float:
        """Say how far apart two requests to one host are."""
        ...

    @property
    def period_s(self) -> float:
        """Say how often it always polls; 0 when it looks at what a feed publishes."""
        ...

    def next_s(self, known: Known, now_s: float) -> float:
        """Say when the feed is polled next."""
        ...


@lru_cache(maxsize=100_000)
def _claimed(week_articles: int, failures: int, hub: bool) -> FeedToRefresh:
    """Build what a worker claims; only these parts differ between simulated feeds."""
    return FeedToRefresh(
        feed_id=1,
        url="https://site.example/feed",
        host_key="site.example",
        lease_token="",
        subscriber_count=1,
        week_articles=week_articles,
        consecutive_failures=failures,
        hub_active_until=START + timedelta(days=365) if hub else None,
    )


@dataclass(slots=True)
class Ours:
    """What the worker does."""

    name: str = "feedloom"
    spacing_s: float = 3.0
    period_s: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def next_s(self, known: Known, now_s: float) -> float:
        verdict = next_health(
            _claimed(known.week_articles, known.failures, known.hub),
            Outcome.TEMPORARY if known.failures else Outcome.NEW,
            now=START + timedelta(seconds=now_s),
            asked=_asked(known.publisher.ttl_s),
            fresh_for_s=known.publisher.fresh_for_s,
            chance=self.chance.random(),
        )
        if verdict.next_run_at is None:
            raise RuntimeError(f"not scheduled: {verdict.reason}")
        return (verdict.next_run_at - START).total_seconds()


@lru_cache
def _asked(ttl_s: int) -> Asked:
    return Asked(ttl_s=ttl_s or None)


@dataclass(frozen=True, slots=True)
class Hourly:
    """Every feed every hour, whatever it does and asks."""

    name: str = "fixed, every hour"
    spacing_s: float = 0.0
    period_s: float = HOUR_S

    def next_s(self, known: Known, now_s: float) -> float:  # noqa: ARG002 - it looks at nothing
        return now_s + HOUR_S


@dataclass(slots=True)
class QuarterHourly:
    """The first design: four times as fast as it publishes, looked at every 15 minutes.

    At least every twelve hours, daily when nothing came for a week; no floors.
    """

    name: str = "seed: 4x, 15 min ticks"
    spacing_s: float = 0.0
    period_s: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def next_s(self, known: Known, now_s: float) -> float:
        if known.week_articles:
            wait_s = min(WEEK_S / (4 * known.week_articles), 12 * HOUR_S)
        else:
            wait_s = DAY_S + self.chance.uniform(-1800, 1800)
        return _ticked(now_s + wait_s, 900)


@dataclass(frozen=True, slots=True)
class HourAfterSuccess:
    """The second design: an hour, longer if cache headers say so, looked at every 5 min."""

    name: str = "seed: 1 h or cache, 5 min ticks"
    spacing_s: float = 0.0
    period_s: float = HOUR_S

    def next_s(self, known: Known, now_s: float) -> float:
        return _ticked(now_s + max(known.publisher.fresh_for_s, HOUR_S), 300)


@dataclass(slots=True)
class Adaptive:
    """Our rule for successes with other constants, for choosing them."""

    oversampling: float
    fastest_s: float
    slowest_s: float = 12 * HOUR_S
    quiet_s: float = DAY_S
    spacing_s: float = 3.0
    period_s: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def name(self) -> str:
        return f"{self.oversampling:g}x, {self.fastest_s / 60:g} min to {self.slowest_s / 3600:g} h"

    def next_s(self, known: Known, now_s: float) -> float:
        floor_s = max(known.publisher.ttl_s, known.publisher.fresh_for_s)
        spread = 2 * self.chance.random() - 1
        if not known.week_articles:
            return now_s + max(self.quiet_s, floor_s) + spread * 1800
        wait_s = WEEK_S / (self.oversampling * known.week_articles)
        return now_s + max(round(min(max(wait_s, self.fastest_s), self.slowest_s)), floor_s)


def _ticked(at_s: float, tick_s: int) -> float:
    """Round up to when the loop looks again."""
    return -(-at_s // tick_s) * tick_s
