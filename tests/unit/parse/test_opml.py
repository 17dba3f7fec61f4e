"""Lists of feeds: every row is read, or reported with a reason."""

import pytest

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.parse import FeedList, ListedFeed, read_opml

FEED = "https://example.org/feed.xml"


def document(body: str, *, head: str = "<head><title>Mine</title></head>") -> bytes:
    return f'<?xml version="1.0"?><opml version="2.0">{head}<body>{body}</body></opml>'.encode()


def read(body: str) -> FeedList:
    return read_opml(document(body))


def only(body: str) -> ListedFeed:
    found = read(body)
    assert found.rejected == ()
    (feed,) = found.feeds
    return feed


def test_a_row_is_a_feed():
    row = f'<outline type="rss" text="News" xmlUrl="{FEED}" htmlUrl="https://example.org"/>'

    assert only(row) == ListedFeed("News", FEED, "https://example.org")


def test_the_list_has_a_title():
    assert read("").title == "Mine"


def test_an_empty_list_is_a_list():
    assert read("") == FeedList("Mine", ())


@pytest.mark.threat("O3")
@pytest.mark.parametrize(
    "row",
    [
        f'<outline xmlUrl="{FEED}"/>',
        f'<outline xmlUrl="{FEED}"></outline>',
        f'<outline xmlUrl="{FEED}"> </outline>',
        f'<outline xmlUrl="{FEED}"><!-- x --></outline>',
        f'<outline XMLURL="{FEED}"/>',
        f'<OUTLINE xmlurl="{FEED}"/>',
        f'<Outline XmlUrl=" {FEED} "/>',
        f"<outline feedURL='{FEED}'/>",
        f'<outline type="rss" url="{FEED}"/>',
        f'<outline type="ATOM" url="{FEED}"/>',
        f'<outline type="link" xmlUrl="{FEED}"/>',
        f'<outline xmlUrl="feed:{FEED}"/>',
        f'<outline xmlUrl="{FEED}" unknown="x" custom:y="z"/>',
        f'<x><outline xmlUrl="{FEED}"/></x>',
    ],
)
def test_a_row_is_found_however_it_is_written(row: str):
    assert only(row).xml_url == FEED


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("feed://example.org/x", "http://example.org/x"),
        ("example.org/feed", "http://example.org/feed"),
        ("//example.org/feed", "http://example.org/feed"),
        ("HTTPS://Example.ORG/x", "https://example.org/x"),
        ("https://example.org/?a=1&amp;b=2", "https://example.org/?a=1&b=2"),
        ("https://example.org/?a=1&b=2", "https://example.org/?a=1&b=2"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ],
)
def test_addresses_are_read_as_their_owners_meant_them(address: str, meant: str):
    assert only(f'<outline xmlUrl="{address}"/>').xml_url == meant


@pytest.mark.threat("O2", "X9")
@pytest.mark.parametrize(
    ("attributes", "title"),
    [
        ('text="A"', "A"),
        ('title="B"', "B"),
        ('text="A" title="B"', "B"),
        ('text="R&amp;amp;D"', "R&D"),
        ('text="R&D"', "R&D"),
        ('text="&lt;b&gt;A&lt;/b&gt; &lt;script&gt;x&lt;/script&gt;"', "A"),
        ("", ""),
        ('text=""', ""),
        (f'text="{FEED}"', ""),
    ],
)
def test_titles_are_plain_text(attributes: str, title: str):
    assert only(f'<outline {attributes} xmlUrl="{FEED}"/>').title == title


def test_folders_are_kept_at_any_depth():
    row = f'<outline xmlUrl="{FEED}"/>'
    body = f'<outline text="A"><outline title="B, C/D">{row}</outline></outline>{row}'
    found = read(body)

    assert [feed.folder for feed in found.feeds] == [("A", "B, C/D"), ()]
    assert found.folders == (("A",), ("A", "B, C/D"))


def test_an_empty_folder_is_remembered():
    assert read('<outline text="Later"/>').folders == (("Later",),)


def test_a_folder_without_a_name_is_no_folder():
    assert only(f'<outline><outline xmlUrl="{FEED}"/></outline>').folder == ()


@pytest.mark.threat("O3")
def test_folders_deeper_than_ten_are_flattened():
    body = '<outline text="x">' * 30 + f'<outline xmlUrl="{FEED}"/>' + "</outline>" * 30

    assert only(body).folder == ("x",) * 10


@pytest.mark.threat("O3")
def test_a_feed_inside_a_feed_is_in_the_same_folder():
    inner = f'<outline xmlUrl="{FEED}?2"/>'
    body = f'<outline text="A"><outline xmlUrl="{FEED}">{inner}</outline></outline>'

    assert [feed.folder for feed in read(body).feeds] == [("A",), ("A",)]


@pytest.mark.parametrize(
    ("category", "folder"),
    [("Tech", ("Tech",)), ("/Tech/News,/Other", ("Tech", "News")), (" , ", ()), ("", ())],
)
def test_a_category_stands_in_for_a_folder(category: str, folder: tuple[str, ...]):
    assert only(f'<outline category="{category}" xmlUrl="{FEED}"/>').folder == folder


def test_order_is_kept():
    body = "".join(f'<outline xmlUrl="https://example.org/{n}"/>' for n in range(100))

    assert [feed.xml_url for feed in read(body).feeds] == [
        f"https://example.org/{n}" for n in range(100)
    ]


@pytest.mark.threat("O2", "O4")
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('xmlUrl="javascript:alert(1)"', "not a valid web address"),
        ('xmlUrl="file:///etc/passwd"', "not a valid web address"),
        ('xmlUrl="ftp://example.org/"', "not a valid web address"),
        ('xmlUrl="https://"', "not a valid web address"),
        ('xmlUrl="https://exa mple.org/"', "not a valid web address"),
        ('xmlUrl="http://0x7f.1/"', "not a valid web address"),
        ('xmlUrl="https://me:secret@example.org/"', "user name or password"),
        ('type="rss"', "no feed address"),
        ('htmlUrl="https://example.org/"', "no feed address"),
        ('type="link" url="https://example.org/"', "no feed address"),
    ],
)
def test_a_bad_row_is_reported_and_the_others_are_kept(row: str, reason: str):
    good = f'<outline xmlUrl="{FEED}"/>'
    found = read(f'{good}<outline text="Bad" {row}/>{good}')
    (rejected,) = found.rejected

    assert len(found.feeds) == 2
    assert rejected.title == "Bad"
    assert reason in rejected.reason


@pytest.mark.threat("O2")
def test_a_report_never_repeats_a_password():
    found = read('<outline xmlUrl="https://me:secret@example.org/x"/>')

    assert found.rejected[0].address == "https://example.org/x"


def test_a_report_never_repeats_a_password_even_of_a_broken_address():
    found = read('<outline xmlUrl="gopher://me:secret@example.org/x"/>')

    assert "secret" not in found.rejected[0].address


def test_a_page_that_is_no_web_address_does_not_cost_the_feed():
    assert only(f'<outline xmlUrl="{FEED}" htmlUrl="javascript:x"/>').html_url is None


@pytest.mark.threat("O1")
def test_more_rows_than_fifty_thousand_are_cut_and_it_is_said():
    found = read(f'<outline xmlUrl="{FEED}"/>' * 50_001)

    assert len(found.feeds) == 50_000
    assert found.truncated


@pytest.mark.threat("O5")
def test_fifty_thousand_rows_are_read():
    assert not read(f'<outline xmlUrl="{FEED}"/>' * 50_000).truncated


@pytest.mark.parametrize(
    "body",
    [
        document(f'<outline text="a & b" xmlUrl="{FEED}"/>'),
        document(f'<outline text="a&nbsp;b" xmlUrl="{FEED}"/>'),
        document(f'<outline xmlUrl="{FEED}"/>').replace(b"<opml", b"<!DOCTYPE opml><opml"),
        b"\xef\xbb\xbf" + document(f'<outline xmlUrl="{FEED}"/>'),
        b"\n\n" + document(f'<outline xmlUrl="{FEED}"/>'),
        document(f'<outline xmlUrl="{FEED}"/>').decode().encode("utf-16"),
        document(f'<outline text="é" xmlUrl="{FEED}"/>').decode().encode("cp1252"),
        f'<body><outline xmlUrl="{FEED}"/></body>'.encode(),
        document(f'<outline text="a\x00b" xmlUrl="{FEED}"/>'),
    ],
)
def test_slightly_damaged_lists_are_read(body: bytes):
    assert [feed.xml_url for feed in read_opml(body).feeds] == [FEED]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "empty"),
        (b"<!doctype html><html><body>x", "html"),
        (b"\x89PNG", "image"),
        (b"<rss><channel/></rss>", "xml"),
        (b"<note/>", "xml"),
    ],
)
def test_other_documents_are_named(body: bytes, kind: str):
    with pytest.raises(NotAFeed, match="OPML") as refused:
        read_opml(body)

    assert refused.value.kind == kind


@pytest.mark.parametrize("body", [b"words", b"<opml><body><outline", b'{"a": 1}'])
def test_what_cannot_be_read_is_a_damaged_list(body: bytes):
    with pytest.raises(ParseError, match="list"):
        read_opml(body)
