"""Markdown as it is shown: its own markup, and nothing of a stranger's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.markup import clean_html, markdown_html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A title\n\nA *word*.", "<h1>A title</h1>\n<p>A <em>word</em>.</p>"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"),
        ("`a < b`", "<p><code>a &lt; b</code></p>"),
        ("| a |\n|---|\n| b |", "<td>b</td>"),
        ("", ""),
    ],
)
def test_markdown_is_written_as_markup(text: str, expected: str):
    assert expected in markdown_html(text).strip()


@pytest.mark.threat("X15")
@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](javascript:alert(1))",
        "<img src=x onerror=alert(1)>",
        "[x](data:text/html;base64,AAAA)",
        '[x](https://a.example "onmouseover=alert(1)")',
    ],
)
def test_nothing_of_a_strangers_runs(text: str):
    shown = markdown_html(text)

    assert "<script" not in shown
    assert "<img src=x" not in shown
    assert 'href="javascript' not in shown
    assert 'src="javascript' not in shown
    assert "data:text" not in shown or "href" not in shown


def test_links_go_where_they_say():
    shown = markdown_html("[there](/page)", base_url="https://a.example/x")

    assert 'href="https://a.example/page"' in shown


@given(st.text())
def test_any_text_gives_clean_markup(text: str):
    shown = markdown_html(text)

    assert clean_html(shown) == shown
