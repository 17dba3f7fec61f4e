"""The time of an action: browsers send actions that were taken offline later."""

from datetime import datetime, timedelta

from starlette.requests import Request

from feedloom.model.errors import InvalidInput
from feedloom.serve.origin import services

_LONGEST_AGO = timedelta(days=90)
_MOST_DIGITS = 15


def done_at(request: Request) -> datetime | None:
    """Read how many milliseconds ago it was; None for what is done now.

    A span and no time, so that it does not matter which time a browser believes it is.
    """
    given = request.query_params.get("ago")
    if given is None:
        return None
    if not given.isascii() or not given.isdecimal() or len(given) > _MOST_DIGITS:
        raise InvalidInput("Invalid query parameters", field="ago")
    span = min(timedelta(milliseconds=int(given)), _LONGEST_AGO)
    return services(request).clock.now() - span
