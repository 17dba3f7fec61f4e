"""When a daily digest comes next, and what becomes of errors."""

from datetime import UTC, datetime

import pytest

from feedloom.flow.distill.digest import (
    DigestFailed,
    Schedule,
    as_failure,
    language_of,
    read_schedule,
)
from feedloom.model.errors import (
    BudgetSpent,
    Conflict,
    FeedloomError,
    InvalidInput,
    ModelAnswerInvalid,
    ModelUnavailable,
    NotFound,
    StoreUnavailable,
    Throttled,
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "hour", "zone", "expected"),
    [
        ("2026-03-01T05:00", 6, "UTC", "2026-03-01T06:00"),
        ("2026-03-01T06:00", 6, "UTC", "2026-03-02T06:00"),
        ("2026-03-01T06:00:01", 6, "UTC", "2026-03-02T06:00"),
        ("2026-03-01T23:30", 0, "UTC", "2026-03-02T00:00"),
        ("2026-01-10T03:00", 7, "Europe/Berlin", "2026-01-10T06:00"),
        ("2026-07-10T03:00", 7, "Europe/Berlin", "2026-07-10T05:00"),
        # The night the clocks go forward: six hours of sleep, one hour less.
        ("2026-03-28T20:00", 7, "Europe/Berlin", "2026-03-29T05:00"),
        # … and back.
        ("2026-10-24T20:00", 7, "Europe/Berlin", "2026-10-25T06:00"),
        # Two o'clock does not exist that night; the moment of it does.
        ("2026-03-28T20:00", 2, "Europe/Berlin", "2026-03-29T01:00"),
        ("2026-03-01T12:00", 7, "Pacific/Auckland", "2026-03-01T18:00"),
    ],
)
def test_the_next_digest_comes_at_the_hour_where_the_person_lives(
    now: str, hour: int, zone: str, expected: str
):
    assert Schedule(hour, zone).next_after(at(now)) == at(expected)


def test_it_always_comes_later_and_within_a_day_and_an_hour():
    for hour in range(24):
        for minute in range(0, 48 * 60, 17):
            now = datetime(2026, 3, 28, tzinfo=UTC).replace(
                hour=minute // 60 % 24, minute=minute % 60
            )
            gap = Schedule(hour, "Europe/Berlin").next_after(now) - now

            assert 0 < gap.total_seconds() <= 25 * 3600


@pytest.mark.parametrize(
    ("hour", "zone"),
    [(-1, "UTC"), (24, "UTC"), ("7", "UTC"), (None, "UTC"), (7, "Nowhere"), (7, "/x")],
)
def test_what_is_no_hour_or_zone_is_refused(hour: object, zone: str):
    with pytest.raises(InvalidInput):
        read_schedule(hour, zone)


def test_no_zone_is_utc():
    assert read_schedule(7, "") == read_schedule(7, None) == Schedule(7, "UTC")


@pytest.mark.parametrize("error", [NotFound("x"), Conflict(), Throttled(), ModelUnavailable()])
def test_what_a_person_can_act_on_stays(error: FeedloomError):
    assert as_failure(error) is error


def test_a_spent_budget_is_an_unavailable_service():
    assert isinstance(as_failure(BudgetSpent()), ModelUnavailable)


@pytest.mark.parametrize("error", [FeedloomError(), StoreUnavailable(), ModelAnswerInvalid()])
def test_anything_else_is_one_sentence(error: FeedloomError):
    assert isinstance(as_failure(error), DigestFailed)
    assert str(as_failure(error)) == ("Failed to generate summary. Please try again later.")


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        (["de-DE", "de", "en"], "de"),
        (["en-GB", "de"], "en"),
        (["fr", "fr"], "en"),
        ([None], "en"),
        ([], "en"),
    ],
)
def test_a_digest_is_in_the_language_of_most_articles(languages: list[str | None], expected: str):
    assert language_of(languages) == expected
