"""Markup of articles on its way into a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.markup import clean_html
from feedloom.model.feed import CleanHTML
from feedloom.serve.pages.renderer import _trusted
from tests.unit.markup.inspection import complaints, imbalance, leaves_container
from tests.unit.markup.test_properties import tag_soup


def test_what_may_scroll_sideways_can_be_focused():
    shown = _trusted(clean_html("<pre>code</pre><table><tr><td>1</td></tr></table>"))

    assert "<pre tabindex=0>" in shown
    assert "<table tabindex=0>" in shown


def test_the_value_of_an_attribute_cannot_be_left_that_way():
    hostile = CleanHTML('<img src="https://a.example/i.png" alt="<pre> onload=x">')
    shown = _trusted(hostile)

    assert shown == str(clean_html(hostile))
    assert "tabindex" not in shown


def test_what_an_older_release_let_through_is_cleaned():
    assert "onclick" not in _trusted(CleanHTML('<p onclick="x()">hello</p>'))


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("<h1>A <em>title</em>  here</h1><p>Text</p>", "<p>Text</p>"),
        ("<h1>A title<br>here</h1><p>Text</p>", "<p>Text</p>"),
        ("<div><h2>A title here</h2><p>Text</p></div>", "<div><p>Text</p></div>"),
        ("<h1>Another</h1><p>Text</p>", "<h1>Another</h1><p>Text</p>"),
        ("<p>Text</p><h2>A title here</h2>", "<p>Text</p><h2>A title here</h2>"),
    ],
)
def test_a_heading_that_is_the_title_once_more_is_left_out(content, shown):
    assert _trusted(clean_html(content), "A Title Here") == shown


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("Sunset", '<h2><img src="https://a.example/i.png" alt="">Sunset</h2>'),
        ("An essay", '<h2><a href="https://a.example/">An essay</a></h2>'),
        ("🎉", '<h1><img src="https://a.example/i.png" alt=""></h1>'),
        (" ", "<h1> </h1>"),
        ("?!", "<h1>…</h1>"),
        ("C++ news", "<h1>C# news</h1>"),
        ("$10 off", "<h1>10% off</h1>"),
        ("नमस्ते", "<h1>नमस्ता</h1>"),
    ],
)
def test_a_heading_that_says_or_holds_something_else_stays(title, heading):
    clean = clean_html(f"{heading}<p>Text</p>")

    assert "<h" in clean
    assert _trusted(clean, title) == str(clean)


@pytest.mark.parametrize("title", ["C++ & C#", "नमस्ते", "Straße", "🎉", "?!"])
def test_a_title_of_any_script_or_of_signs_is_known_again(title):
    clean = clean_html(f"<h1>{title.replace('&', '&amp;')}</h1><p>Text</p>")

    assert _trusted(clean, title) == "<p>Text</p>"


HEADINGS_IN_HEADINGS = [
    "<h1><div><h1>Title</h1></div></h1><p>Text</p>",
    "<h1>Title<div><h1></h1>x</div></h1>",
    "<div><h1><section><h1>Title</h1></section></h1></div>",
    "<h1><table><tr><td><h1>Title</h1></td></tr></table></h1>",
]


@pytest.mark.threat("X4")
@pytest.mark.parametrize("content", HEADINGS_IN_HEADINGS)
def test_a_title_in_nested_headings_leaves_nothing_open(content):
    shown = _trusted(clean_html(content), "Title")

    assert imbalance(shown) is None
    assert not leaves_container(shown)


heading_soup = st.lists(
    st.sampled_from(["<h1>", "</h1>", "<h2>", "</h2>", "<div>", "</div>", "<p>", "<br>", "<table>"])
    | st.sampled_from(["x", " ", "<b>", "</b>", "<ul><li>", "</ul>", "<math>", "<a>"])
    | tag_soup,
    max_size=12,
).map("".join)


@pytest.mark.threat("X4")
@given(heading_soup, st.sampled_from(["x", "x x", "xx", ""]))
def test_what_is_shown_is_balanced_whatever_the_markup(markup: str, title: str):
    shown = _trusted(clean_html(markup), title)

    assert imbalance(shown) is None
    assert not leaves_container(shown)
    assert complaints(shown.replace(" tabindex=0", "")) == []
