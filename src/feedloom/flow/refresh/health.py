"""What an answer, or the lack of one, means for a feed: outcome, state and next poll. Pure.

HTTP statuses, headers and fetch errors become an outcome, the sentence people see and the
seconds the publisher asks for; an outcome becomes state and schedule.
"""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from feedloom.flow.refresh.schedule import (
    BACKOFF_S,
    DAY_S,
    WEEK_S,
    next_poll,
    rest_of_ttl,
    skips,
    unpolled_rule,
)
from feedloom.model.errors import BlockedAddress, FetchError, RedirectError, TooLarge
from feedloom.model.feed import Asked
from feedloom.model.reasons import Reason, scheduled_at
from feedloom.model.stages import (
    FeedState,
    FeedToRefresh,
    FetchResponse,
    FetchStatus,
    Outcome,
    Verdict,
)

_OFFLINE_S = 300
_WEEKLY_AFTER = timedelta(days=14)
_REVIVE_FROM = 3
_LOOK_AGAIN_TIMES = 2
_JITTER = 0.1
_RETRY_AFTER_S = (60, WEEK_S)
"""Bounds on what ``Retry-After`` may ask."""
_PERMANENT = {
    Outcome.GONE: "gone",
    Outcome.BAD_REQUEST: "bad_request",
    Outcome.NOT_A_FEED: "not_a_feed",
}
_STATUSES = {
    304: (Outcome.NOT_MODIFIED, None),
    400: (Outcome.BAD_REQUEST, "Invalid request"),
    401: (Outcome.UNAUTHORIZED, "Authentication required"),
    403: (Outcome.UNAUTHORIZED, "Authentication required"),
    404: (Outcome.GONE, "Feed no longer available"),
    408: (Outcome.TEMPORARY, None),
    410: (Outcome.GONE, "Feed no longer available"),
    425: (Outcome.TEMPORARY, None),
    429: (Outcome.RATE_LIMITED, "Rate limited"),
}
_OK, _CLIENT_ERROR, _SERVER_ERROR, _UNAVAILABLE = 200, 400, 500, 503


def outcome_of(answer: FetchResponse) -> tuple[Outcome, str | None]:
    """Tell what a status means; a 200 still has to be parsed (``NEW``)."""
    status = answer.status
    if status == _OK:
        return Outcome.NEW, None
    if status == _UNAVAILABLE and "retry-after" in answer.headers:
        return Outcome.RATE_LIMITED, "Rate limited"
    if status >= _SERVER_ERROR:
        return Outcome.TEMPORARY, f"The server has a problem (HTTP {status})."
    usual = Outcome.BAD_REQUEST if status >= _CLIENT_ERROR else Outcome.TEMPORARY
    outcome, sentence = _STATUSES.get(status, (usual, None))
    return outcome, sentence or f"The server sent an unexpected response (HTTP {status})."


def outcome_of_error(error: FetchError) -> Outcome:
    if isinstance(error, BlockedAddress | TooLarge | RedirectError):
        return Outcome.BLOCKED
    return Outcome.TEMPORARY


def retry_after_s(answer: FetchResponse, now: datetime) -> int | None:
    """Read ``Retry-After``, seconds or a date; None when there is none to be read."""
    value = answer.headers.get("retry-after", "").strip()
    return int(value[:12]) if value.isdecimal() else _seconds_until(value, now)


def fresh_for_s(answer: FetchResponse, now: datetime) -> int:
    """Read how long the server asks not to be asked again: max-age, else Expires."""
    control = answer.headers.get("cache-control", "").lower()
    expires = answer.headers.get("expires")
    if not control and expires is None:
        return 0
    directives = [part.strip() for part in control.split(",")]
    if "no-cache" in directives or "no-store" in directives:
        return 0
    for directive in directives:
        name, _, value = directive.partition("=")
        if name.strip() == "max-age":
            value = value.strip(' "')
            return int(value[:12]) if value.isdecimal() else 0
    return _seconds_until(expires or "", now) or 0


def _seconds_until(http_date: str, now: datetime) -> int | None:
    try:
        at = parsedate_to_datetime(http_date)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0, int((aware - now).total_seconds()))


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
        # Who answers that nothing changed still asks what it asked.
        asked = feed.asked if asked is None else asked
        reason = next_poll(feed, now=now, asked=asked, fresh_for_s=fresh_for_s, chance=chance)
        return Verdict(
            FeedState.HEALTHY, FetchStatus.SUCCESS, scheduled_at(reason), reason, 0, None
        )
    if outcome is Outcome.OFFLINE:
        reason = {
            "rule": "offline",
            "at": now.isoformat(),
            "interval_s": _OFFLINE_S,
            **_looks(feed, outcome),
            **rest_of_ttl(feed, now),
            **skips(feed.asked),
        }
        failures, since = feed.consecutive_failures, feed.failing_since
        at = scheduled_at(reason)
        return Verdict(feed.state, None, at, reason, failures, since, charge=False)
    failures, since = feed.consecutive_failures + 1, feed.failing_since or now
    is_final = outcome in _PERMANENT
    if is_final:
        status = FetchStatus.PERMANENT_ERROR
    elif outcome is Outcome.UNAUTHORIZED:
        status = FetchStatus.UNAUTHORIZED
    else:
        status = FetchStatus.TEMPORARY_ERROR
    if feed.one_strike and not feed.subscriber_count and feed.proxied:
        reason = {"rule": "one_strike", "at": now.isoformat()}
        return Verdict(FeedState.PAUSED, status, scheduled_at(reason), reason, failures, since)
    reason = _failure_reason(feed, outcome, now=now, retry_after_s=retry_after_s, chance=chance)
    is_lasting = status is not FetchStatus.TEMPORARY_ERROR or failures > len(BACKOFF_S)
    state = FeedState.UNHEALTHY if is_lasting else FeedState.DEGRADED
    is_dead = is_final or (outcome is not Outcome.UNAUTHORIZED and failures >= _REVIVE_FROM)
    revive = is_dead and unpolled_rule(feed) is None
    return Verdict(state, status, scheduled_at(reason), reason, failures, since, revive)


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
    if rule := unpolled_rule(feed) or _PERMANENT.get(outcome):
        return reason | {"rule": rule}
    reason |= rest_of_ttl(feed, now) | skips(feed.asked)
    if outcome is Outcome.UNAUTHORIZED:
        if feed.last_success_at is not None and looks["looks"] <= _LOOK_AGAIN_TIMES:
            return reason | {"rule": "look_again", "interval_s": DAY_S}
        return reason | {"rule": "unauthorized"}
    if outcome is Outcome.RATE_LIMITED and retry_after_s is not None:
        low, high = _RETRY_AFTER_S
        wait_s = min(max(retry_after_s, low), high)
        return reason | {"rule": "rate_limited", "interval_s": wait_s}
    if failures <= len(BACKOFF_S):
        interval_s = BACKOFF_S[failures - 1]
    else:
        long_gone = feed.failing_since is not None and now - feed.failing_since > _WEEKLY_AFTER
        interval_s = WEEK_S if long_gone else DAY_S
    rule = "backoff"
    if outcome is Outcome.BLOCKED:
        rule, interval_s = "blocked", max(interval_s, DAY_S)
    jitter_s = round(interval_s * _JITTER * (2 * chance - 1))
    return reason | {"rule": rule, "interval_s": interval_s, "jitter_s": jitter_s}


def _looks(feed: FeedToRefresh, outcome: Outcome) -> dict[str, int]:
    """Count how often it wanted a password since it worked; other faults are apart."""
    looks = feed.looks + (outcome is Outcome.UNAUTHORIZED)
    return {"looks": looks} if looks else {}
