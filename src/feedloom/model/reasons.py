"""Reasons for a feed's next poll. They are stored, and the time is derived from them.

A reason is a plain mapping: a ``rule``, the time it was decided ``at``, and what the
rule looked at. ``scheduled_at`` computes the next run from a reason and nothing else.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

Reason = Mapping[str, object]

SHORTEST_INTERVAL_S = 60
"""The shortest interval, whatever anybody asks for."""
_RULES = (
    "gone bad_request not_a_feed unauthorized one_strike one_shot unwanted unlooked mailing_list"
)
_UNSCHEDULED = frozenset(_RULES.split())
_WEEK_H = 7 * 24


def scheduled_at(reason: Reason) -> datetime | None:
    """Compute the next run from its reason; None means it is not scheduled."""
    if reason["rule"] in _UNSCHEDULED:
        return None
    at = datetime.fromisoformat(str(reason["at"]))
    wanted_s = number_in(reason, "interval_s") + number_in(reason, "jitter_s")
    # Jitter never makes the interval shorter than the publisher asks for.
    planned = at + timedelta(seconds=max(wanted_s, number_in(reason, "floor_s")))
    return after_skips(planned, reason)


def number_in(reason: Reason, name: str) -> float:
    value = reason.get(name)
    return value if isinstance(value, (int, float)) else 0.0


def after_skips(planned: datetime, reason: Reason) -> datetime:
    """Move a poll past the hours and days that the publisher asks to skip."""
    if "skip_hours" not in reason and "skip_days" not in reason:
        return planned
    hours = _numbers(reason, "skip_hours")
    days = _numbers(reason, "skip_days")
    at = planned
    for _ in range(_WEEK_H):
        utc = at.astimezone(UTC)
        if utc.hour not in hours and utc.weekday() not in days:
            return at
        at = utc.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    # A publisher that asks to be skipped always cannot mean it.
    return planned + timedelta(days=1)


def _numbers(reason: Reason, name: str) -> frozenset[int]:
    value = reason.get(name)
    if not isinstance(value, list | tuple):
        return frozenset()
    return frozenset(int(item) for item in value)
