"""Answers byte by byte: in whatever pieces they come, each has one outcome."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedloom.fetch import HTTPFetcher
from feedloom.fetch.content_encoding import Body
from feedloom.model.errors import FetchError, TimedOut, TooLarge, Unreachable
from feedloom.model.stages import FetchRequest, FetchResponse
from tests.journeys.fetch.conftest import AGENT, LOOPBACK
from tests.lines import hang_up

ANSWERS = {
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-Late: a\r\n\r\n",
    "until the end": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
    "old": b"HTTP/1.0 200 OK\r\n\r\nhello",
    "hinted": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>"
    b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "bare line ends": b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
    "announces http2": b"HTTP/1.1 200 OK\r\nUpgrade: h2,h2c\r\n"
    b"Connection: Upgrade, Keep-Alive\r\nContent-Length: 5\r\n\r\nhello",
}
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@asynccontextmanager
async def saying(*pieces: bytes) -> AsyncIterator[str]:
    """Serve an answer in pieces, then hang up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
        await hang_up(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def outcome(
    fetcher: HTTPFetcher, pieces: Sequence[bytes], timeout_s: float = 10, **wants
) -> FetchResponse | FetchError:
    async with saying(*pieces) as url:
        try:
            return await fetcher.fetch(FetchRequest(url, timeout_s=timeout_s, **wants))
        except FetchError as error:
            return error


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("name", ANSWERS)
async def test_answer_is_read_however_it_is_cut(fetcher, name, size):
    answer = await outcome(fetcher, cut(ANSWERS[name], size))

    assert isinstance(answer, FetchResponse)
    assert (answer.status, answer.body) == (200, b"hello")
    assert "x-late" not in answer.headers


@pytest.mark.threat("S19")
@pytest.mark.parametrize("name", ["length", "chunks", "hinted"])
async def test_answer_that_was_cut_short_is_never_taken_for_whole(fetcher, name):
    whole = ANSWERS[name]
    for end in range(1, len(whole)):
        assert isinstance(await outcome(fetcher, [whole[:end]]), Unreachable), end


@pytest.mark.threat("S19")
@pytest.mark.parametrize(
    "said",
    [
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: 5, 6",
        b"Content-Length: 5 5",
        b"Content-Length: 5\r\nContent-Length: 0x5",
        b"Content-Length: " + b"9" * 5000,
        b"Content-Length: 5\r\nTransfer-Encoding: gzip",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
async def test_lengths_that_differ_are_no_length(fetcher, said, size):
    head = b"HTTP/1.1 200 OK\r\n" + said + b"\r\n\r\n"

    assert isinstance(await outcome(fetcher, cut(head + b"hello", size)), Unreachable)


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
async def test_how_nothing_is_packed_does_not_matter(fetcher, status):
    answer = await outcome(fetcher, [b"HTTP/1.1 " + status + b"\r\nContent-Encoding: xyz\r\n\r\n"])

    assert isinstance(answer, FetchResponse)
    assert answer.body == b""


@pytest.mark.threat("S18")
@pytest.mark.parametrize("endless", [b"0\r\nX-Late: " + b"a" * 1000, b"5;" + b"a" * 1000, b"0\r\n"])
async def test_trailers_and_sizes_without_end_are_not_heard_out(fetcher, endless):
    more = [b"X: y\r\n" * 100 if endless == b"0\r\n" else b"a" * 1000] * 1000

    answer = await outcome(fetcher, [CHUNKED, b"5\r\nhello\r\n", endless, *more], timeout_s=2)

    assert isinstance(answer, Unreachable | TimedOut)


async def test_a_long_body_in_tiny_chunks_is_heard_out(fetcher):
    pieces = [CHUNKED, *[b"2;a=b\r\nhe\r\n" * 100] * 300, b"0\r\nX-Late: a\r\n\r\n"]

    answer = await outcome(fetcher, pieces)

    assert isinstance(answer, FetchResponse)
    assert len(answer.body) == 60_000


@pytest.mark.threat("S19", "P1")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(sorted(ANSWERS)),
    st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=8)), max_size=4),
    st.integers(1, 60),
)
def test_no_answer_is_more_than_a_response_or_an_error(name, changes, size):
    data = ANSWERS[name]
    for place, noise in changes:
        data = data[:place] + noise + data[place + len(noise) :]

    async def ask() -> FetchResponse | FetchError:
        fetcher = HTTPFetcher(AGENT, allow_networks=LOOPBACK)
        try:
            return await outcome(fetcher, cut(data, size))
        finally:
            await fetcher.close()

    assert isinstance(asyncio.run(ask()), FetchResponse | FetchError)


@pytest.mark.threat("S17")
@pytest.mark.parametrize(
    "answer",
    [
        CHUNKED + b"800\r\n" + b"a" * 2048,
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip at all",
    ],
    ids=["too large", "damaged"],
)
async def test_an_error_that_was_told_keeps_nothing_of_the_answer(fetcher, answer, monkeypatch):
    bodies: list[weakref.ref[Body]] = []

    class Seen(Body):
        def __init__(self, *args) -> None:
            super().__init__(*args)
            bodies.append(weakref.ref(self))

    monkeypatch.setattr("feedloom.fetch.client.Body", Seen)
    gc.disable()
    try:
        error = await outcome(fetcher, [answer], max_bytes=1_000)
        kept = [body._joined() for ref in bodies if (body := ref()) is not None]
    finally:
        gc.enable()

    assert isinstance(error, TooLarge | Unreachable)
    assert not any(kept)
