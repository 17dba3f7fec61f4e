"""Documents in memory: which form, which condition, how long, how much."""

import time
from datetime import UTC, datetime

import pytest

from feedloom.model.distilled.documents import Built
from feedloom.serve.proxied.document_cache import (
    LATEST_S,
    SURE_S,
    DocumentCache,
    Page,
    accepts_gzip,
    read_date,
)
from feedloom.serve.wire.json_io import is_named

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def page(size: int = 10) -> Page:
    return Page(
        Built(b"", b"x" * size, b"z" * size, '"tag"', '"tag-gz"', (), AT), [(b"x-more", b"1")]
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


@pytest.fixture
def cache() -> DocumentCache:
    cache = DocumentCache()
    cache.keep((1, "t", None), page())
    cache.point(b"q", (1, "t", None), 100.0)
    return cache


def recalled(cache: DocumentCache, at: float, query: bytes = b"q") -> bool:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: at)
        return cache.recall(b"GET", b"/rss?" + query, []) is not None


def test_a_lookup_is_believed_for_less_than_a_second(cache: DocumentCache):
    assert LATEST_S < 1
    assert recalled(cache, 100.0 + SURE_S - 0.01)
    assert not recalled(cache, 100.0 + LATEST_S)


def test_one_looks_it_up_and_the_others_have_a_moment_more(cache: DocumentCache):
    at = 100.0 + SURE_S

    assert [recalled(cache, at) for _ in range(3)] == [False, True, True]
    assert not recalled(cache, 100.0 + LATEST_S)
    cache.point(b"q", (1, "t", None), at)
    assert recalled(cache, at + SURE_S - 0.01)
    assert not recalled(cache, at, b"unknown")


def test_only_reading_is_answered_from_memory(cache: DocumentCache, monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)

    got, head = (cache.recall(m, b"/rss?q", []) for m in (b"GET", b"HEAD"))

    assert got is not None
    assert head == (got[0], b"")
    assert cache.recall(b"POST", b"/rss?q", []) is None
    assert cache.recall(b"GET", b"/rssq", []) is None


def test_the_oldest_documents_go_when_there_are_too_many():
    cache = DocumentCache(most_bytes=100)
    for number in range(10):
        cache.keep((number, "t", None), page(size=10))
        cache.point(b"%d" % number, (number, "t", None), 0.0)

    assert [key[0] for key in cache.pages] == [5, 6, 7, 8, 9]
    assert not recalled(cache, 0.0, b"0")
    assert recalled(cache, 0.0, b"9")


def test_one_document_may_be_larger_than_all_that_is_allowed():
    cache = DocumentCache(most_bytes=10)

    cache.keep((1, "t", None), page(size=1_000))

    assert len(cache.pages) == 1


def test_queries_are_forgotten_too():
    cache = DocumentCache(most_queries=3)
    cache.keep((1, "t", None), page())
    for number in range(10):
        cache.point(b"%d" % number, (1, "t", None), 0.0)

    assert list(cache.pointers) == [b"7", b"8", b"9"]
