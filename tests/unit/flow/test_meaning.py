"""What answers mean: statuses, Retry-After, cache headers."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from feedloom.flow.refresh.health import fresh_for_s, outcome_of, outcome_of_error, retry_after_s
from feedloom.model import errors
from feedloom.model.stages import FetchResponse, Outcome
from tests.fakes import START


def answer(status: int = 200, **headers: str) -> FetchResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return FetchResponse("https://site.example/feed", status, named, b"")


@pytest.mark.parametrize(
    ("status", "outcome", "message"),
    [
        (200, Outcome.NEW, None),
        (304, Outcome.NOT_MODIFIED, None),
        (400, Outcome.BAD_REQUEST, "Invalid request"),
        (401, Outcome.UNAUTHORIZED, "Authentication required"),
        (403, Outcome.UNAUTHORIZED, "Authentication required"),
        (404, Outcome.GONE, "Feed no longer available"),
        (410, Outcome.GONE, "Feed no longer available"),
        (429, Outcome.RATE_LIMITED, "Rate limited"),
        (500, Outcome.TEMPORARY, "The server has a problem (HTTP 500)."),
        (503, Outcome.TEMPORARY, "The server has a problem (HTTP 503)."),
        (408, Outcome.TEMPORARY, None),
        (425, Outcome.TEMPORARY, None),
        (204, Outcome.TEMPORARY, None),
        (206, Outcome.TEMPORARY, None),
        (418, Outcome.BAD_REQUEST, None),
    ],
)
def test_each_status_has_its_outcome_and_sentence(status, outcome, message):
    found, sentence = outcome_of(answer(status))

    assert found is outcome
    if message is not None:
        assert sentence == message
    elif outcome not in {Outcome.NEW, Outcome.NOT_MODIFIED}:
        assert f"HTTP {status}" in (sentence or "")


def test_503_with_retry_after_is_rate_limiting():
    assert outcome_of(answer(503, retry_after="120")) == (Outcome.RATE_LIMITED, "Rate limited")


@pytest.mark.threat("S24")
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (format_datetime(START + timedelta(hours=1), usegmt=True), 3600),
        (format_datetime(START - timedelta(hours=1), usegmt=True), 0),
        ("-5", None),
        ("soon", None),
        ("", None),
        ("9" * 40, 999_999_999_999),
        ("9" * 5_000, 999_999_999_999),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        (f"Mon, 01 Jan {'9' * 5_000} 00:00:00 GMT", None),
        ("Mon, 01 Jan 2026 00:00:00 +99999999999999999999", None),
        ("Mon, 01 Jan 2026 00:00:99999999999999999999 GMT", None),
        (f"Mon, 01 Jan 2026 00:00:00 +{'9' * 5_000}", 0),
    ],
)
def test_retry_after_takes_seconds_and_dates(value, seconds):
    assert retry_after_s(answer(429, retry_after=value), START) == seconds


@pytest.mark.threat("S24")
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"cache_control": "max-age=600"}, 600),
        ({"cache_control": 'public, Max-Age="60"'}, 60),
        ({"cache_control": "no-cache, max-age=600"}, 0),
        ({"cache_control": "max-age=-1"}, 0),
        ({"expires": format_datetime(START + timedelta(minutes=5), usegmt=True)}, 300),
        ({"cache_control": "max-age=10", "expires": "Thu, 01 Jan 2099 00:00:00 GMT"}, 10),
        ({"expires": "0"}, 0),
        ({"expires": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"}, 0),
        ({"cache_control": "max-age=" + "9" * 5_000}, 999_999_999_999),
        ({}, 0),
    ],
)
def test_freshness_is_read_from_cache_headers(headers, seconds):
    assert fresh_for_s(answer(**headers), START) == seconds


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (errors.TimedOut(), Outcome.TEMPORARY),
        (errors.NameNotFound(), Outcome.TEMPORARY),
        (errors.BadTLS(), Outcome.TEMPORARY),
        (errors.Unreachable(), Outcome.TEMPORARY),
        (errors.BlockedAddress(), Outcome.BLOCKED),
        (errors.TooLarge(), Outcome.BLOCKED),
        (errors.RedirectError(), Outcome.BLOCKED),
    ],
)
def test_each_failure_has_its_outcome(error, outcome):
    assert outcome_of_error(error) is outcome
