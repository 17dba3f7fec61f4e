"""Times as columns hold them: microseconds since 1970, UTC."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000


def to_us(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def maybe_us(at: datetime | None) -> int | None:
    return None if at is None else to_us(at)


def from_us(value: int) -> datetime:
    """Read a time; one that is none, in a damaged row, is long ago."""
    try:
        return _EPOCH + timedelta(microseconds=value)
    except (OverflowError, TypeError):
        return _EPOCH


def maybe_time(value: int | None) -> datetime | None:
    return None if value is None else from_us(value)
