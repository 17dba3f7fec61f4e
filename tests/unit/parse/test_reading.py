"""The way of a document through the room."""
# ruff: noqa: RUF001 - quotes, dashes and foreign letters are meant

from datetime import timedelta

import pytest

from feedloom.model.errors import NotAFeed
from feedloom.model.feed import ParsedFeed
from feedloom.parse import parse_feed
from feedloom.parse.fields import author, identifier, language
from feedloom.parse.kinds import unreadable
from feedloom.parse.text import as_markup, repaired
from tests.corpus.feeds import NOW, URL
from tests.corpus.feeds.pieces import atom, entry, item, rss
from tests.unit.parse.fallbacks import InProcess, Never


def read(document: str, url: str = URL) -> ParsedFeed:
    return parse_feed(document.encode(), url=url, now=NOW, fallback=Never())


def test_the_password_of_a_feed_does_not_get_into_what_it_says():
    parsed = read(
        rss(item('<enclosure url="/a.mp3"/>', link="/x", guid="1"), link="/"),
        url="https://me:secret@example.org/feed",
    )

    assert "secret" not in str(parsed)
    assert parsed.entries[0].url == "https://example.org/x"


def test_an_address_that_is_none_is_no_obstacle():
    parsed = read(rss(item(link="/x", guid="1")), url="not an address")

    assert parsed.entries[0].url is None


def test_a_date_ahead_of_us_does_not_pin_an_entry_to_the_top():
    late = (NOW + timedelta(days=400)).strftime("%a, %d %b %Y %H:%M:%S +0000")
    parsed = read(
        rss(item(guid="a", title="Real") + item(guid="b", title="Fake", pubDate=late))
    )

    assert [each.title for each in parsed.entries] == ["Real", "Fake"]
    assert parsed.entries[1].published_at is None


def test_entries_without_dates_stay_by_their_neighbours():
    items = [
        item(guid="1", pubDate=""),
        item(guid="2", pubDate="Tue, 01 Jul 2025 10:00:00 GMT"),
        item(guid="3", pubDate=""),
        item(guid="4", pubDate="Wed, 02 Jul 2025 10:00:00 GMT"),
    ]
    parsed = read(rss("".join(items)))

    assert [each.guid for each in parsed.entries] == ["4", "1", "2", "3"]


def test_entries_where_none_were_looked_for_are_not_overlooked():
    hidden = "<rss><channel><title>x</title><box><item><title>a</title></item></box>"
    document = f"{hidden}</channel></rss>".encode()
    parsed = parse_feed(document, url=URL, now=NOW, fallback=InProcess())

    assert [each.title for each in parsed.entries] == ["a"]
    assert not parsed.fast


def test_a_page_is_refused_without_asking_anybody():
    with pytest.raises(NotAFeed, match="web page"):
        read("<!doctype html><title>x</title>")


def test_an_entry_about_a_page_is_still_a_feed():
    assert read(atom(entry(title="The html element"))).entries


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<div>x</div>", "html"),
        (b"<note/>", "xml"),
        (b"words", "text"),
        (b"\x01\x00\x02", "unknown"),
        (b"<rss><broken", "unknown"),
    ],
)
def test_what_nobody_can_read_has_a_name(body: bytes, kind: str):
    assert unreadable(body) == kind


@pytest.mark.parametrize(
    ("names", "written"),
    [
        ([], None),
        ([""], None),
        (["Ann"], "Ann"),
        (["ann@example.org (Ann)"], "Ann"),
        (["Ann <ann@example.org>"], "Ann"),
        (['"Ann B." <ann@example.org>'], "Ann B."),
        (["ann@example.org"], "ann@example.org"),
        (["Ann", "Bob", "Ann"], "Ann, Bob"),
        (["<b>Ann</b> &amp; Bob"], "Ann & Bob"),
        (["A\x00nn\n"], "Ann"),
        (["x" * 5000], "x" * 299 + "…"),
    ],
)
def test_authors_are_names_in_one_line(names: list[str], written: str | None):
    assert author(names) == written


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        *(
            ("en", "en"),
            (" de-AT ", "de-AT"),
            ("pt_BR", "pt-BR"),
            ("zh-Hant-TW", "zh-Hant-TW"),
        ),
        *(("", None), ("English", None), ("e", None), ("en-", None), ("x" * 99, None)),
    ],
)
def test_languages_are_tags_or_nothing(said: str, meant: str | None):
    assert language(said) == meant


def test_a_short_identifier_is_kept_as_published():
    assert (
        identifier(" Tag:Example,2025:1?utm_source=x ")
        == "Tag:Example,2025:1?utm_source=x"
    )


def test_an_identifier_loses_what_no_database_stores():
    assert identifier("a\x00b\ud800c\n") == "abc"


def test_long_identifiers_stay_different():
    first, second = identifier("x" * 5000 + "1"), identifier("x" * 5000 + "2")

    assert first != second
    assert len(first) == len(second) <= 2000


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("", ""),
        ("one", "<p>one</p>"),
        ("one\ntwo", "<p>one<br>two</p>"),
        ("one\n\n\n two", "<p>one</p><p> two</p>"),
        ("a < b & c", "<p>a &lt; b &amp; c</p>"),
        ("<p>already</p>", "<p>already</p>"),
        ("Fish &amp; Chips", "Fish &amp; Chips"),
        ("Vec<T>", "<p>Vec&lt;T&gt;</p>"),
    ],
)
def test_plain_text_becomes_markup_unless_it_is_markup(text: str, markup: str):
    assert as_markup(text) == markup


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("plain", "plain"),
        ("Grüße", "Grüße"),
        ("GrÃ¼Ã\x9fe", "Grüße"),
        ("GrÃ¼ÃŸe", "Grüße"),
        ("itâ€™s", "it’s"),
        ("\x93hi\x94", "“hi”"),
        ("Café\xa0– open", "Café\xa0– open"),
        ("« L’été\xa0»", "« L’été\xa0»"),
        ("Ð\x9fÑ\x80Ð¸Ð²ÐµÑ\x82", "Привет"),
        ("ä½\xa0å¥½", "你好"),
        ("NAÇÃO", "NAÇÃO"),
    ],
)
def test_text_encoded_twice_is_repaired_and_other_text_is_not(text: str, meant: str):
    assert repaired(text) == meant
