"""What a response, or the lack of one, means for a feed. Pure.

HTTP statuses, headers and fetch errors go in; an outcome, the sentence people see, and
the seconds the publisher asks for come out.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from feedloom.model.errors import BlockedAddress, FetchError, RedirectError, TooLarge
from feedloom.model.stages import FetchResponse, Outcome

_SENTENCES = {
    400: "Invalid request",
    401: "Authentication required",
    403: "Authentication required",
    404: "Feed no longer available",
    410: "Feed no longer available",
    429: "Rate limited",
}
_OUTCOMES = {
    304: Outcome.NOT_MODIFIED,
    400: Outcome.BAD_REQUEST,
    401: Outcome.UNAUTHORIZED,
    403: Outcome.UNAUTHORIZED,
    404: Outcome.GONE,
    410: Outcome.GONE,
    408: Outcome.TEMPORARY,
    425: Outcome.TEMPORARY,
    429: Outcome.RATE_LIMITED,
}
_SERVER_ERROR = 500
_UNAVAILABLE = 503
_CLIENT_ERROR = 400
_OK = 200


def outcome_of(answer: FetchResponse) -> tuple[Outcome, str | None]:
    """Tell what a status means; a 200 still has to be parsed (``NEW``)."""
    status = answer.status
    if status == _OK:
        return Outcome.NEW, None
    if status == _UNAVAILABLE and "retry-after" in answer.headers:
        return Outcome.RATE_LIMITED, "Rate limited"
    if status in _OUTCOMES:
        return _OUTCOMES[status], _SENTENCES.get(status, _status_sentence(status))
    if status >= _SERVER_ERROR or status < _CLIENT_ERROR:
        return Outcome.TEMPORARY, _status_sentence(status)
    return Outcome.BAD_REQUEST, _status_sentence(status)


def _status_sentence(status: int) -> str:
    if status >= _SERVER_ERROR:
        return f"The server has a problem (HTTP {status})."
    return f"The server sent an unexpected response (HTTP {status})."


def outcome_of_error(error: FetchError) -> Outcome:
    """Tell what it means that there was no answer."""
    if isinstance(error, BlockedAddress | TooLarge | RedirectError):
        return Outcome.BLOCKED
    return Outcome.TEMPORARY


def retry_after_s(answer: FetchResponse, now: datetime) -> int | None:
    """Read ``Retry-After``, seconds or a date; None when there is none to be read."""
    value = answer.headers.get("retry-after", "").strip()
    if value.isdecimal():
        return int(value[:12])
    at = _http_date(value)
    return None if at is None else max(0, int((at - now).total_seconds()))


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
    until = _http_date(expires or "")
    return 0 if until is None else max(0, int((until - now).total_seconds()))


def _http_date(value: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
