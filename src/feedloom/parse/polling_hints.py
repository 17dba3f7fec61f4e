"""What a document asks of pollers: how seldom, and when not at all."""

import re

from feedloom.model.feed import Asked
from feedloom.parse.raw import RawFeed

_PERIODS_S = {
    "hourly": 3_600,
    "daily": 86_400,
    "weekly": 7 * 86_400,
    "monthly": 30 * 86_400,
    "yearly": 365 * 86_400,
}
_LONGEST_S = 365 * 86_400
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBER = re.compile(r"\s*(\d{1,7})\s*")
_HOURS_A_DAY = 24


def asked(raw: RawFeed) -> Asked:
    """Return what a document asks, clamped to a year."""
    hours = {number for text in raw.skip_hours if (number := _number(text)) is not None}
    days = {text.strip().lower()[:3] for text in raw.skip_days}
    return Asked(
        ttl_s=_pause_s(raw),
        skip_hours=frozenset(
            hour % _HOURS_A_DAY for hour in hours if hour <= _HOURS_A_DAY
        ),
        skip_days=frozenset(n for n, day in enumerate(_DAYS) if day in days),
    )


def _pause_s(raw: RawFeed) -> int | None:
    minutes = _number(raw.ttl_minutes) or 0
    period = _PERIODS_S.get(raw.update_period.strip().lower(), 0)
    frequency = _number(raw.update_frequency) or 1
    longest = max(minutes * 60, period // frequency)
    return min(longest, _LONGEST_S) or None


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    return int(match[1]) if match else None
