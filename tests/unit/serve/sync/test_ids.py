"""Ids of Google Reader: every spelling is read back, nothing else is taken for one."""

from hypothesis import given
from hypothesis import strategies as st

from feedloom.model.reader import Role, User
from feedloom.serve.sync.greader.ids import (
    ITEM_PREFIX,
    Kind,
    Stream,
    long_id,
    read_item_id,
    read_stream,
    short_id,
    stream_id,
)

ADA = User(7, "ada@example.org", Role.READER)
numbers = st.integers(1, 2**31 - 1)
names = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Z"]), min_size=1)


@given(numbers)
def test_every_spelling_of_an_item_is_read_back(number: int):
    long = long_id(number)
    bare = long.removeprefix(ITEM_PREFIX)
    spelled = [long, bare, bare.upper(), bare.lstrip("0"), short_id(number)]

    assert [read_item_id(text) for text in spelled] == [number] * 5
    assert len(short_id(number)) == 16
    assert len(bare) == 16


@given(st.text())
def test_no_text_breaks_the_reading_of_items(text: str):
    for spelled in (text, ITEM_PREFIX + text):
        found = read_item_id(spelled)
        assert found is None or 0 < found < 2**31


@given(st.text())
def test_no_text_breaks_the_reading_of_streams(text: str):
    found = read_stream(text, ADA)

    assert read_stream(stream_id(found), ADA).kind in {found.kind, Kind.NOTHING}


@given(names)
def test_labels_are_read_back_whatever_their_name(name: str):
    stream = read_stream(f"user/-/label/{name}", ADA)

    assert stream_id(stream) == f"user/-/label/{name}"


def test_streams_of_oneself_and_of_others():
    for owner in ("-", "7", "ada@example.org"):
        stream = read_stream(f"user/{owner}/state/com.google/starred", ADA)
        assert stream == Stream(Kind.STARRED)
    assert read_stream("user/8/state/com.google/starred", ADA).kind is Kind.NOTHING
    assert read_stream("feed/feed/12", ADA) == Stream(Kind.FEED, 12)
    assert read_stream("feed/https://x.example/", ADA).kind is Kind.ADDRESS
