"""Times on the wire stay within what clients and calendars can hold."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from feedloom.serve.sync.times import (
    from_microseconds,
    from_seconds,
    microseconds,
    seconds,
    whole_second,
)

moments = st.datetimes(timezones=st.just(UTC)).filter(lambda at: at.year < 9999)


@given(moments)
def test_seconds_fit_31_bits_and_are_never_0(at: datetime):
    assert 0 < seconds(at) < 2**31


@given(moments.filter(lambda at: at.year >= 1970))
def test_times_survive_the_wire(at: datetime):
    assert from_microseconds(microseconds(at)) == at
    assert at - from_seconds(whole_second(at)) < timedelta(seconds=1)


@given(st.integers(-(2**80), 2**80))
def test_no_number_breaks_the_calendar(number: int):
    assert from_seconds(number).tzinfo is UTC
    assert from_microseconds(number).tzinfo is UTC
