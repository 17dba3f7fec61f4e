"""Parameters: numbers, flags and ids in whatever way they were written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.serve.sync.parameters import LARGEST_NUMBER, Given, row_id, row_ids


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5),
        ("5", 5),
        (" 5 ", 5),
        ("-1", -1),
        (5.0, 5),
        (None, 9),
        ("", 9),
        ("9223372036854775807", LARGEST_NUMBER),
        ("9" * 30, LARGEST_NUMBER),
        (-(10**30), -LARGEST_NUMBER),
    ],
)
def test_numbers_are_read_and_bounded(value: object, expected: int):
    assert Given({"n": [value]}).number("n", 9) == expected


@pytest.mark.parametrize("value", [True, 1.5, "x", "1e3", "0x10", [1], {}, "9" * 31])
def test_what_is_no_number_is_refused(value: object):
    with pytest.raises(InvalidInput):
        Given({"n": [value]}).number("n", 9)


def test_the_last_of_several_values_counts():
    said = Given({"n": ["1", "2"], "t": ["a", None, "b"]})

    assert (said.number("n", 0), said.text("t"), said.texts("t")) == (2, "b", ["a", "b"])
    assert (said.number("x", 3), said.text("x", "y"), said.has("x")) == (3, "y", False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, True), (False, False), ("1", True), ("0", False), ("TRUE", True), ("", False)],
)
def test_flags(value: object, expected: bool):
    assert Given({"f": [value]}).flag("f", default=not expected) is expected


def test_a_flag_that_is_none_is_refused():
    with pytest.raises(InvalidInput):
        Given({"f": ["perhaps"]}).flag("f", default=True)


@example("7\x1f")
@given(st.one_of(st.integers(), st.text(), st.none(), st.floats(), st.booleans()))
def test_an_id_is_a_positive_number_of_31_bits_or_nothing(value: object):
    found = row_ids([value])

    assert all(0 < number < 2**31 for number in found)
    if found:
        assert row_id(value) == found[0]
    else:
        with pytest.raises(NotFound):
            row_id(value)


def test_texts_hold_no_null():
    said = Given({"t": ["a\x00b", "\x00"]})

    assert said.texts("t") == ["ab", ""]


def test_null_is_said_but_says_nothing():
    said = Given({"t": [None], "u": [None, False]})

    assert (said.has("t"), said.says("t"), said.says("u")) == (True, False, True)
    assert said.flag("t", default=True) is True
    assert said.flag("u", default=True) is False
