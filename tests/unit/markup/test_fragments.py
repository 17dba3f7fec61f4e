"""Footnotes lead to notes of the same article, and to nothing else of the page."""

import re

import pytest

from feedloom.markup import clean_html, with_anchors
from feedloom.model.feed import CleanHTML

URL = "https://a.example/posts/one/"


def shown(markup: str, url: str = URL, number: int = 7) -> str:
    return with_anchors(clean_html(markup, base_url=URL), url, number)


@pytest.mark.parametrize(
    "link",
    [
        "#fn:1",
        "https://a.example/posts/one/#fn:1",
        "http://www.a.example/posts/one#fn:1",
        "https://a.example/posts/one/?utm_source=feed#fn:1",
        "https://a.example/posts/one/?page=2#fn%3A1",
        "https://a.example/#fn:1",
    ],
)
def test_a_link_to_the_article_itself_stays_in_it(link: str):
    found = shown(f'<p><a href="{link}">1</a></p><ol><li id="fn:1">Note</li></ol>')

    assert found == '<p><a href="#at-7-fn:1">1</a></p><ol><li id="at-7-fn:1">Note</li></ol>'


@pytest.mark.parametrize(
    "link",
    [
        "#other",
        "https://a.example/posts/one/two#fn:1",
        "https://a.example/posts/on#fn:1",
        "https://b.example/posts/one/#fn:1",
        "https://a.example.evil.example/posts/one/#fn:1",
        "mailto:a@a.example?x#fn:1",
    ],
)
def test_other_links_lead_out(link: str):
    found = shown(f'<a href="{link}">1</a><p id="fn:1">Note</p>')

    assert 'href="#' not in found


def test_old_anchors_work_too():
    found = shown('<a href="#n">1</a><a name="n">Note</a>')

    assert '<a href="#at-7-n">1</a>' in found
    assert ' name="at-7-n">Note</a>' in found


@pytest.mark.threat("X6")
def test_two_articles_on_one_page_do_not_share_anchors():
    one, two = (shown('<p id="x">x</p>', number=number) for number in (1, 11))

    assert (one, two) == ('<p id="at-1-x">x</p>', '<p id="at-11-x">x</p>')


@pytest.mark.threat("X6")
@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("main", "at-main"),
        ("at-main", "at-main"),
        ("dialog", "at-dialog"),
        ("übersicht", "at-übersicht"),
        ("a b", None),
        ("a'b", None),
        ("x" * 101, None),
        ("", None),
    ],
)
def test_no_name_is_one_of_our_page(written: str, kept: str | None):
    cleaned = clean_html(f'<p id="{written}">x</p>')

    assert cleaned == (f'<p id="{kept}">x</p>' if kept else "<p>x</p>")
    assert clean_html(cleaned) == cleaned


def test_words_that_look_like_anchors_stay_words():
    text = '<p id="x">Write &lt;p id="at-x"&gt; and <code> id="at-x"</code></p>'

    assert shown(text) == text.replace('<p id="x">', '<p id="at-7-x">')


def test_articles_without_anchors_are_left_alone():
    content = clean_html('<p><a href="#x">x</a> id="at-x"</p>', base_url=URL)

    assert with_anchors(content, URL, 1) == content


def test_a_flood_of_anchors_takes_little_time():
    flood = CleanHTML('<p id="at-x">' * 20_000 + "<p id=")

    assert len(re.findall("at-1-x", with_anchors(flood, URL, 1))) == 20_000


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("hljs-keyword", "code-keyword"),
        ("hljs-title function_", "code-name"),
        ("token comment", "code-comment"),
        ("token class-name", "code-type"),
        ("nf", "code-name"),
        ("s2", "code-string"),
        ("pl-c1", "code-number"),
        ("gi", "code-added"),
        ("code-removed", "code-removed"),
    ],
)
def test_code_keeps_its_colours(written: str, kept: str):
    cleaned = clean_html(f'<pre><code><span class="{written}">x</span></code></pre>')

    assert cleaned == f'<pre><code><span class="{kept}">x</span></code></pre>'
    assert clean_html(cleaned) == cleaned


@pytest.mark.threat("X6", "X7")
@pytest.mark.parametrize(
    "markup",
    [
        '<span class="button">x</span>',
        '<span class="prose row is-unread">x</span>',
        '<span class="code-evil">x</span>',
        '<p class="k">x</p>',
        '<pre class="token keyword">x</pre>',
        '<math class="k"><mi class="k">x</mi></math>',
    ],
)
def test_no_other_class_stays(markup: str):
    assert "class" not in clean_html(markup)
