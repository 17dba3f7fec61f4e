"""Whole answers: statuses, validators, headers, encodings, sizes."""

import gzip
import zlib

import brotli  # type: ignore[import-untyped]  # it ships no types
import pytest
from backports import zstd

from feedloom.fetch import HTTPFetcher
from feedloom.fetch.client import MAX_ERROR_BODY
from feedloom.model.errors import NameNotFound, TooLarge, Unreachable
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, Purpose
from tests.factories_feeds import entries, rss
from tests.journeys.fetch.conftest import AGENT
from tests.publisher import Answer

DOCUMENT = rss(entries=entries(30))


async def test_feed_arrives_whole_with_its_headers(fetcher, publisher):
    url = publisher.feed("/blog.xml", entries=entries(30))

    answer = await fetcher.fetch(FetchRequest(url))

    assert (answer.status, answer.url, answer.body) == (200, url, DOCUMENT)
    assert answer.content_type == "application/rss+xml"
    assert answer.headers["etag"].startswith('"')
    assert answer.permanent_url is None
    assert answer.hops == 0


@pytest.mark.threat("S22")
async def test_server_sees_an_honest_agent_and_no_cookie(fetcher, publisher):
    await fetcher.fetch(FetchRequest(publisher.feed()))

    headers = publisher.requests[0].headers

    assert headers["user-agent"] == AGENT
    assert "cookie" not in headers
    assert "authorization" not in headers


async def test_unchanged_feed_is_not_sent_again(fetcher, publisher):
    url = publisher.feed()
    first = await fetcher.fetch(FetchRequest(url))
    etag, changed = first.headers["etag"], first.headers["last-modified"]

    by_etag = await fetcher.fetch(FetchRequest(url, etag=etag))
    by_date = await fetcher.fetch(FetchRequest(url, last_modified=changed))
    publisher.bump()
    bumped = await fetcher.fetch(FetchRequest(url, etag=etag, last_modified=changed))

    assert (by_etag.status, by_etag.body) == (304, b"")
    assert by_date.status == 304
    assert by_etag.headers["etag"] == etag
    assert bumped.status == 200


@pytest.mark.parametrize("status", [200, 203, 206, 400, 401, 404, 410, 429, 500, 503])
async def test_answer_of_any_status_is_returned(fetcher, publisher, status):
    url = publisher.script("/x", Answer(status, b"said", {"retry-after": "7"}))

    answer = await fetcher.fetch(FetchRequest(url))

    assert (answer.status, answer.body) == (status, b"said")
    assert answer.headers["retry-after"] == "7"


@pytest.mark.threat("S19")
@pytest.mark.parametrize("status", [204, 304])
async def test_answer_without_a_body_is_empty_also_unasked(fetcher, publisher, status):
    url = publisher.script("/x", Answer(status, headers={"content-length": "99"}))

    answer = await fetcher.fetch(FetchRequest(url))

    assert (answer.status, answer.body) == (status, b"")


@pytest.mark.parametrize("status", [200, 203])
async def test_validators_of_documents_are_passed_on(fetcher, publisher, status):
    url = publisher.script("/x", Answer(status, b"whole", {"etag": '"a"'}))

    assert (await fetcher.fetch(FetchRequest(url))).headers["etag"] == '"a"'


@pytest.mark.threat("S19")
@pytest.mark.parametrize("status", [206, 404, 500])
async def test_validators_of_anything_but_a_document_are_not_passed_on(fetcher, publisher, status):
    headers = {"etag": '"a"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
    url = publisher.script("/x", Answer(status, b"part", headers))

    answer = await fetcher.fetch(FetchRequest(url))

    assert "etag" not in answer.headers
    assert "last-modified" not in answer.headers


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(DOCUMENT)),
        ("deflate", zlib.compress(DOCUMENT)),
        ("br", brotli.compress(DOCUMENT)),
        ("zstd", zstd.compress(DOCUMENT)),
        ("", DOCUMENT),
    ],
)
@pytest.mark.parametrize("status", [200, 404])
async def test_packed_document_is_unpacked(fetcher, publisher, encoding, packed, status):
    url = publisher.script("/x", Answer(status, packed, {"content-encoding": encoding}))

    answer = await fetcher.fetch(FetchRequest(url))

    assert answer.body == DOCUMENT


async def test_document_in_chunks_is_joined(fetcher, publisher):
    raw = (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
        b"5\r\n<rss>\r\n6;name=value\r\n</rss>\r\n0\r\nx-trailer: 1\r\n\r\n"
    )
    url = publisher.script("/x", Answer(raw=raw))

    assert (await fetcher.fetch(FetchRequest(url))).body == b"<rss></rss>"


async def test_document_without_length_ends_with_the_connection(fetcher, publisher):
    url = publisher.script("/x", Answer(raw=b"HTTP/1.0 200 OK\r\n\r\n<rss/>"))

    assert (await fetcher.fetch(FetchRequest(url))).body == b"<rss/>"


async def test_long_security_policy_is_no_reason_to_refuse(fetcher, publisher):
    url = publisher.script("/x", Answer(body=b"ok", headers={"csp": "x" * 20_000}))

    assert (await fetcher.fetch(FetchRequest(url))).status == 200


async def test_document_of_exactly_the_limit_passes(fetcher, publisher):
    url = publisher.script("/x", Answer(body=b"x" * 5000))

    answer = await fetcher.fetch(FetchRequest(url, max_bytes=5000))

    assert len(answer.body) == 5000


@pytest.mark.threat("S17")
@pytest.mark.parametrize("announced", [True, False])
async def test_document_over_the_limit_is_refused(fetcher, publisher, announced):
    raw = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5001
    answer = Answer(body=b"x" * 5001) if announced else Answer(raw=raw)
    url = publisher.script("/x", answer)

    with pytest.raises(TooLarge, match="larger than 5 KB"):
        await fetcher.fetch(FetchRequest(url, max_bytes=5000))


async def test_length_of_what_is_not_sent_is_no_reason_to_refuse(fetcher, publisher):
    url = publisher.script("/x", Answer(headers={"content-length": "999999999"}))

    answer = await fetcher.fetch(FetchRequest(url, method="HEAD"))

    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-length"] == "999999999"


@pytest.mark.threat("S17")
@pytest.mark.parametrize("status", [400, 404, 500])
async def test_of_a_large_error_page_the_beginning_is_kept(fetcher, publisher, status):
    url = publisher.script("/x", Answer(status, b"x" * 300_000))

    answer = await fetcher.fetch(FetchRequest(url))

    assert answer.body == b"x" * MAX_ERROR_BODY


@pytest.mark.threat("S19")
@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 404 Not Found\r\ncontent-length: 100\r\n\r\ngone",
        b"HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n4\r\ngone\r\n9",
    ],
)
async def test_cut_error_page_is_still_that_error(fetcher, publisher, raw):
    url = publisher.script("/x", Answer(raw=raw))

    answer = await fetcher.fetch(FetchRequest(url))

    assert (answer.status, answer.body) == (404, b"gone")


async def test_error_page_packed_in_an_unknown_way_is_left_out(fetcher, publisher):
    answer = Answer(503, b"???", {"content-encoding": "xyz"})

    fetched = await fetcher.fetch(FetchRequest(publisher.script("/x", answer)))

    assert (fetched.status, fetched.body) == (503, b"")


@pytest.mark.threat("S21")
@pytest.mark.parametrize(
    "etag", [b'"a\x0bb"', b'"' + b"x" * 1100 + b'"', b'"\xe9"', b'"a\x7f"', b"\x01"]
)
async def test_hostile_validators_are_dropped_and_the_next_request_is_valid(
    fetcher, publisher, etag
):
    raw = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\netag: " + etag + b"\r\n\r\nok"
    url = publisher.script("/x", Answer(raw=raw))

    first = await fetcher.fetch(FetchRequest(url))
    again = await fetcher.fetch(FetchRequest(url, etag=first.headers.get("etag")))

    assert "etag" not in first.headers
    assert again.status == 200
    assert "if-none-match" not in publisher.requests[-1].headers


@pytest.mark.threat("S21")
async def test_hostile_validators_from_storage_are_not_sent(fetcher, publisher):
    url = publisher.feed()

    answer = await fetcher.fetch(
        FetchRequest(url, etag='"a"\r\nX-Evil: 1', last_modified="\x00\ud800")
    )

    assert answer.status == 200
    assert "x-evil" not in publisher.requests[0].headers


@pytest.mark.threat("S21")
async def test_values_from_the_wire_are_clean(fetcher, publisher):
    raw = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-odd: a\x01b\xfc\x85c\r\n\r\n"
    url = publisher.script("/x", Answer(raw=raw))

    answer = await fetcher.fetch(FetchRequest(url))

    assert answer.headers["x-odd"] == "abüc"


async def test_several_links_are_one_list(fetcher, publisher):
    raw = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nLink: <a>\r\nlink: <b>\r\n\r\n"
    url = publisher.script("/x", Answer(raw=raw))

    assert (await fetcher.fetch(FetchRequest(url))).headers["link"] == "<a>, <b>"


async def test_body_is_sent_with_its_headers(fetcher, publisher):
    url = publisher.script("/hook", Answer(202, b"taken"))

    answer = await fetcher.fetch(
        FetchRequest(
            url,
            sink=Purpose.ALERT,
            method="POST",
            body=b'{"a": 1}',
            headers={"Content-Type": "application/json", "X-Token": "t"},
        )
    )

    request = publisher.requests[0]
    assert answer.status == 202
    assert (request.method, request.body) == ("POST", b'{"a": 1}')
    assert request.headers["content-type"] == "application/json"
    assert request.headers["x-token"] == "t"


async def test_unknown_name_is_a_name_not_found(guarded):
    with pytest.raises(NameNotFound):
        await guarded.fetch(FetchRequest("http://nowhere.example/"))


async def test_refused_connection_is_unreachable(fetcher, unused_tcp_port):
    with pytest.raises(Unreachable) as error:
        await fetcher.fetch(FetchRequest(f"http://127.0.0.1:{unused_tcp_port}/"))

    assert type(error.value) is Unreachable
    assert error.value.detail.startswith("ConnectionRefusedError")


async def test_asking_after_closing_is_a_bug():
    made: Fetcher = HTTPFetcher(AGENT)
    await made.close()

    with pytest.raises(RuntimeError):
        await made.fetch(FetchRequest("http://93.184.216.34/"))
