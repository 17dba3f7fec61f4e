"""Times in the units of clients: seconds in 31 bits, milliseconds or microseconds."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 1, 1, tzinfo=UTC)
_LAST_SECOND = 2**31 - 1
_MOST_SECONDS = int((LAST - EPOCH).total_seconds())


def seconds(at: datetime) -> int:
    """Return seconds since 1970, within what 32-bit clients can hold, never 0."""
    number = whole_second(at)
    if 0 < number <= _LAST_SECOND:
        return number
    return 1 if number <= 0 else _LAST_SECOND


def whole_second(at: datetime) -> int:
    since = at - EPOCH
    return since.days * 86_400 + since.seconds


def microseconds(at: datetime) -> int:
    since = at - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def from_seconds(number: int) -> datetime:
    """Read seconds since 1970; what no calendar holds becomes its first or last day."""
    return EPOCH + timedelta(seconds=max(0, min(number, _MOST_SECONDS)))


def from_microseconds(number: int) -> datetime:
    """Read microseconds since 1970, within the calendar."""
    limit = _MOST_SECONDS * 1_000_000
    return EPOCH + timedelta(microseconds=max(0, min(number, limit)))
