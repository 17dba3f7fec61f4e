"""Markup in good order: cleaned tag by tag it is what the sanitiser would have written."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.markup.attributes import current_base
from feedloom.markup.sanitiser import _THE_SANITISER as SANITISER
from feedloom.markup.simple import clean_simple
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
    "signs by number and name": "It&#8217;s &#39;so&#39; &quot;here&quot; &hellip; &eacute;",
    "a space in a tag": "<p >a</p>",
    "a class": '<p class="x">a</p><h2 id="a b" class="c">d</h2>',
    "an event": '<p onclick="alert(1)">a</p>',
    "an event after the address": '<a href="https://a.example/" onclick="x">a</a>',
    "a language": '<p class="x" lang="de" dir="rtl" title="a">b</p><ol start="3"></ol>',
    "a language that is none": '<p lang="&lt;">b</p>',
    "a title with signs": '<p title="a &quot;b&quot; &amp; c">b</p>',
    "a link to nowhere": "<a>a</a>",
    "a script's address": '<a href="javascript:alert(1)">a</a>',
    "a relative address": '<a href="/x">a</a><img src="y.png">',
    "a password": '<a href="https://me:secret@a.example/">a</a>',
    "a host in code": '<a href="https://xn--80ak6aa92e.example/">a</a>',
    "an address with a space": '<a href="https://a.example/ x">a</a>',
    "a number of other digits": '<a href="http://\u0661.1.1.1/">a</a>',
    "a port of other digits": '<a href="http://a.example:\u0661/">a</a>',
    "a number that is none": '<a href="http://256.1.1.1/">a</a>',
    "a tracked link": '<a href="https://a.example/?utm_source=x">a</a>',
    "two parameters": '<a href="https://a.example/?a=1&b=2">a</a>',
    "an image": '<p><img src="https://a.example/x.png" alt="a" class="b"></p>',
    "an image with a slash": '<img src="https://a.example/x.png"/><br/><hr />',
    "an image of many sizes": '<img width="9" height="8px" srcset="a.png 1x, b.png 2x">',
    "an image that comes late": '<img src="a.gif" data-src="https://a.example/b.png">',
    "a pixel": '<p>a<img src="https://a.example/x.gif" width="1" height="1">b</p>',
    "an image without an address": '<p><img alt="a &amp; &quot;b&quot;"></p>',
    "an image with two addresses": '<img src="a.png" src="b.png">',
    "a picture": "<figure><picture><source srcset='' ></picture></figure>".replace(
        "srcset='' ", 'srcset="a.webp 1x" type="image/webp"'
    ),
    "a caption": '<figure class="a"><img src="a.png"><figcaption>b</figcaption></figure>',
    "a box in a link": '<div><a href="https://a.example/"><div><p>b</p></div></a></div>',
    "a paragraph in emphasis": "<em><p>a</p></em><span><ul><li>b</li></ul></span>",
    "a comment": "<p>a<!-- more - or less --></p><!--more-->",
    "a comment in a drawing": "<p><svg><!-- a --><g></g></svg>&amp;<!-- b -->lt;</p>",
    "addresses from the root": '<a href="/x?y">a</a><a href="#z">b</a><a href="//c">d</a>',
    "an address as it should be": '<a href="https://a.example/?a=1&amp;b=%22">a</a>',
    "a drawing": '<p>a<svg width="2"><g><path d="M1 1l2 2"></path></g></svg>b</p>',
    "a button": '<div><button type="button"><svg><path d="M1"/></svg></button></div>',
}
NOT_SIMPLE = {
    "an open tag": "<p>a",
    "closed twice": "<p>a</p></p>",
    "closed in another order": "<b><i>a</b></i>",
    "a paragraph in a paragraph": "<p>a<p>b</p></p>",
    "a list in a paragraph": "<p><ul></ul></p>",
    "a heading in a heading": "<h1><h2>a</h2></h1>",
    "an entry without a list": "<li>a</li>",
    "a list in a list": "<ul><ol></ol></ul>",
    "a link in a link": '<a href="http://a.example/">a<b><a href="http://b.example/">b</a></b></a>',
    "an image with a script": '<img src="javascript:alert(1)" onerror="x" alt="a">',
    "a script": "<p>a</p><script>b</script>",
    "no quotes": "<a href=https://a.example/>a</a>",
    "other quotes": "<a href='https://a.example/'>a</a>",
    "a sign by number": "&#60;script&#62;",
    "a sign of a sign": "&#38;lt;",
    "a sign that is a space": "a&#160;b",
    "a sign that is nothing": "&#0; &#128; &#65279; &#55296;",
    "a sign that nobody knows": "&nonsense;",
    "a sign without an end": "&eacute a",
    "an event without quotes": "<p onclick=x>a</p>",
    "a quote in a tag": '<p "">a</p>',
    "an angle bracket in a title": '<p title="a > b">c</p>',
    "a paragraph that has no end": "<p/>a",
    "a line in a line of a link": '<p><a href="http://a.example/"><p>a</p></a></p>',
    "a box in a paragraph": "<p><span><div>a</div></span></p>",
    "a rule in a paragraph": "<p>a<hr>b</p>",
    "an open drawing": "<svg><path>a</p>",
    "a drawing with words": "<svg><text>a</text></svg>",
    "a drawing in a drawing": "<svg><svg></svg>a",
    "a drawing that is closed at once": "<svg/><path>a",
    "a button with words": "<button>a</button>",
    "two tags as one": "<p<b>a</b></p>",
    "an end with more": "<p>a</p x>",
    "words in front of an end": "<p>a</p></br>",
    "half a sign": "a & b",
    "capitals": "<P>a</P>",
    "a comment that is open": "a<!-- a",
    "a comment with a tag": "<!-- <p> -->",
    "a comment that ends oddly": "<!-- a --!> --->",
    "a comment in a value": '<p title="a<!-- x -->b">c</p>',
    "a comment over two values": '<img src="https://a.example/x" alt="<!--" width="1" title="-->">',
    "a comment over a style": '<img src="x" title="<!--" style="display:none" alt="-->">',
    "a comment in an address": '<a href="https://a.example/<!--x-->y">z</a>',
    "a comment in a tag": "<b<!---->>x</b>",
    "a comment in front of a name": '<<!---->img src="https://a.example/x">',
    "a comment in an end": "<p>x</<!---->p>",
    "a comment in a sign": "&am<!---->p;lt;",
    "a drawing in a value": '<p title="a<svg></svg>b">c</p>',
    "a drawing in front of a name": "<<svg></svg>p>x</p>",
    "a drawing in a sign": "&eacut<svg></svg>e;",
    "a seam": "a<!>b",
    "a text that is lost at a beginning": '<p>a<img alt="&#65279;x"></p>',
    "an address that is too long": f'<a href="https://{"a" * 8_190}.example/">x</a>',
    "more tags than may be": "<p>x</p>" * 301,
    "more signs than may be": "&#39;" * 1_001,
    "a table": "<table><tr><td>a</td></tr></table>",
    "many unusual tags": '<a href="http://256.1.1.1/">a</a>' * 26,
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
    "a deep one": "<div>" * 21 + "</div>" * 21,
}


def is_simple(html: str) -> bool:
    with based():
        return clean_simple(html, SANITISER._clean_tag) is not None


@contextmanager
def based() -> Iterator[None]:
    token = current_base.set(BASE)
    yield
    current_base.reset(token)


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
    with based():
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
        "figure",
        "figcaption",
        "section",
        "picture",
        "small",
        "time",
        "q",
        "button",
        "svg",
        "g",
        "center",
        "nav",
        "hr",
        "wbr",
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


words = st.sampled_from(
    [
        "class",
        "id",
        "style",
        "title",
        "lang",
        "dir",
        "href",
        "src",
        "srcset",
        "alt",
        "width",
        "height",
        "data-src",
        "sizes",
        "rel",
        "onclick",
        "start",
        "type",
        "target",
        "cite",
        "datetime",
        "Title",
        "data-a1",
    ]
)
values = paths | st.sampled_from(
    [
        "1",
        "de",
        "rtl",
        "javascript:alert(1)",
        "https://a.example/?utm_source=a",
        "//a.example/x y.png",
        "a.png 1x, b.png 2x",
        "display:none",
        "a &amp; &quot;b&quot; &#39;",
        "a &eacute &lt;b>",
        "\u00e9\n",
        "<!--",
        "-->",
        "a<!-- b -->c",
        "<svg></svg>",
    ]
)
attributes = st.builds(' {}="{}"'.format, words, values) | st.sampled_from(
    [" hidden", " alt", " lang", " title='a'", " title=a", "  ", "\n", " /", '"']
)
starts = st.builds(
    "<{}{}{}>".format,
    names | st.sampled_from(["img", "source"]),
    st.lists(attributes, max_size=4).map("".join),
    st.sampled_from(["", "", " /", "/"]),
)
drawings = st.lists(
    st.sampled_from(
        [
            "<svg>",
            "</svg>",
            '<svg width="2">',
            "<svg/>",
            "<g>",
            "</g>",
            "<path/>",
            '<path d="M1"></path>',
            "<button>",
            "</button>",
            " ",
            "x",
            "<p>",
            "</p>",
        ]
    ),
    max_size=8,
).map("".join)


def element(start: str, content: str) -> str:
    name = re.split(r"[^a-z0-9]", start[1:])[0]
    if name in {"br", "hr", "wbr", "img", "source"}:
        return f"{start}{content}"
    return f"{start}{content}</{name}>"


trees = st.recursive(
    texts | drawings,
    lambda inner: (
        st.builds(element, names.map("<{}>".format) | starts, inner)
        | st.builds(lambda link, content: f"{link}{content}</a>", links, inner)
        | st.lists(inner, max_size=4).map("".join)
    ),
    max_leaves=12,
)


@given(trees)
def test_what_is_recognised_is_what_would_have_been_written(html: str):
    agrees(html)


@given(trees, st.integers(0, 60), texts | starts)
def test_it_is_so_for_trees_with_something_put_into_them(
    html: str, place: int, more: str
):
    agrees(html[:place] + more + html[place:])
