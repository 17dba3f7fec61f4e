"""The time of an action: browsers send actions that were taken offline later."""

from datetime import datetime, timedelta

from starlette.requests import Request

from feedloom.model.errors import InvalidInput
from feedloom.serve.origin import services

_LONGEST_AGO = timedelta(days=90)
_MOST_DIGITS = 15


def done_at(request: Request) -> datetime | None:
    """Read when it was done; None for what is done now.

    ``ago`` counts back from the arrival of the request. ``at`` is by the server's clock, which
    keeps the order of actions whose requests take different times to arrive.
    """
    now = services(request).clock.now()
    at, ago = _milliseconds(request, "at"), _milliseconds(request, "ago")
    if at is not None:
        ago = now_ms(now) - at
    if ago is None:
        return None
    span = timedelta(milliseconds=max(0, ago))
    return now - min(span, _LONGEST_AGO)


def now_ms(now: datetime) -> int:
    """Tell the time as browsers do."""
    return int(now.timestamp() * 1000)


def _milliseconds(request: Request, name: str) -> int | None:
    given = request.query_params.get(name)
    if given is None:
        return None
    if not given.isascii() or not given.isdecimal() or len(given) > _MOST_DIGITS:
        raise InvalidInput("Invalid query parameters", field=name)
    return int(given)
