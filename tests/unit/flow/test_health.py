"""The health transition: every outcome, every count, no surprises."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from feedloom.flow.refresh.health import next_health
from feedloom.flow.refresh.schedule import explain
from feedloom.model.feed import Asked
from feedloom.model.reasons import scheduled_at
from feedloom.model.stages import FeedState, FeedToRefresh, FetchStatus, Outcome
from tests.fakes import START

FEED = FeedToRefresh(
    feed_id=1,
    url="https://site.example/feed",
    host_key="site.example",
    lease_token="t",
    subscriber_count=1,
)
MINUTES = 60
HOURS = 3600
DAYS = 86_400


def failing(count: int, **more: Any) -> FeedToRefresh:
    return replace(FEED, consecutive_failures=count, **more)


@pytest.mark.parametrize("outcome", [Outcome.NEW, Outcome.UNCHANGED, Outcome.NOT_MODIFIED])
def test_success_makes_healthy_and_forgets_failures(outcome):
    verdict = next_health(failing(7, failing_since=START), outcome, now=START)

    assert verdict.state is FeedState.HEALTHY
    assert verdict.status is FetchStatus.SUCCESS
    assert verdict.consecutive_failures == 0
    assert verdict.failing_since is None
    assert not verdict.revive


@pytest.mark.parametrize(
    ("before", "seconds", "state"),
    [
        (0, 5 * MINUTES, FeedState.DEGRADED),
        (1, 15 * MINUTES, FeedState.DEGRADED),
        (2, 1 * HOURS, FeedState.DEGRADED),
        (3, 6 * HOURS, FeedState.DEGRADED),
        (4, 24 * HOURS, FeedState.DEGRADED),
        (5, 24 * HOURS, FeedState.UNHEALTHY),
        (50, 24 * HOURS, FeedState.UNHEALTHY),
    ],
)
def test_temporary_errors_back_off(before, seconds, state):
    verdict = next_health(failing(before), Outcome.TEMPORARY, now=START)

    assert verdict.next_run_at == START + timedelta(seconds=seconds)
    assert verdict.state is state
    assert verdict.status is FetchStatus.TEMPORARY_ERROR
    assert verdict.consecutive_failures == before + 1


def test_a_feed_failing_for_two_weeks_is_tried_weekly():
    since = START - timedelta(days=15)

    verdict = next_health(failing(20, failing_since=since), Outcome.TEMPORARY, now=START)

    assert verdict.next_run_at == START + timedelta(days=7)
    assert verdict.failing_since == since


@pytest.mark.parametrize("steps", [(60,), (60, 600, 3600, 7200), tuple(range(60, 70))])
def test_a_feed_is_unhealthy_once_the_steps_are_used_up(steps, monkeypatch):
    monkeypatch.setattr("feedloom.flow.refresh.health.BACKOFF_S", steps)

    verdicts = [
        next_health(failing(before), Outcome.TEMPORARY, now=START)
        for before in range(len(steps) + 1)
    ]

    due = [v.next_run_at for v in verdicts if v.next_run_at is not None]
    waits = [int((at - START).total_seconds()) for at in due]
    assert waits == [*steps, DAYS]
    states = [FeedState.DEGRADED] * len(steps) + [FeedState.UNHEALTHY]
    assert [v.state for v in verdicts] == states


def test_sentences_tell_the_numbers_they_were_made_of():
    for rule in ("quiet", "hub", "directory", "look_again", "offline", "interval"):
        said = [explain({"rule": rule, "interval_s": s}) for s in (DAYS, 2 * HOURS)]

        assert "day" in said[0]
        assert "1 day" not in said[0] or "in 1 day" in said[0]
        assert "2 hours" in said[1]


@pytest.mark.threat("Q17")
@pytest.mark.parametrize(("chance", "factor"), [(0.0, 0.9), (1.0, 1.1)])
def test_backoff_is_spread_by_a_tenth(chance, factor):
    verdict = next_health(FEED, Outcome.TEMPORARY, now=START, chance=chance)

    assert verdict.next_run_at == START + timedelta(seconds=300 * factor)


@pytest.mark.threat("S24")
@pytest.mark.parametrize(
    ("asked", "seconds"), [(0, 60), (30, 60), (600, 600), (10**12, 7 * DAYS), (None, 5 * MINUTES)]
)
def test_retry_after_is_honoured_within_bounds(asked, seconds):
    verdict = next_health(FEED, Outcome.RATE_LIMITED, now=START, retry_after_s=asked)

    assert verdict.next_run_at == START + timedelta(seconds=seconds)
    assert verdict.status is FetchStatus.TEMPORARY_ERROR


def test_unauthorized_is_not_scheduled_when_it_never_worked():
    verdict = next_health(FEED, Outcome.UNAUTHORIZED, now=START)

    assert verdict.next_run_at is None
    assert verdict.status is FetchStatus.UNAUTHORIZED
    assert verdict.state is FeedState.UNHEALTHY
    assert not verdict.revive


@pytest.mark.parametrize("timeouts", [0, 1, 7])
@pytest.mark.parametrize(("looks", "again"), [(0, True), (1, True), (2, False)])
def test_unauthorized_is_looked_at_twice_whatever_failed_before(timeouts, looks, again):
    feed = failing(timeouts + looks, looks=looks, last_success_at=START - timedelta(days=1))

    verdict = next_health(feed, Outcome.UNAUTHORIZED, now=START)

    assert verdict.next_run_at == (START + timedelta(days=1) if again else None)
    assert verdict.reason["looks"] == looks + 1


@pytest.mark.parametrize("outcome", [Outcome.TEMPORARY, Outcome.OFFLINE])
def test_other_faults_in_between_do_not_start_the_looks_over(outcome):
    verdict = next_health(failing(1, looks=1), outcome, now=START)

    assert verdict.reason["looks"] == 1


@pytest.mark.parametrize("outcome", [Outcome.NEW, Outcome.TEMPORARY, Outcome.GONE])
def test_a_mailing_list_is_not_scheduled_whatever_an_attempt_brought(outcome):
    verdict = next_health(replace(FEED, is_mailing_list=True), outcome, now=START)

    assert verdict.next_run_at is None
    assert verdict.reason["rule"] == "mailing_list"
    assert not verdict.revive
    assert scheduled_at(verdict.reason) is None


@pytest.mark.parametrize("outcome", [Outcome.GONE, Outcome.NOT_A_FEED, Outcome.BAD_REQUEST])
def test_permanent_errors_are_not_scheduled_and_looked_into(outcome):
    verdict = next_health(FEED, outcome, now=START)

    assert verdict.next_run_at is None
    assert verdict.status is FetchStatus.PERMANENT_ERROR
    assert verdict.state is FeedState.UNHEALTHY
    assert verdict.revive


@pytest.mark.parametrize(("before", "revive"), [(0, False), (1, False), (2, True), (9, True)])
def test_the_third_failure_in_a_row_asks_for_revival(before, revive):
    assert next_health(failing(before), Outcome.TEMPORARY, now=START).revive is revive


def test_our_own_outage_charges_nobody():
    feed = failing(2, state=FeedState.DEGRADED, failing_since=START)

    verdict = next_health(feed, Outcome.OFFLINE, now=START)

    assert not verdict.charge
    assert verdict.state is FeedState.DEGRADED
    assert verdict.consecutive_failures == 2
    assert verdict.next_run_at == START + timedelta(minutes=5)


def test_one_strike_pauses_a_feed_that_is_only_proxied():
    feed = replace(FEED, subscriber_count=0, proxied=True, one_strike=True)

    verdict = next_health(feed, Outcome.TEMPORARY, now=START)

    assert verdict.state is FeedState.PAUSED
    assert verdict.next_run_at is None


def test_one_strike_does_not_stop_a_feed_that_people_read():
    feed = replace(FEED, proxied=True, one_strike=True)

    verdict = next_health(feed, Outcome.TEMPORARY, now=START)

    assert verdict.next_run_at == START + timedelta(minutes=5)


@pytest.mark.parametrize(
    ("week_articles", "seconds"),
    [
        (7, 6 * HOURS),
        (28, 90 * MINUTES),
        (1, 12 * HOURS),
        (168, 15 * MINUTES),
        (252, 10 * MINUTES),
        (10_000, 10 * MINUTES),
        (0, 24 * HOURS),
    ],
)
def test_cadence_is_four_times_the_publishing_rate_within_bounds(week_articles, seconds):
    feed = replace(FEED, week_articles=week_articles)

    verdict = next_health(feed, Outcome.NEW, now=START)

    assert verdict.next_run_at == START + timedelta(seconds=seconds)


@pytest.mark.parametrize(("chance", "minutes"), [(0.0, -30), (1.0, 30)])
def test_quiet_feeds_are_spread_by_half_an_hour(chance, minutes):
    verdict = next_health(FEED, Outcome.NOT_MODIFIED, now=START, chance=chance)

    assert verdict.next_run_at == START + timedelta(days=1, minutes=minutes)


@pytest.mark.parametrize(
    ("fresh_for_s", "ttl_s", "seconds"),
    [
        (3600, None, 3600),
        (60, None, 10 * MINUTES),
        (0, 7200, 7200),
        (1800, 7200, 7200),
        (10**9, None, DAYS),
    ],
)
def test_never_sooner_than_the_publisher_asks(fresh_for_s, ttl_s, seconds):
    feed = replace(FEED, week_articles=1000)

    verdict = next_health(
        feed, Outcome.NEW, now=START, asked=Asked(ttl_s=ttl_s), fresh_for_s=fresh_for_s
    )

    assert verdict.next_run_at == START + timedelta(seconds=seconds)


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("fresh_for_s", "ttl_s"), [(DAYS, None), (0, DAYS)])
def test_quiet_feeds_are_spread_without_being_sooner_than_asked(fresh_for_s, ttl_s, chance):
    verdict = next_health(
        FEED,
        Outcome.NEW,
        now=START,
        asked=Asked(ttl_s=ttl_s),
        fresh_for_s=fresh_for_s,
        chance=chance,
    )

    assert verdict.next_run_at is not None
    wait = verdict.next_run_at - START
    assert timedelta(days=1) <= wait <= timedelta(days=1, minutes=30)


def test_skipped_hours_are_left_out():
    asked = Asked(skip_hours=frozenset({12, 13, 14}))
    feed = replace(FEED, week_articles=1000)

    verdict = next_health(feed, Outcome.NEW, now=START, asked=asked)

    assert verdict.next_run_at == START.replace(hour=15, minute=0)


def test_skipping_everything_still_polls_within_a_day():
    asked = Asked(skip_hours=frozenset(range(24)), skip_days=frozenset(range(7)))

    verdict = next_health(replace(FEED, week_articles=1000), Outcome.NEW, now=START, asked=asked)

    assert verdict.next_run_at is not None
    assert verdict.next_run_at <= START + timedelta(days=1, minutes=15)


@pytest.mark.parametrize(
    ("changes", "rule", "seconds"),
    [
        ({"interval_s": 1234}, "interval", 1234),
        ({"interval_s": 1}, "interval", 60),
        ({"hub_active_until": START + timedelta(days=3)}, "hub", DAYS),
        ({"subscriber_count": 0, "in_directory": True}, "directory", 7 * DAYS),
        ({"subscriber_count": 0}, "unwanted", None),
        ({"subscriber_count": 0, "proxied": True}, "one_shot", None),
        ({"subscriber_count": 0, "proxied": True, "proxy_polling": True}, "quiet", DAYS),
    ],
)
def test_other_rules_of_the_cadence(changes, rule, seconds):
    verdict = next_health(replace(FEED, **changes), Outcome.NEW, now=START)

    assert verdict.reason["rule"] == rule
    expected = None if seconds is None else START + timedelta(seconds=seconds)
    assert verdict.next_run_at == expected


@pytest.mark.parametrize("outcome", [Outcome.TEMPORARY, Outcome.GONE, Outcome.BLOCKED])
def test_a_feed_nobody_wants_is_neither_tried_again_nor_revived(outcome):
    left = replace(FEED, subscriber_count=0, consecutive_failures=5)

    verdict = next_health(left, outcome, now=START)

    assert verdict.next_run_at is None
    assert verdict.reason["rule"] == "unwanted"
    assert not verdict.revive


POLLED = {"proxied": True, "proxy_polling": True}


@pytest.mark.parametrize(
    ("changes", "seconds"),
    [
        ({"subscriber_count": 0, "proxy_interval_s": 1_200}, 1_200),
        ({"subscriber_count": 0, "proxy_interval_s": 3 * DAYS}, 3 * DAYS),
        ({"subscriber_count": 0, "proxy_interval_s": 1}, 60),
        # What readers get is a floor for the proxy, and never made worse by it.
        ({"interval_s": 3_600, "proxy_interval_s": 600}, 600),
        ({"interval_s": 3_600, "proxy_interval_s": 7_200}, 3_600),
        ({"week_articles": 28, "proxy_interval_s": 10 * DAYS}, 5_400),
        ({"proxy_interval_s": 600, "proxy_polling": False}, DAYS),
        ({"proxy_interval_s": 600, "proxied": False}, DAYS),
    ],
)
def test_a_proxy_may_ask_for_more_than_readers_get_and_never_for_less(changes, seconds):
    verdict = next_health(replace(FEED, **(POLLED | changes)), Outcome.NEW, now=START)

    assert verdict.next_run_at == START + timedelta(seconds=seconds)
    assert scheduled_at(verdict.reason) == verdict.next_run_at


FEEDS = st.builds(
    FeedToRefresh,
    proxy_interval_s=st.none() | st.integers(-5, 10**6),
    is_mailing_list=st.booleans(),
    looks=st.integers(0, 5),
    feed_id=st.just(1),
    url=st.just("https://site.example/feed"),
    host_key=st.just("site.example"),
    lease_token=st.just("t"),
    state=st.sampled_from(FeedState),
    consecutive_failures=st.integers(0, 10_000),
    failing_since=st.none() | st.just(START - timedelta(days=20)),
    last_success_at=st.none() | st.just(START - timedelta(days=1)),
    subscriber_count=st.integers(0, 3),
    interval_s=st.none() | st.integers(-5, 10**6),
    proxied=st.booleans(),
    proxy_polling=st.booleans(),
    one_strike=st.booleans(),
    week_articles=st.integers(0, 10**6),
    hub_active_until=st.none() | st.just(START + timedelta(days=1)),
)
ASKED = st.builds(
    Asked,
    ttl_s=st.none() | st.integers(0, 10**9),
    skip_hours=st.frozensets(st.integers(0, 23)),
    skip_days=st.frozensets(st.integers(0, 6)),
)


@given(
    feed=FEEDS,
    outcome=st.sampled_from(Outcome),
    asked=ASKED,
    fresh_for_s=st.integers(0, 10**12),
    retry_after_s=st.none() | st.integers(0, 10**12),
    chance=st.floats(0, 1),
)
def test_the_transition_is_total_and_its_time_follows_from_its_reason(
    feed, outcome, asked, fresh_for_s, retry_after_s, chance
):
    arguments = {
        "now": START,
        "asked": asked,
        "fresh_for_s": fresh_for_s,
        "retry_after_s": retry_after_s,
        "chance": chance,
    }

    verdict = next_health(feed, outcome, **arguments)

    assert verdict == next_health(feed, outcome, **arguments)
    assert scheduled_at(verdict.reason) == verdict.next_run_at
    assert explain(verdict.reason).endswith(".")
    if verdict.next_run_at is not None:
        assert START < verdict.next_run_at < START + timedelta(days=30)


@given(failures=st.integers(0, 30), chance=st.floats(0, 1))
def test_backoff_never_gets_shorter(failures, chance):
    def wait(count: int) -> datetime:
        found = next_health(
            failing(count, failing_since=START), Outcome.TEMPORARY, now=START, chance=chance
        ).next_run_at
        assert found is not None
        return found

    assert wait(failures) <= wait(failures + 1)


def test_new_feeds_are_told_apart_by_how_they_were_added():
    assert explain({"rule": "new", "alone": True}).endswith("Fetching it now.")
    assert explain({"rule": "new"}).endswith("Waiting for other requests to its site.")
