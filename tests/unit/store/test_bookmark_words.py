"""Searches of bookmarks as conditions."""

import pytest

from feedloom.store.reader.bookmarks import words_condition


@pytest.mark.parametrize("text", ["tag:🙂", "☃", ""])
def test_what_has_no_word_finds_nothing(text):
    assert words_condition(text) == ("1 = 0", {})


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("foo", "% foo%"), ("-foo", "% foo %"), ("-foo*", "% foo%"), ("tag:x", "% x%")],
)
def test_a_word_that_is_not_wanted_is_a_whole_one_unless_it_goes_on(text, pattern):
    _, params = words_condition(text)

    assert list(params.values()) == [pattern]
