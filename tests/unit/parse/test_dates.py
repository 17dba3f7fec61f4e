"""Dates are read leniently, and absurd ones not at all."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.parse.dates import read_date
from tests.corpus.feeds.date_cases import ABSURD, LOOSE, MONTHS, STANDARD
from tests.corpus.feeds.pieces import NOW


@pytest.mark.parametrize(("name", "text", "means"), [*STANDARD, *LOOSE, *ABSURD])
def test_a_date_is_read_as_meant(name: str, text: str, means: datetime | None):
    assert read_date(text, now=NOW) == means


def test_no_text_is_no_date():
    assert read_date(None, now=NOW) is None


@pytest.mark.parametrize("ahead", [timedelta(hours=23), timedelta(hours=24)])
def test_a_day_ahead_is_believed(ahead: timedelta):
    at = NOW + ahead

    assert read_date(at.isoformat(), now=NOW) == at


@pytest.mark.threat("P10")
def test_more_than_a_day_ahead_is_not():
    at = NOW + timedelta(hours=24, seconds=1)

    assert read_date(at.isoformat(), now=NOW) is None


def test_the_first_day_of_1990_is_believed():
    assert read_date("1990-01-01T00:00:00Z", now=NOW) is not None


@pytest.mark.parametrize(
    ("zone", "hours"), [("EST", -5), ("EDT", -4), ("PST", -8), ("PDT", -7), ("CET", 1), ("MSK", 3)]
)
def test_zones_people_write(zone: str, hours: int):
    meant = datetime(2025, 7, 1, 10, tzinfo=timezone(timedelta(hours=hours)))

    assert read_date(f"Tue, 01 Jul 2025 10:00:00 {zone}", now=NOW) == meant


@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_in_english(month: int):
    at = datetime(2024, month, 15, 6, 30, tzinfo=UTC)

    assert read_date(at.strftime("%a, %d %b %Y %H:%M:%S GMT"), now=NOW) == at
    assert read_date(at.strftime("%d %B %Y %H:%M"), now=NOW) == at
    assert read_date(at.strftime("%B %d, %Y, %I:%M %p"), now=NOW) == at


@pytest.mark.parametrize(("word", "month"), MONTHS)
def test_months_in_other_languages(word: str, month: int):
    found = read_date(f"7 {word} 2024 12:00:00 +0000", now=NOW)

    assert found == datetime(2024, month, 7, 12, tzinfo=UTC)


@given(st.datetimes(datetime(1990, 1, 2), datetime(2025, 7, 9), timezones=st.just(UTC)))  # noqa: DTZ001 - hypothesis wants naive bounds
def test_standard_spellings_come_back_as_they_went_in(at: datetime):
    whole = at.replace(microsecond=0)

    assert read_date(at.isoformat(), now=NOW) == at
    assert read_date(whole.strftime("%a, %d %b %Y %H:%M:%S +0000"), now=NOW) == whole
    assert read_date(whole.strftime("%Y-%m-%d %H:%M:%S"), now=NOW) == whole


@pytest.mark.threat("P10")
@given(st.text() | st.from_regex(r"[\d/:.,TZ +\-a-z年月日]{0,40}"))
def test_any_text_is_a_date_in_range_or_none(text: str):
    found = read_date(text, now=NOW)

    assert found is None or datetime(1990, 1, 1, tzinfo=UTC) <= found
    assert found is None or found <= NOW + timedelta(hours=24)
    assert found is None or found.tzinfo is not None
