"""Documents in memory: which form, which condition, how long, how much."""

from datetime import UTC, datetime

import pytest

from feedloom.model.distilled.publishing import Built
from feedloom.serve.proxied.shelf import (
    LATEST_S,
    SURE_S,
    Page,
    Pointer,
    Shelf,
    accepts_gzip,
    is_named,
    read_date,
)

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def page(size: int = 10) -> Page:
    return Page(
        Built(b"", b"x" * size, b"z" * size, '"tag"', '"tag-gz"', (), AT),
        [(b"x-more", b"1")],
    )


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        (b"gzip", True),
        (b"deflate, GZIP", True),
        (b"br;q=1.0, gzip;q=0.1", True),
        (b"x-gzip", True),
        (b"*", True),
        (b"*;q=0", False),
        (b"gzip;q=0", False),
        (b"gzip; q=0.000, *", False),
        (b"gzip;q=nonsense", False),
        (b"identity", False),
        (b"", False),
        (b"gzipped", False),
        (b"\xff\xfe", False),
    ],
)
def test_gzip_is_for_those_who_accept_it(value, accepted):
    assert accepts_gzip(value) is accepted


@pytest.mark.parametrize(
    ("known", "named"),
    [
        (b'"tag"', True),
        (b'W/"tag"', True),
        (b'"a", "tag" , "b"', True),
        (b"*", True),
        (b'"tag-gz"', False),
        (b"tag", False),
        (b'"other"', False),
        (b"", False),
    ],
)
def test_a_tag_is_known_by_its_whole_name(known, named):
    assert is_named(b'"tag"', known) is named


def test_dates_that_are_none_are_passed_over():
    assert read_date(b"Sun, 01 Mar 2026 12:00:00 GMT") == AT.timestamp()
    assert read_date(b"soon") is None
    assert read_date(b"\xff") is None


def test_repeated_conditions_are_one_list():
    made = page()

    chosen = made.choose([(b"if-none-match", b'"a"'), (b"if-none-match", b'"tag"')])

    assert chosen.status == 304


def test_both_ways_to_answer_say_the_same():
    chosen = page().choose([(b"accept-encoding", b"gzip")])

    lines = chosen.head.split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 200 OK"
    assert lines[1:-1] == [name + b": " + value for name, value in chosen.headers]
    assert (b"content-encoding", b"gzip") in chosen.headers
    assert (b"x-more", b"1") in chosen.headers
    assert (b"content-length", b"10") in chosen.headers


def test_a_pointer_is_believed_for_less_than_a_second():
    pointer = Pointer((1, "t", None), 100.0)

    assert pointer.holds(100.0 + SURE_S - 0.01)
    assert not pointer.holds(100.0 + SURE_S)
    pointer.is_checking = True
    assert pointer.holds(100.0 + LATEST_S - 0.01)
    assert not pointer.holds(100.0 + LATEST_S)
    assert LATEST_S < 1


def test_only_one_look_is_under_way_at_a_time():
    shelf = Shelf()
    shelf.keep((1, "t", None), page())
    shelf.point(b"q", (1, "t", None), 0.0)

    with shelf.checking(b"q"), shelf.checking(b"unknown"):
        assert shelf.pointers[b"q"].is_checking

    assert not shelf.pointers[b"q"].is_checking


def test_the_oldest_documents_go_when_there_are_too_many():
    shelf = Shelf(most_bytes=100)
    for number in range(10):
        shelf.keep((number, "t", None), page(size=10))
        shelf.point(b"%d" % number, (number, "t", None), 0.0)

    assert [key[0] for key in shelf.pages] == [5, 6, 7, 8, 9]
    assert shelf.recall(b"0", []) is None


def test_one_document_may_be_larger_than_all_that_is_allowed():
    shelf = Shelf(most_bytes=10)

    shelf.keep((1, "t", None), page(size=1_000))

    assert len(shelf.pages) == 1


def test_queries_are_forgotten_too():
    shelf = Shelf(most_queries=3)
    shelf.keep((1, "t", None), page())
    for number in range(10):
        shelf.point(b"%d" % number, (1, "t", None), 0.0)

    assert list(shelf.pointers) == [b"7", b"8", b"9"]
