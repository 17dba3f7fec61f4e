"""Properties of cleaning: final, safe, total, whatever the markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.markup import absolute_url, clean_html, excerpt, is_rtl, plain, to_text
from feedloom.markup.plaintext import shortened
from tests.payloads import PAYLOADS
from tests.unit.markup.inspection import complaints, imbalance, leaves_container, reparsed

pytestmark = pytest.mark.threat("X4")

BASE = "https://example.org/a/b"
NAMES = re.findall(
    r"\S+",
    "a abbr address applet article aside audio b base big blockquote body br button"
    " caption center code col colgroup dd del details div dl dt em embed fieldset"
    " figcaption figure font footer form frame frameset h1 h2 h3 head header hr html i"
    " iframe image img input ins kbd legend li link listing main marquee math mi mo mn"
    " mtext mglyph malignmark annotation annotation-xml semantics maction mpadded menclose"
    " mmultiscripts mprescripts mtable mtr mtd menu meta nav nobr noembed noframes"
    " noscript object ol optgroup option p param picture plaintext pre q rb rp rt rtc ruby"
    " s script section select small source span strike strong style sub summary sup svg"
    " desc foreignObject table tbody td template textarea tfoot th thead time title tr"
    " track tt u ul var video wbr xmp x-y",
)
ATTRIBUTES = [
    *("", ' href="/x"', " src=y.png", ' title="a > b"', " onclick=x", ' style="x"'),
    *(" id=x", " id='at-1 <b>'", " name=main", ' class="token keyword"', " class='row k'"),
    *(" href=#x", " display=block mathvariant=bold", " encoding=text/html", " actiontype=toggle"),
]
TEXTS = ["x", " ", "\n", "&amp;", "&lt;b", "&nbsp;", "<", ">", '"', "<!--c-->", "\f", "]]>"]

starts = st.builds("<{}{}>".format, st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES))
ends = st.builds("</{}>".format, st.sampled_from(NAMES))
pieces = starts | ends | st.sampled_from(TEXTS) | st.sampled_from(list(PAYLOADS.values()))
tag_soup = st.lists(pieces, max_size=25).map("".join)
markups = st.text() | tag_soup


@given(markups)
def test_cleaning_what_is_clean_changes_nothing(markup: str):
    clean = clean_html(markup, base_url=BASE)

    assert clean_html(clean, base_url=BASE) == clean


@given(markups)
def test_another_parser_in_between_changes_nothing(markup: str):
    clean = clean_html(markup, base_url=BASE)

    assert clean_html(reparsed(clean), base_url=BASE) == clean


@given(markups)
def test_clean_markup_is_balanced_and_stays_in_its_container(markup: str):
    clean = clean_html(markup, base_url=BASE)

    assert imbalance(clean) is None
    assert not leaves_container(clean)


@given(markups)
def test_nothing_hostile_is_left(markup: str):
    assert complaints(clean_html(markup, base_url=BASE)) == []


@given(markups, st.none() | st.text())
def test_any_base_will_do(markup: str, base: str | None):
    assert complaints(clean_html(markup, base_url=base)) == []


@given(markups, st.integers(min_value=1, max_value=500))
def test_texts_keep_to_their_limits(markup: str, limit: int):
    clean = clean_html(markup, base_url=BASE)

    assert len(to_text(markup, limit=limit)) <= limit
    assert len(excerpt(clean, limit=limit)) <= limit
    assert len(plain(markup, limit=limit)) <= limit


@given(markups)
def test_clean_markup_is_well_formed_text(markup: str):
    clean = clean_html(markup, base_url=BASE)

    assert clean.encode().decode() == clean
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", clean)


@given(st.text(), st.text())
def test_links_become_web_addresses_or_nothing(link: str, base: str):
    address = absolute_url(link, base)

    assert address is None or address.startswith(("http://", "https://"))
    assert address is None or absolute_url(address) == address


@given(st.text(), st.none() | st.text())
def test_every_text_runs_one_way(text: str, language: str | None):
    assert is_rtl(text, language) in {True, False}


WORDS = ["word", "é", " ", "  ", "\n", "\t", "\u2003", "\x85", "&nbsp;", "&amp;"]
TAGS = ["<br>", "<p>", "</p>", "<b>bold</b>", '<a href="https://a.example/">link</a>']
words = st.lists(st.sampled_from([*WORDS, *TAGS]), max_size=120).map("".join)


@given(words, st.integers(20, 90))
def test_an_excerpt_is_the_beginning_of_all_words(markup: str, limit: int):
    clean = clean_html(markup)

    whole = " ".join(to_text(clean).split())

    assert excerpt(clean, limit=limit) == shortened(whole, limit)
