"""How often a healthy feed is polled: pure, bounded, and never too soon.

``OVERSAMPLING`` times as often as it publishes, between ``FASTEST_S`` and ``SLOWEST_S``;
never sooner than cache headers and the document itself ask. The answer is a reason (see
``schedule``). The constants were chosen by simulation (docs/decisions/0010-cadence.md).
"""

from datetime import datetime

from feedloom.flow.refresh.schedule import DAY_S, FASTEST_S, OVERSAMPLING, SLOWEST_S, WEEK_S
from feedloom.model.feed import Asked
from feedloom.model.reasons import SHORTEST_INTERVAL_S, Reason
from feedloom.model.stages import FeedToRefresh

_QUIET_JITTER_S = 1_800


def next_poll(
    feed: FeedToRefresh,
    *,
    now: datetime,
    asked: Asked = Asked(),  # noqa: B008 - frozen
    fresh_for_s: int = 0,
    chance: float = 0.5,
) -> Reason:
    """Decide when a feed that just succeeded is polled again.

    ``fresh_for_s`` is what the server's cache headers ask; ``chance``, between 0 and 1,
    spreads polls that would fall together.
    """
    reason: dict[str, object] = {"at": now.isoformat(), **_base(feed, now, chance)}
    if reason["rule"] in {"one_shot", "unwanted", "mailing_list"}:
        return reason
    ttl_s = asked.ttl_s or 0
    if fresh_for_s > 0 or ttl_s > 0:
        reason["floor_s"] = min(max(fresh_for_s, ttl_s), DAY_S)
        reason["floor_by"] = "cache" if fresh_for_s >= ttl_s else "ttl"
    return reason | skips(asked)


def skips(asked: Asked) -> dict[str, object]:
    """Say for a reason which hours and days the publisher asks to skip."""
    named = {"skip_hours": sorted(asked.skip_hours), "skip_days": sorted(asked.skip_days)}
    return {name: numbers for name, numbers in named.items() if numbers}


def rest_of_ttl(feed: FeedToRefresh, now: datetime) -> dict[str, object]:
    """Say for a reason how long what was fetched last may still be kept."""
    if feed.last_success_at is None or not feed.asked.ttl_s:
        return {}
    kept_s = min(feed.asked.ttl_s, DAY_S)
    left_s = kept_s - (now - feed.last_success_at).total_seconds()
    return {"floor_s": round(left_s), "floor_by": "ttl"} if left_s > 0 else {}


def unpolled_rule(feed: FeedToRefresh) -> str | None:
    """Tell why a feed is not polled whatever an attempt brought; None when it is."""
    if feed.is_mailing_list:
        return "mailing_list"
    is_wanted = feed.subscriber_count or feed.proxied or feed.in_directory
    return None if is_wanted else "unwanted"


def _base(feed: FeedToRefresh, now: datetime, chance: float) -> dict[str, object]:
    unpolled = unpolled_rule(feed)
    if unpolled is not None:
        return {"rule": unpolled}
    if not feed.subscriber_count and feed.proxied and not feed.proxy_polling:
        return {"rule": "one_shot"}
    wanted = _cadence(feed, now, chance)
    if not (feed.proxied and feed.proxy_polling and feed.proxy_interval_s):
        return wanted
    # A proxy may ask for more than its feed's readers get, never for less.
    asked_s = max(feed.proxy_interval_s, SHORTEST_INTERVAL_S)
    if feed.subscriber_count and asked_s >= float(str(wanted["interval_s"])):
        return wanted
    return {"rule": "interval", "interval_s": asked_s}


def _cadence(feed: FeedToRefresh, now: datetime, chance: float) -> dict[str, object]:
    spread = 2 * chance - 1
    if feed.interval_s:
        return {"rule": "interval", "interval_s": max(feed.interval_s, SHORTEST_INTERVAL_S)}
    if not feed.subscriber_count and not feed.proxied:
        return {"rule": "directory", "interval_s": WEEK_S, "jitter_s": spread * DAY_S / 2}
    if feed.hub_active_until is not None and feed.hub_active_until > now:
        return {"rule": "hub", "interval_s": DAY_S}
    if not feed.week_articles:
        jitter_s = spread * _QUIET_JITTER_S
        return {"rule": "quiet", "interval_s": DAY_S, "jitter_s": jitter_s}
    interval_s = WEEK_S / (OVERSAMPLING * feed.week_articles)
    return {
        "rule": "adaptive",
        "interval_s": round(min(max(interval_s, FASTEST_S), SLOWEST_S)),
        "week_articles": feed.week_articles,
    }
