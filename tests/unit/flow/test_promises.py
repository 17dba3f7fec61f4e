"""What publishers ask holds at every poll, whatever happened before: months, simulated.

The model keeps what the publisher asked last and when it was answered; each poll of the
schedule is held against it. Polls may be late, since workers may be busy or down.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from feedloom.flow.refresh.health import next_health
from feedloom.model.feed import Asked
from feedloom.model.reasons import after_skips
from feedloom.model.stages import FeedToRefresh, Outcome, Verdict

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
MONTHS = timedelta(days=75)
MOST_POLLS = 400
DAY_S = 86_400
FEED = FeedToRefresh(
    feed_id=1,
    url="https://site.example/feed",
    host_key="site.example",
    lease_token="t",
    subscriber_count=1,
)


@dataclass(frozen=True)
class Event:
    """How one poll ends, and how late it is made.

    With ``by_hand_s`` somebody asks for the next one so long after it, if it is not due
    before. That poll may break what the publisher asked; those after it may not.
    """

    outcome: Outcome
    asked: Asked
    fresh_for_s: int
    retry_after_s: int
    late_s: int
    by_hand_s: int | None


@dataclass
class Model:
    """What the publisher may count on."""

    asked: Asked = field(default_factory=Asked)
    succeeded_at: datetime | None = None
    not_before: datetime | None = None
    broken: list[str] = field(default_factory=list)

    def poll(self, at: datetime) -> None:
        asked = self.asked
        is_sane = len(asked.skip_hours) < 24 and len(asked.skip_days) < 7
        if is_sane and at.hour in asked.skip_hours:
            self.broken.append(f"hour {at.hour} is to be skipped")
        if is_sane and at.weekday() in asked.skip_days:
            self.broken.append(f"day {at.weekday()} is to be skipped")
        if asked.ttl_s and self.succeeded_at is not None:
            kept = timedelta(seconds=min(asked.ttl_s, DAY_S))
            if at < self.succeeded_at + kept:
                self.broken.append(f"{at - self.succeeded_at} is before the ttl")
        if self.not_before is not None and at < self.not_before:
            self.broken.append("the server asked for patience")

    def answer(self, at: datetime, event: Event) -> None:
        # A poll by hand that fails ends the server's patience: it was asked again.
        self.not_before = None
        wait_s = 0
        if event.outcome is Outcome.NEW:
            self.asked = event.asked
        if event.outcome.succeeded:
            self.succeeded_at = at
            wait_s = min(event.fresh_for_s, DAY_S)
        elif event.outcome is Outcome.RATE_LIMITED:
            wait_s = min(max(event.retry_after_s, 60), 7 * DAY_S)
        if wait_s:
            self.not_before = at + timedelta(seconds=wait_s)


ASKED = st.builds(
    Asked,
    ttl_s=st.none() | st.integers(60, 10 * DAY_S),
    skip_hours=st.frozensets(st.integers(0, 23), max_size=20),
    skip_days=st.frozensets(st.integers(0, 6), max_size=5),
)
EVENTS = st.builds(
    Event,
    outcome=st.sampled_from(
        [
            *(Outcome.NEW, Outcome.NOT_MODIFIED, Outcome.UNCHANGED),
            *(Outcome.TEMPORARY, Outcome.RATE_LIMITED, Outcome.OFFLINE),
            *(Outcome.BLOCKED, Outcome.UNAUTHORIZED),
        ]
    ),
    asked=ASKED,
    fresh_for_s=st.integers(0, 2 * DAY_S),
    retry_after_s=st.integers(0, 3 * DAY_S),
    late_s=st.sampled_from([0, 0, 1, 600, 7_200, 40_000]),
    by_hand_s=st.sampled_from([None, None, 60, 3_600, 50_000]),
)


@settings(max_examples=60, deadline=None)
@given(
    events=st.lists(EVENTS, min_size=1, max_size=12),
    chance=st.floats(0, 1),
    week_articles=st.integers(0, 2_000),
    interval_s=st.none() | st.integers(60, DAY_S),
)
def test_no_poll_breaks_what_the_publisher_asked(
    events: list[Event], chance: float, week_articles: int, interval_s: int | None
):
    model, at = Model(), START
    feed = replace(FEED, week_articles=week_articles, interval_s=interval_s)
    polls, is_by_hand = 0, False

    while at < START + MONTHS and polls < MOST_POLLS:
        if not is_by_hand:
            model.poll(at)
        event = events[polls % len(events)]
        polls += 1
        verdict = next_health(
            feed,
            event.outcome,
            now=at,
            asked=event.asked if event.outcome is Outcome.NEW else None,
            fresh_for_s=event.fresh_for_s,
            retry_after_s=event.retry_after_s,
            chance=chance,
        )
        model.answer(at, event)
        feed = _stored(feed, event, at, verdict.consecutive_failures)
        if verdict.next_run_at is None and event.by_hand_s is None:
            break
        at, is_by_hand = _next(at, event, verdict)

    assert model.broken == []


def _stored(feed: FeedToRefresh, event: Event, at: datetime, failures: int) -> FeedToRefresh:
    """Return the feed as the next claim reads it: what is stored, and nothing else."""
    return replace(
        feed,
        asked=event.asked if event.outcome is Outcome.NEW else feed.asked,
        last_success_at=at if event.outcome.succeeded else feed.last_success_at,
        consecutive_failures=failures,
    )


def _next(at: datetime, event: Event, verdict: Verdict) -> tuple[datetime, bool]:
    """Tell when the feed is fetched next, and whether because somebody asks.

    A worker that is late puts skipped hours off again.
    """
    due_at = verdict.next_run_at
    if event.by_hand_s is not None:
        asked_at = at + timedelta(seconds=event.by_hand_s)
        if due_at is None or asked_at < due_at:
            return asked_at, True
    assert due_at is not None
    return after_skips(due_at + timedelta(seconds=event.late_s), verdict.reason), False


def test_a_weekend_is_skipped_as_a_whole():
    asked = Asked(skip_days=frozenset({5, 6}))
    friday = datetime(2026, 3, 6, 23, 50, tzinfo=UTC)

    verdict = next_health(
        replace(FEED, week_articles=1_000, asked=asked), Outcome.UNCHANGED, now=friday
    )

    assert verdict.next_run_at == datetime(2026, 3, 9, tzinfo=UTC)


def test_a_failure_before_the_ttl_is_over_waits_for_it():
    asked = Asked(ttl_s=36_000)
    feed = replace(FEED, asked=asked, last_success_at=START - timedelta(hours=1))

    verdict = next_health(feed, Outcome.TEMPORARY, now=START)

    assert verdict.next_run_at == START + timedelta(hours=9)


def test_a_failure_after_the_ttl_is_tried_again_soon():
    asked = Asked(ttl_s=3_600)
    feed = replace(FEED, asked=asked, last_success_at=START - timedelta(hours=1))

    verdict = next_health(feed, Outcome.TEMPORARY, now=START)

    assert verdict.next_run_at == START + timedelta(minutes=5)


def test_a_304_keeps_the_ttl():
    feed = replace(FEED, asked=Asked(ttl_s=36_000), week_articles=400)

    for outcome in (Outcome.NOT_MODIFIED, Outcome.UNCHANGED):
        verdict = next_health(feed, outcome, now=START)
        assert verdict.next_run_at == START + timedelta(seconds=36_000)
        assert verdict.reason["floor_by"] == "ttl"
