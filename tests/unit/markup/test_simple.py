"""Simple markup: what is recognised is exactly what the sanitiser would have written."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.markup.sanitiser import _THE_SANITISER as SANITISER
from feedloom.markup.simple import is_simple
from tests.corpus.articles import BASE, NAMES, written
from tests.payloads import PAYLOADS
from tests.unit.markup.inspection import complaints

pytestmark = pytest.mark.threat("X4")

SIMPLE = {
    "words": "Nothing but words, \u00e4 and \u65e5\u672c",
    "nothing": "",
    "paragraphs": "<p>One</p>\n\t<p>Two &amp; &lt;three&gt;&nbsp;</p>",
    "loose words between": "a<p>b</p>c <em>d</em><br>e",
    "emphasis in emphasis": "<p><b>a<i>b<code>c</code></i></b></p>",
    "a link": '<p>See <a href="https://a.example/x?y=1#z">this <em>one</em></a>.</p>',
    "a link without a path": '<a href="http://a.example">x</a>',
    "a link to a number": '<a href="http://127.1.0.1:8955/more">x</a>',
    "a link in emphasis": '<b><a href="https://a.example/">x</a></b>',
    "lists": "<ul>\n<li>a</li><li><p>b</p><ol><li>c</li></ol></li>\n</ul>",
    "a quotation": "<blockquote>a<p>b</p><h3>c</h3></blockquote>",
    "boxes": "<div><div>a</div>b</div>",
    "signs": "x^2 = y_1 \"quoted\" 'too' `code` {a} [b] 100 %",
}
NOT_SIMPLE = {
    "an open tag": "<p>a",
    "closed twice": "<p>a</p></p>",
    "closed in another order": "<b><i>a</b></i>",
    "a paragraph in a paragraph": "<p>a<p>b</p></p>",
    "a list in a paragraph": "<p><ul></ul></p>",
    "a block in a line": "<em><p>a</p></em>",
    "a heading in a heading": "<h1><h2>a</h2></h1>",
    "an entry without a list": "<li>a</li>",
    "a list in a list": "<ul><ol></ol></ul>",
    "a link in a link": '<a href="http://a.example/">a<b><a href="http://b.example/">b</a></b></a>',
    "a link to nowhere": "<a>a</a>",
    "a script": "<p>a</p><script>b</script>",
    "an image": '<p><img src="https://a.example/x.png"></p>',
    "a class": '<p class="x">a</p>',
    "an event": "<p onclick=x>a</p>",
    "an event after the address": '<a href="https://a.example/" onclick="x">a</a>',
    "no quotes": "<a href=https://a.example/>a</a>",
    "other quotes": "<a href='https://a.example/'>a</a>",
    "a script's address": '<a href="javascript:alert(1)">a</a>',
    "a relative address": '<a href="/x">a</a>',
    "a password": '<a href="https://me:secret@a.example/">a</a>',
    "a host in code": '<a href="https://xn--80ak6aa92e.example/">a</a>',
    "an address with a space": '<a href="https://a.example/ x">a</a>',
    "a number of other digits": '<a href="http://\u0661.1.1.1/">a</a>',
    "a port of other digits": '<a href="http://a.example:\u0661/">a</a>',
    "a number that is none": '<a href="http://256.1.1.1/">a</a>',
    "a tracked link": '<a href="https://a.example/?utm_source=x">a</a>',
    "two parameters": '<a href="https://a.example/?a=1&b=2">a</a>',
    "a sign by number": "&#60;script&#62;",
    "a sign by name": "&quot;",
    "half a sign": "a & b",
    "capitals": "<P>a</P>",
    "a space in a tag": "<p >a</p>",
    "an empty tag": "<br/>",
    "a comment": "<!-- a -->",
    "a declaration": "<!DOCTYPE html>",
    "an instruction": "<?php ?>",
    "less than": "a < b",
    "more than": "a > b",
    "a line break of another kind": "a\r\nb",
    "a form feed": "a\fb",
    "a nil": "a\x00b",
    "a space that holds": "a\xa0b",
    "a byte order mark": "\ufeffa",
    "half a character": "a\ud800",
    "a long text": "a" * 50_001,
    "a deep one": "<div>" * 20 + "</div>" * 20,
}


@pytest.mark.parametrize("name", SIMPLE)
def test_simple_markup_is_recognised(name: str):
    assert is_simple(SIMPLE[name])


@pytest.mark.parametrize("name", NOT_SIMPLE)
def test_everything_else_goes_to_the_sanitiser(name: str):
    assert not is_simple(NOT_SIMPLE[name])


def agrees(html: str) -> bool:
    """Tell whether it was simple; if so, the sanitiser must find the same."""
    if not is_simple(html):
        return False
    quickly = SANITISER.clean(html, base_url=BASE)
    assert quickly == SANITISER._cleaned(html, BASE)
    assert complaints(quickly) == []
    return True


@pytest.mark.parametrize("name", SIMPLE)
def test_the_sanitiser_finds_the_same(name: str):
    assert agrees(SIMPLE[name])


def test_no_payload_is_simple_unless_it_is_harmless():
    for payload in PAYLOADS.values():
        agrees(payload)
        agrees(f"<p>a</p>{payload}<p>b</p>")


@pytest.mark.parametrize("name", NAMES)
def test_pieces_of_articles_are_cleaned_alike_both_ways(name: str):
    pieces = re.split(r"(?<=>)", written(name))

    found = [
        agrees("".join(pieces[start : start + length]))
        for start in range(len(pieces))
        for length in (1, 2, 3, 5, 9)
    ]

    assert any(found)


names = st.sampled_from(
    [
        "p",
        "b",
        "em",
        "a",
        "code",
        "li",
        "ul",
        "ol",
        "h1",
        "h2",
        "blockquote",
        "div",
        "strong",
        "i",
        "s",
        "sub",
        "br",
        "pre",
        "td",
        "span",
    ]
)
texts = st.text(max_size=6) | st.sampled_from(
    ["x", " ", "\n", "&amp;", "&lt;", "&nbsp;", "&gt;", "&quot;", "&", "é", "]]>"]
)
hosts = st.from_regex(
    r"[a-z0-9.:-]{1,12}|\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?", fullmatch=True
)
paths = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7F), max_size=8)
links = st.builds(
    '<a href="http{}://{}/{}">'.format, st.sampled_from("s "), hosts, paths
)
links = links.map(lambda link: link.replace("http ", "http"))


def element(name: str, content: str) -> str:
    return f"<{name}>{content}</{name}>" if name != "br" else f"<br>{content}"


trees = st.recursive(
    texts,
    lambda inner: (
        st.builds(element, names, inner)
        | st.builds(lambda link, content: f"{link}{content}</a>", links, inner)
        | st.lists(inner, max_size=4).map("".join)
    ),
    max_leaves=12,
)


@given(trees)
def test_what_is_recognised_is_what_would_have_been_written(html: str):
    agrees(html)


@given(trees, st.integers(0, 60), texts | names.map("<{}>".format))
def test_it_is_so_for_trees_with_something_put_into_them(
    html: str, place: int, more: str
):
    agrees(html[:place] + more + html[place:])
