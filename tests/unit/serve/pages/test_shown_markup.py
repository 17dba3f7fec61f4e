"""Markup of articles on its way into a page."""

import pytest

from feedloom.markup import clean_html
from feedloom.model.feed import CleanHTML
from feedloom.serve.pages.rendering import _trusted


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
