"""Character references, also those with numbers nobody can count to."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.markup import clean_html, excerpt, plain, to_text, unescaped
from feedloom.model.feed import CleanHTML

HUGE = "&#" + "1" * 4301 + ";"

pytestmark = pytest.mark.threat("P8", "P16")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a &amp; b", "a & b"),
        (HUGE, "\ufffd"),
        (f"{HUGE}&#65;&amp;{HUGE[:-1]}x", "\ufffdA&\ufffdx"),
        ("&#" + "0" * 5000 + "65;", "A"),
        ("&#" + "0" * 5000 + "65x", "Ax"),
        ("&#" + "0" * 5000 + ";", "\ufffd"),
        ("&#x" + "1" * 5000 + ";", "\ufffd"),
        ("&#" + "9" * 1_000_000, "\ufffd"),
    ],
)
def test_references_become_characters(text: str, meant: str):
    assert unescaped(text) == meant


@given(st.text("&#0123456789;x", max_size=60))
def test_long_numbers_change_nothing_for_others(text: str):
    assert unescaped(HUGE + text) == "\ufffd" + html.unescape(text)


@pytest.mark.parametrize("large", [False, True])
def test_no_reading_of_markup_raises(large: bool):
    markup = f"<p>{HUGE}</p>" + f"<iframe src='{HUGE}'></iframe>" * large
    markup += "<p>x</p>" * (300_000 * large)

    assert to_text(markup).startswith("\ufffd")
    assert plain(HUGE) == "\ufffd"
    assert excerpt(CleanHTML(HUGE), limit=10_000) == "\ufffd"
    assert clean_html(markup)
