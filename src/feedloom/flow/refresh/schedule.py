"""When a feed that succeeded is polled again, and the sentence that says why. Pure.

A healthy feed is polled ``OVERSAMPLING`` times as often as it publishes, between
``FASTEST_S`` and ``SLOWEST_S``; never sooner than cache headers and the document itself
ask. The constants were chosen by simulation (docs/decisions/0010-cadence.md). The answer
is a reason, which is stored, and the time follows from it: see ``feedloom.model.reasons``.
What readers are told of each rule stands in ``schedule.toml``.
"""

import tomllib
from datetime import datetime
from pathlib import Path

from feedloom.model.feed import Asked
from feedloom.model.reader import Subscription
from feedloom.model.reasons import SHORTEST_INTERVAL_S, Reason, number_in
from feedloom.model.stages import FeedToRefresh

BACKOFF_S = (300, 900, 3_600, 21_600, 86_400)
"""What follows the first, second … failure in a row. A feed that fails more often than
there are steps is unhealthy."""
DAY_S = 86_400
WEEK_S = 7 * DAY_S
FASTEST_S = 600
SLOWEST_S = 43_200
OVERSAMPLING = 4
"""A feed is polled so many times as often as it publishes."""
_QUIET_JITTER_S = 1_800
_SENTENCES: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


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
    reason: dict[str, object] = {"at": now.isoformat()}
    if rule := unpolled_rule(feed):
        return reason | {"rule": rule}
    if not feed.subscriber_count and feed.proxied and not feed.proxy_polling:
        return reason | {"rule": "one_shot"}
    reason |= _cadence(feed, now, chance)
    if feed.proxied and feed.proxy_polling and feed.proxy_interval_s:
        # A proxy may ask for more than its feed's readers get, never for less.
        proxy_s = max(feed.proxy_interval_s, SHORTEST_INTERVAL_S)
        if not feed.subscriber_count or proxy_s < number_in(reason, "interval_s"):
            reason = {"at": now.isoformat(), "rule": "interval", "interval_s": proxy_s}
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


def _cadence(feed: FeedToRefresh, now: datetime, chance: float) -> dict[str, object]:
    spread = 2 * chance - 1
    if feed.interval_s:
        return {"rule": "interval", "interval_s": max(feed.interval_s, SHORTEST_INTERVAL_S)}
    if not feed.subscriber_count and not feed.proxied:
        return {"rule": "directory", "interval_s": WEEK_S, "jitter_s": spread * DAY_S / 2}
    if feed.hub_active_until is not None and feed.hub_active_until > now:
        return {"rule": "hub", "interval_s": DAY_S}
    if not feed.week_articles:
        return {"rule": "quiet", "interval_s": DAY_S, "jitter_s": spread * _QUIET_JITTER_S}
    interval_s = WEEK_S / (OVERSAMPLING * feed.week_articles)
    return {
        "rule": "adaptive",
        "interval_s": round(min(max(interval_s, FASTEST_S), SLOWEST_S)),
        "week_articles": feed.week_articles,
    }


def explain_feed(feed: Subscription) -> str:
    if feed.paused_at is not None:
        return "You paused this feed, so nothing new arrives."
    return explain(feed.reason)


def explain(reason: Reason) -> str:
    rule = str(reason.get("rule"))
    sentence = _SENTENCES.get("new_alone" if rule == "new" and reason.get("alone") else rule)
    if sentence is None:
        return "Not scheduled yet."
    interval_s, floor_s = number_in(reason, "interval_s"), number_in(reason, "floor_s")
    failures = int(number_in(reason, "failures"))
    span = _span(interval_s)
    said = sentence.format(
        span=span,
        every=f"every {span.removeprefix('1 ')}",
        articles=f"{number_in(reason, 'week_articles'):.0f}",
        oversampling=OVERSAMPLING,
        times="once" if failures == 1 else f"{failures} times in a row",
    )
    if floor_s > interval_s:
        by = {"cache": "the server's cache header", "ttl": "the feed"}
        asked = by.get(str(reason.get("floor_by")), "the publisher")
        said += f" But {asked} asks for at least {_span(floor_s)}."
    if reason.get("skip_hours") or reason.get("skip_days"):
        said += " Hours the publisher asks to skip are skipped."
    return said


def _span(seconds: float) -> str:
    """Say a duration in its largest fitting unit."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            text = f"{round(seconds / size, 1):g}"
            return f"{text} {unit}" + ("" if text == "1" else "s")
    return f"{seconds:.0f} seconds"
