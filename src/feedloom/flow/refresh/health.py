"""The health of a feed: one pure transition from an outcome to state and schedule."""

from datetime import datetime, timedelta

from feedloom.flow.refresh.cadence import next_poll, rest_of_ttl, skips, unpolled_rule
from feedloom.flow.refresh.schedule import BACKOFF_S, DAY_S, OFFLINE_S, WEEK_S
from feedloom.model.feed import Asked
from feedloom.model.reasons import Reason, scheduled_at
from feedloom.model.stages import FeedState, FeedToRefresh, FetchStatus, Outcome, Verdict

_WEEKLY_AFTER = timedelta(days=14)
_REVIVE_FROM = 3
_LOOK_AGAIN_TIMES = 2
_JITTER = 0.1
RETRY_AFTER_S = (60, WEEK_S)
"""Bounds on what ``Retry-After`` may ask."""

_PERMANENT = {
    Outcome.GONE: "gone",
    Outcome.BAD_REQUEST: "bad_request",
    Outcome.NOT_A_FEED: "not_a_feed",
}


def next_health(  # noqa: PLR0913 - what a verdict depends on
    feed: FeedToRefresh,
    outcome: Outcome,
    *,
    now: datetime,
    asked: Asked | None = None,
    fresh_for_s: int = 0,
    retry_after_s: int | None = None,
    chance: float = 0.5,
) -> Verdict:
    """Decide a feed's state and next poll after an attempt. Total and deterministic."""
    if outcome.succeeded:
        reason = next_poll(
            feed,
            now=now,
            # Who answers that nothing changed still asks what it asked.
            asked=feed.asked if asked is None else asked,
            fresh_for_s=fresh_for_s,
            chance=chance,
        )
        return _verdict(FeedState.HEALTHY, FetchStatus.SUCCESS, reason)
    if outcome is Outcome.OFFLINE:
        reason = {
            "rule": "offline",
            "at": now.isoformat(),
            "interval_s": OFFLINE_S,
            **_looks(feed, outcome),
            **rest_of_ttl(feed, now),
            **skips(feed.asked),
        }
        return _verdict(feed.state, None, reason, feed=feed, charge=False)
    failures = feed.consecutive_failures + 1
    since = feed.failing_since or now
    if feed.one_strike and not feed.subscriber_count and feed.proxied:
        reason = {"rule": "one_strike", "at": now.isoformat()}
        return _verdict(FeedState.PAUSED, _status(outcome), reason, failures=failures, since=since)
    reason = _failure_reason(feed, outcome, now=now, retry_after_s=retry_after_s, chance=chance)
    return _verdict(
        _failure_state(outcome, failures),
        _status(outcome),
        reason,
        failures=failures,
        since=since,
        revive=unpolled_rule(feed) is None and _should_revive(outcome, failures),
    )


def _failure_reason(
    feed: FeedToRefresh,
    outcome: Outcome,
    *,
    now: datetime,
    retry_after_s: int | None,
    chance: float,
) -> Reason:
    failures = feed.consecutive_failures + 1
    looks = _looks(feed, outcome)
    reason: dict[str, object] = {"at": now.isoformat(), "failures": failures, **looks}
    unpolled = unpolled_rule(feed)
    if unpolled is not None:
        return reason | {"rule": unpolled}
    if outcome in _PERMANENT:
        return reason | {"rule": _PERMANENT[outcome]}
    reason |= rest_of_ttl(feed, now) | skips(feed.asked)
    if outcome is Outcome.UNAUTHORIZED:
        if feed.last_success_at is not None and looks["looks"] <= _LOOK_AGAIN_TIMES:
            return reason | {"rule": "look_again", "interval_s": DAY_S}
        return reason | {"rule": "unauthorized"}
    if outcome is Outcome.RATE_LIMITED and retry_after_s is not None:
        low, high = RETRY_AFTER_S
        wait_s = min(max(retry_after_s, low), high)
        return reason | {"rule": "rate_limited", "interval_s": wait_s}
    interval_s = _backoff_s(feed, failures, now)
    if outcome is Outcome.BLOCKED:
        interval_s = max(interval_s, DAY_S)
    rule = "blocked" if outcome is Outcome.BLOCKED else "backoff"
    jitter_s = round(interval_s * _JITTER * (2 * chance - 1))
    return reason | {"rule": rule, "interval_s": interval_s, "jitter_s": jitter_s}


def _looks(feed: FeedToRefresh, outcome: Outcome) -> dict[str, int]:
    """Count how often it wanted a password since it worked; other faults are apart."""
    looks = feed.looks + (outcome is Outcome.UNAUTHORIZED)
    return {"looks": looks} if looks else {}


def _backoff_s(feed: FeedToRefresh, failures: int, now: datetime) -> int:
    if failures <= len(BACKOFF_S):
        return BACKOFF_S[failures - 1]
    long_gone = feed.failing_since is not None and now - feed.failing_since > _WEEKLY_AFTER
    return WEEK_S if long_gone else DAY_S


def _failure_state(outcome: Outcome, failures: int) -> FeedState:
    if outcome in _PERMANENT or outcome is Outcome.UNAUTHORIZED:
        return FeedState.UNHEALTHY
    return FeedState.UNHEALTHY if failures > len(BACKOFF_S) else FeedState.DEGRADED


def _status(outcome: Outcome) -> FetchStatus:
    if outcome in _PERMANENT:
        return FetchStatus.PERMANENT_ERROR
    if outcome is Outcome.UNAUTHORIZED:
        return FetchStatus.UNAUTHORIZED
    return FetchStatus.TEMPORARY_ERROR


def _should_revive(outcome: Outcome, failures: int) -> bool:
    if outcome in _PERMANENT:
        return True
    return outcome is not Outcome.UNAUTHORIZED and failures >= _REVIVE_FROM


def _verdict(  # noqa: PLR0913 - the parts of a verdict
    state: FeedState,
    status: FetchStatus | None,
    reason: Reason,
    *,
    failures: int = 0,
    since: datetime | None = None,
    revive: bool = False,
    charge: bool = True,
    feed: FeedToRefresh | None = None,
) -> Verdict:
    return Verdict(
        state=state,
        status=status,
        next_run_at=scheduled_at(reason),
        reason=reason,
        consecutive_failures=feed.consecutive_failures if feed else failures,
        failing_since=feed.failing_since if feed else since,
        revive=revive,
        charge=charge,
    )
