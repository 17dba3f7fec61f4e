"""What parsing makes of documents."""
# ruff: noqa: RUF001 - quotes, dashes and foreign letters are meant

from datetime import timedelta

import pytest
from lxml import etree

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.parse import FeedParser
from feedloom.parse.assembly import author, identifier, language
from feedloom.parse.dates import zone_offset
from feedloom.parse.kinds import unreadable
from feedloom.parse.parser import read_fast
from feedloom.parse.text import as_markup, repaired, with_absolute_links
from feedloom.parse.xml_feeds.elements import Readers
from tests.corpus.feeds import NOW, URL
from tests.corpus.feeds.date_cases import ZONES
from tests.corpus.feeds.pieces import atom, entry, item, rss
from tests.factories_feeds import NO_ADDRESSES
from tests.unit.parse.reading import read_here


def read(document: str, url: str = URL) -> ParsedFeed:
    return read_fast(document.encode(), url=url, now=NOW)


@pytest.mark.threat("S15")
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


@pytest.mark.threat("P10")
def test_a_date_ahead_of_us_does_not_pin_an_entry_to_the_top():
    late = (NOW + timedelta(days=400)).strftime("%a, %d %b %Y %H:%M:%S +0000")
    parsed = read(rss(item(guid="a", title="Real") + item(guid="b", title="Fake", pubDate=late)))

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
    parsed = read_here(document)

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
        *(("en", "en"), (" de-AT ", "de-AT"), ("pt_BR", "pt-BR"), ("zh-Hant-TW", "zh-Hant-TW")),
        *(("", None), ("English", None), ("e", None), ("en-", None), ("x" * 99, None)),
    ],
)
def test_languages_are_tags_or_nothing(said: str, meant: str | None):
    assert language(said) == meant


def test_a_short_identifier_is_kept_as_published():
    assert identifier(" Tag:Example,2025:1?utm_source=x ") == "Tag:Example,2025:1?utm_source=x"


@pytest.mark.threat("P6", "P11")
def test_an_identifier_loses_what_no_database_stores():
    assert identifier("a\x00b\ud800c\n") == "abc"


@pytest.mark.threat("P11")
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


def test_parsing_at_once_reads_what_takes_no_guessing():
    found = FeedParser().parse_at_once(rss(item()).encode(), url=URL, now=NOW)

    assert found is not None
    assert found.fast


def test_parsing_at_once_leaves_the_rest_to_others():
    doubtful = rss(item("<title>Another</title>")).encode()
    found = FeedParser().parse_at_once(doubtful, url=URL, now=NOW)

    assert found is None


@pytest.mark.parametrize(
    ("root", "kind"),
    [("x:html", "html"), ("x:opml", "opml"), ("x:urlset", "sitemap"), ("x:svg", "image")],
)
def test_other_documents_under_a_prefix_are_named_too(root: str, kind: str):
    padding = f"<!--{'x' * 5000}-->"
    with pytest.raises(NotAFeed) as refused:
        read(f'{padding}<{root} xmlns:x="urn:x"/>')

    assert refused.value.kind == kind


def test_a_picture_of_an_item_is_its_thumbnail():
    for written in ("/p.jpg", "<url>/p.jpg</url><title>No</title>"):
        parsed = read(rss(item(f"<image>{written}</image>")))
        assert parsed.entries[0].thumbnail_url == "https://example.org/p.jpg"


def test_two_links_of_a_channel_are_a_question():
    document = rss(item(), channel="<link>https://other.example/</link>")
    parsed = read_here(document.encode())

    assert not parsed.fast


def test_an_atom_link_stands_in_for_the_link_of_a_channel():
    spaces = ' xmlns:a="http://www.w3.org/2005/Atom"'
    channel = '<a:link href="https://example.org/home"/><a:link rel="next" href="/2"/>'
    parsed = read(rss(item(), channel=channel, spaces=spaces, link=""))

    assert parsed.site_url == "https://example.org/home"


def test_other_atom_links_of_an_item_mean_nothing():
    spaces = ' xmlns:a="http://www.w3.org/2005/Atom"'
    parsed = read(rss(item('<a:link rel="edit" href="/e"/>'), spaces=spaces))

    assert parsed.entries[0].url == "https://example.org/1"


def test_an_empty_guid_is_none():
    assert read(rss(item(guid=" "))).entries[0].guid == "https://example.org/1"


def test_an_atom_feed_has_one_title_language_and_wish():
    spaces = (
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
    )
    head = (
        "<title>Another</title><dc:language>fr</dc:language>"
        "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>"
        '<link rel="next" href="/2"/>'
    )
    parsed = read(atom(entry(), head=head, spaces=spaces))

    assert (parsed.title, parsed.language) == ("The feed", "fr")
    assert parsed.asked.ttl_s == 21_600


def test_a_json_feed_of_more_than_ten_megabytes_is_refused():
    with pytest.raises(ParseError, match="10 MB"):
        read('{"items": ["' + "x" * 10_000_000 + '"]}')


@pytest.mark.parametrize(
    ("markup", "meant"),
    [
        ('<a href="x">', '<a href="https://b.example/d/x">'),
        ("<img alt='' src='/y'>", "<img alt='' src=\"https://b.example/y\">"),
        ('<a href="https://c.example/">', '<a href="https://c.example/">'),
        ('<a href="mailto:a@b">', '<a href="mailto:a@b">'),
        ('<a href="//[">', '<a href="//[">'),
        ('href="x"', 'href="x"'),
    ],
)
def test_relative_links_in_content_follow_the_base_of_the_feed(markup: str, meant: str):
    assert with_absolute_links(markup, "https://b.example/d/") == meant


@pytest.mark.parametrize(("zone", "offset"), ZONES)
def test_zones_have_offsets_or_are_unknown(zone: str, offset: int | None):
    assert zone_offset(zone) == offset


def test_an_error_handler_for_decoding_handles_nothing_else():
    with pytest.raises(UnicodeEncodeError):
        "é".encode("ascii", "feedloom-windows-strays")


def test_what_is_no_element_is_passed_over():
    readers: Readers[list[str]] = Readers({"a": lambda into, _: into.append("a")})
    element = etree.Element("a")
    found: list[str] = []
    readers[etree.Comment](found, element)
    readers["a"](found, element)

    assert found == ["a"]


def test_the_only_address_of_an_atom_entry_is_its_identity():
    only = '<link rel="alternate" type="application/pdf" href="https://example.org/1.pdf"/>'
    parsed = read(atom(entry(only, id="", title="")))

    assert parsed.entries[0].guid == "https://example.org/1.pdf"


def test_a_root_with_an_undeclared_prefix_is_no_obstacle():
    with pytest.raises(NotAFeed):
        read_here(b"<media:x>y</media:x>")


@pytest.mark.threat("S6", "P16")
@pytest.mark.parametrize("link", NO_ADDRESSES)
def test_what_a_feed_says_of_itself_is_an_address_or_nothing(link: str):
    links = f'<link rel="self" href="{link}"/><link rel="hub" href="{link}"/>'
    from_atom = read(atom(entry(), head=f"{links}<icon>{link}</icon>"))
    from_rss = read(rss(item(guid="1"), link=link))

    said = (from_atom.self_url, from_atom.hub_url, from_atom.icon_url)
    assert said == (None, None, None)
    assert from_rss.site_url is None
    assert len(from_atom.entries) == len(from_rss.entries) == 1


@pytest.mark.threat("P16")
def test_a_reference_to_a_number_nobody_can_count_to_is_no_obstacle():
    huge = "&#" + "1" * 4301 + ";"
    text = f"<![CDATA[<a href='/{huge}'>x</a>{huge}]]>"
    parsed = read(rss(item(guid="1", title=f"<![CDATA[{huge}]]>", description=text)))

    assert parsed.entries[0].title == "\ufffd"
