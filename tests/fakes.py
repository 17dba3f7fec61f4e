"""Working stand-ins for the ports: they keep the promises, without the world."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class FixedClock:
    """A ``Clock`` that stands still until a test moves it."""

    def __init__(self, now: datetime = START) -> None:
        self._now = _in_utc(now)

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta | float) -> datetime:
        """Move forward by a duration or by seconds; return the new time."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        if step < timedelta(0):
            raise ValueError("a clock does not run backwards; use set()")
        self._now += step
        return self._now

    def set(self, now: datetime) -> None:
        """Jump to a time, also backwards, as a corrected system clock does."""
        self._now = _in_utc(now)


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("times are aware")
    return moment.astimezone(UTC)
