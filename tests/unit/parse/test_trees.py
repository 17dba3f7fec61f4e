"""From bytes to a tree: encodings, mending, bounds, threads."""

import threading

import pytest

from feedloom.model.errors import ParseError
from feedloom.parse.charsets import declared_encoding, decoded
from feedloom.parse.text import joined
from feedloom.parse.xml_feeds.elements import UNKNOWN, markup_of, own_spaces, short_name, under
from feedloom.parse.xml_feeds.trees import harmless, mended, read_tree
from tests.corpus.feeds.pieces import SPACES, item, rss


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"<?xml version='1.0' encoding='UTF-8'?>", "utf-8"),
        (b'  <?xml version="1.0" encoding = "Shift_JIS" standalone="yes"?>', "shift_jis"),
        (b"<?xml version='1.0'?>", ""),
        (b"<rss encoding='utf-8'>", ""),
        (b"", ""),
    ],
)
def test_the_declared_encoding_is_found(body: bytes, encoding: str):
    assert declared_encoding(body) == encoding


@pytest.mark.threat("P6")
@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("é".encode(), "", "é"),
        (b"\xe9", "", "é"),
        (b"\xe9", "text/xml; charset=utf-8", "é"),
        ("я".encode("koi8-r"), "text/xml; charset=KOI8-R", "я"),
        ("é".encode(), "text/xml; charset=nonsense", "é"),
        (b"\xc3\xa9\xe9\xc3\xa9", "", "ééé"),
        (b"\x80\x81", "", "€\ufffd"),
        ("é".encode("utf-16"), "", "é"),
        ("<é".encode("utf-16-be"), "", "<é"),
        ("<é".encode("utf-32-le"), "", "<é"),
        (b"\xff\xfe\x00", "", "\ufffd"),
    ],
)
def test_bytes_become_text_whatever_they_say(body: bytes, content_type: str, text: str):
    assert decoded(body, content_type) == text


def test_a_long_document_with_one_stray_letter_keeps_the_others():
    body = ("é" * 150_000).encode() + b"\xe9"

    assert decoded(body) == "é" * 150_000 + "\ufffd"


def test_a_long_document_of_windows_letters_is_read_as_such():
    assert decoded(b"\xe9x" * 250_000) == "éx" * 250_000


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("<rss>a & b</rss>", "<rss>a &amp; b</rss>"),
        ("<rss>&eacute;&nbsp;</rss>", "<rss>é\xa0</rss>"),
        ("<rss>&lt;&amp;&#65;&#x41;</rss>", "<rss>&lt;&amp;&#65;&#x41;</rss>"),
        ("<rss>&bogus;</rss>", "<rss>&amp;bogus;</rss>"),
        ("<rss>&#0;&#x1F;&#xD800;x</rss>", "<rss>x</rss>"),
        ("<rss>&#;&#x;</rss>", "<rss>&amp;#;&amp;#x;</rss>"),
        ("<rss><![CDATA[&eacute; & <]]>&</rss>", "<rss><![CDATA[&eacute; & <]]>&amp;</rss>"),
        ("junk<rss>a</rss>", "<rss>a</rss>"),
        ("<rss>a</rss>junk", "<rss>a</rss>"),
        ("<?xml version='1.0'?><rss>a</rss>", "<rss>a</rss>"),
        ("<rss>a\x00\x0b\ufffe</rss>", "<rss>a</rss>"),
        ("<!DOCTYPE rss><rss/>", "<rss/>"),
        ("<!DOCTYPE rss [ <!-- > --> ]><rss/>", "<rss/>"),
        ("<!DOCTYPE rss [<!ENTITY a 'b'>]><rss>&a;</rss>", "<rss>b</rss>"),
        ("<!DOCTYPE rss [<!ENTITY a '&#60;'>]><rss>&a;</rss>", "<rss>&lt;</rss>"),
        ("no markup", "no markup"),
    ],
)
def test_damage_with_one_repair_is_repaired(text: str, repaired: str):
    assert mended(text) == (repaired, False)


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("<rss><channel><item>a</item><item>b", "<rss><channel><item>a</item></channel></rss>"),
        ("<feed><entry>a</entry><entry>b</ent", "<feed><entry>a</entry></feed>"),
        (
            "<rdf:RDF><channel></channel><item>a</item><it",
            "<rdf:RDF><channel></channel><item>a</item></rdf:RDF>",
        ),
    ],
)
def test_a_document_cut_off_ends_after_its_last_whole_entry(text: str, closed: str):
    assert mended(text) == (closed, True)


@pytest.mark.threat("P1", "P2")
@pytest.mark.parametrize(
    "subset",
    [
        "<!ENTITY a SYSTEM 'file:///etc/passwd'>",
        "<!ENTITY a PUBLIC 'x' 'http://example.org/'>",
        "<!ENTITY a '&b;'>",
        "<!ENTITY a '%b;'>",
        "<!ENTITY % a '<!ELEMENT x ANY>'>",
        f"<!ENTITY a '{'x' * 101}'>",
        "<!ELEMENT",
        "nonsense",
    ],
)
def test_a_document_type_that_expands_or_reaches_out_is_refused(subset: str):
    with pytest.raises(ParseError, match="type declaration"):
        harmless(f"<!DOCTYPE rss [{subset}]><rss/>")


@pytest.mark.threat("P3")
def test_a_document_type_behind_a_long_comment_is_read():
    late = f"<!--{'x' * 5000}--><!DOCTYPE rss [<!ENTITY a 'boo'>]><rss>&a;</rss>"

    assert read_tree(late.encode()).root.text == "boo"


@pytest.mark.threat("P2", "P3")
def test_a_hostile_document_type_behind_a_long_comment_is_refused():
    late = f"<!--{'x' * 5000}--><!DOCTYPE rss [<!ENTITY a '&b;'>]><rss>&a;</rss>"

    with pytest.raises(ParseError):
        read_tree(late.encode())


def test_a_tree_that_needed_nothing_is_whole_and_undamaged():
    tree = read_tree(rss(item()).encode())

    assert (tree.truncated, tree.damaged, tree.spaces) == (False, False, None)


def test_more_than_ten_megabytes_are_refused():
    with pytest.raises(ParseError, match="10 MB"):
        read_tree(b"<rss>" + b" " * 10_000_000)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("title", "title"),
        ("TITLE", "title"),
        ("{http://purl.org/rss/1.0/}title", "title"),
        (f"{{{SPACES['dc']}}}Creator", "dc:creator"),
        ("{https://purl.org/dc/elements/1.1}creator", "dc:creator"),
        ("{HTTP://SEARCH.YAHOO.COM/MRSS}content", "media:content"),
        ("{http://www.w3.org/2005/Atom}link", "atom:link"),
        ("{http://purl.org/atom/ns#}link", "atom:link"),
        ("{urn:x}link", UNKNOWN),
        ("media:content", "media:content"),
        ("x:content", "content"),
    ],
)
def test_names_are_short_and_comparable(tag: str, name: str):
    assert short_name(tag) == name


def test_a_known_prefix_with_an_address_of_its_own_is_believed():
    spaces = own_spaces({"dc": "urn:mine", "x": "urn:y", None: "urn:z"})

    assert spaces is not None
    assert short_name("{urn:mine}creator", spaces) == "dc:creator"
    assert short_name("{urn:y}creator", spaces) == UNKNOWN


@pytest.mark.parametrize(
    ("inside", "markup"),
    [
        ("a &lt; <b>b</b> c", "a &lt; <b>b</b> c"),
        ("<br/><p/>x", "<br/><p></p>x"),
        ('<x:p xmlns:x="urn:x" a="1">y</x:p>z', '<p a="1">y</p>z'),
        ('<i xmlns="http://www.w3.org/1999/xhtml">y</i>', "<i>y</i>"),
    ],
)
def test_markup_inside_an_element_becomes_html(inside: str, markup: str):
    root = read_tree(f"<rss>{inside}</rss>".encode()).root

    assert markup_of(root) == markup


@pytest.mark.threat("P12")
def test_bases_are_joined_only_to_web_addresses():
    assert joined("https://a.example/x/", "y/") == "https://a.example/x/y/"
    assert joined("https://a.example/", "javascript:x") == "https://a.example/"
    assert joined("https://a.example/", None) == "https://a.example/"


def test_an_address_under_an_impossible_base_stays_as_it_is():
    assert under("http://[", "x") == "x"


def test_threads_parse_at_once_without_mixing_documents():
    failures: list[str] = []

    def work(number: int) -> None:
        body = rss(item(title=f"T{number}") * 50).encode()
        for _ in range(40):
            titles = {e.text for e in read_tree(body).root.iter("title")}
            if titles != {"The feed", f"T{number}"}:
                failures.append(f"{number}: {titles}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []


def test_five_hundred_declarations_are_enough():
    many = "".join(f"<!ENTITY e{n} 'x'>" for n in range(600))

    with pytest.raises(ParseError, match="type declaration"):
        harmless(f"<!DOCTYPE rss [{many}]><rss/>")
