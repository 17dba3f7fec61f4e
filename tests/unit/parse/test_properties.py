"""Whatever the bytes are, parsing ends in a feed or in one of our errors."""

import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedloom.markup import clean_html
from feedloom.model.errors import ParseError
from feedloom.model.feed import MAX_ENTRIES, ParsedFeed
from feedloom.parse import read_opml
from feedloom.parse.text import as_markup, repaired, with_absolute_links
from tests.conftest import IS_LONG_RUN
from tests.corpus.feeds import CASES
from tests.unit.parse.reading import read_here

pytestmark = pytest.mark.threat("P16")

BODIES = [case.body for case in CASES if len(case.body) < 20_000]
PIECES = [
    b"<rss>", b"</rss>", b"<channel>", b"<item>", b"</item>", b"<title>", b"</title>",
    b"<link>", b"<guid>", b"</guid>", b"<description>", b"<![CDATA[", b"]]>", b"&amp;",
    b"&", b"&nbsp;", b"&#0;", b"<feed xmlns='http://www.w3.org/2005/Atom'>", b"<entry>",
    b"</entry>", b"<id>", b"</id>", b"<content type='html'>", b"<content type='xhtml'>",
    b"<!DOCTYPE rss [", b"<!ENTITY a 'b'>", b"]>", b"<!--", b"-->", b"<?xml ", b"?>",
    b"encoding='utf-16'", b"\x00", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"xml:base='//'",
    b"<media:content url='x'/>", b"<link href='/x' rel='alternate'/>", b'{"items":[', b"]}",
    b'"id":1', b"<opml>", b"<outline xmlUrl='x'/>", b"<pubDate>99999</pubDate>", b"<",
]  # fmt: skip

soups = st.lists(st.sampled_from(PIECES) | st.binary(max_size=8), max_size=30).map(b"".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "url", "title", "tags", "authors", "attachments", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def mutated(body: bytes, seed: int) -> bytes:
    """Change a document in a few places, as bad lines and bad programs do."""
    chance = random.Random(seed)
    changed = bytearray(body)
    changes: list[Callable[[int], None]] = [
        lambda at: changed.__delitem__(slice(at, at + chance.randint(1, 30))),
        lambda at: changed.__setitem__(slice(at, at), chance.choice(PIECES)),
        lambda at: changed.__setitem__(slice(at, at + 1), bytes([chance.randrange(256)])),
        lambda at: changed.__setitem__(slice(at, at), changed[at : at + 50]),
    ]
    for _ in range(chance.randint(1, 6)):
        chance.choice(changes)(chance.randrange(len(changed) + 1))
    return bytes(changed)


def read(body: bytes, content_type: str = "") -> ParsedFeed | None:
    try:
        return read_here(body, content_type=content_type)
    except ParseError:
        return None


def check(found: ParsedFeed | None) -> None:
    """Assert what every parsed feed promises."""
    if found is None:
        return
    assert len(found.entries) <= MAX_ENTRIES
    assert len(set(found.listed_guids)) == len(found.listed_guids)
    assert {entry.guid for entry in found.entries} <= set(found.listed_guids)
    for entry in found.entries:
        assert entry.guid
        assert min(entry.guid) >= " "
        assert entry.title.encode().decode() == entry.title
        assert "\x00" not in entry.title + (entry.author or "") + entry.guid
        addresses = [entry.url, entry.thumbnail_url, entry.comments_url]
        addresses += [enclosure.url for enclosure in entry.enclosures]
        assert all(a.startswith(("http://", "https://")) for a in addresses if a)
        clean_html(entry.content_html, base_url=entry.url)


@given(st.binary())
def test_any_bytes(body: bytes):
    check(read(body))


@given(soups)
def test_any_pieces_of_documents(body: bytes):
    check(read(body))


@settings(max_examples=400 if IS_LONG_RUN else 80)
@given(st.sampled_from(BODIES), st.integers(min_value=0))
def test_any_damage_to_real_documents(body: bytes, seed: int):
    check(read(mutated(body, seed)))


@given(st.sampled_from(BODIES), st.text(max_size=60))
def test_any_declared_type(body: bytes, content_type: str):
    check(read(body, content_type))


@pytest.mark.threat("P7")
@given(st.lists(values, max_size=4), values)
def test_any_json_with_items(items: list[object], title: object):
    document = {"version": "https://jsonfeed.org/version/1", "title": title}
    check(read(json.dumps(document | {"items": items}).encode()))


@given(soups | st.binary())
def test_any_bytes_as_a_list(body: bytes):
    try:
        found = read_opml(body)
    except ParseError:
        return

    assert all(feed.xml_url.startswith(("http://", "https://")) for feed in found.feeds)


@given(st.text())
def test_repairing_twice_is_repairing_once_or_undoes_another_layer(text: str):
    once = repaired(text)

    assert len(once) <= len(text)


@given(st.text(), st.text())
def test_texts_become_markup_without_failing(text: str, base: str):
    markup = as_markup(text)

    assert isinstance(with_absolute_links(markup, base), str)
