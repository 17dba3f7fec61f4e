"""One connection, fed by hand: whatever comes in whatever pieces has one outcome."""

import asyncio
import gc
import weakref
from contextlib import suppress

import httptools
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedloom.fetch.lines import HungUp, Line, Reply, Request, new_buffer
from feedloom.model.errors import FetchError, TooLarge, Unreachable

GET = Request("GET", b"GET / HTTP/1.1\r\n\r\n", b"", 10_000)
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
    "chunks and a length": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "length twice": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n"
    b"content-length:5\r\n\r\nhello",
    "length listed": b"HTTP/1.1 200 OK\nContent-Length: 5, 5\n\nhello",
    "hinted, length twice": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "not transformed": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n"
    b"Content-Length: 5\r\n\r\nhello",
    "announces http2": b"HTTP/1.1 200 OK\r\nUpgrade: h2,h2c\r\n"
    b"Connection: Upgrade, Keep-Alive\r\nContent-Length: 5\r\n\r\nhello",
}
STAYS = {
    *("length", "chunks", "hinted", "bare line ends", "no reason", "announces http2"),
    *("length twice", "length listed", "hinted, length twice"),
}


class Transport(asyncio.Transport):
    def __init__(self) -> None:
        self.written = b""
        self.is_closed = False

    def write(self, data) -> None:
        self.written += bytes(data)

    def abort(self) -> None:
        self.is_closed = True


def new_line() -> Line:
    return Line(lambda _: None, new_buffer())


def bring(line: Line, data: bytes) -> None:
    """Let a piece come, as a loop does."""
    line.get_buffer(-1)[: len(data)] = data
    line.buffer_updated(len(data))


async def fed(
    pieces: list[bytes], request: Request = GET, *, then: Exception | None = None
) -> tuple[Reply | Exception, Line, Transport]:
    """Ask on a line, feed it these pieces, end it; answer with the outcome."""
    transport, line = Transport(), new_line()
    line.connection_made(transport)
    asking = asyncio.create_task(line.ask(request))
    await asyncio.sleep(0)
    for piece in pieces:
        if not transport.is_closed:
            bring(line, piece)
            await asyncio.sleep(0)
    await asyncio.sleep(0)
    if not asking.done():
        line.connection_lost(then)
    try:
        return await asyncio.wait_for(asking, 1), line, transport
    except (FetchError, OSError) as error:
        return error, line, transport


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("name", ANSWERS)
async def test_answer_is_read_however_it_is_cut(name, size):
    reply, line, _ = await fed(cut(ANSWERS[name], size))

    assert isinstance(reply, Reply)
    assert (reply.status, reply.body) == (200, b"hello")
    assert "x-late" not in dict(reply.headers)
    assert line.may_be_kept == (name in STAYS)


@pytest.mark.parametrize(
    "name", ["length", "chunks", "hinted", "chunks and a length", "length twice"]
)
async def test_answer_that_was_cut_short_is_never_taken_for_whole(name):
    whole = ANSWERS[name]
    for end in range(1, len(whole)):
        reply, line, _ = await fed([whole[:end]])
        assert isinstance(reply, Unreachable | HungUp), whole[:end]
        assert not line.may_be_kept


@pytest.mark.parametrize("name", ["until the end", "old"])
async def test_line_that_breaks_is_no_end(name):
    reply, _, _ = await fed([ANSWERS[name]], then=ConnectionResetError(104, "reset"))

    assert isinstance(reply, Unreachable)


async def test_silence_is_told_from_a_cut_answer():
    assert isinstance((await fed([]))[0], HungUp)
    assert isinstance((await fed([b"HTTP/1.1 2"]))[0], Unreachable)


async def test_line_that_is_gone_is_not_waited_for():
    line = new_line()
    line.connection_made(Transport())
    line.connection_lost(None)

    with pytest.raises(HungUp):
        await line.ask(GET)


async def test_words_nobody_asked_for_end_the_line():
    transport, line = Transport(), new_line()
    line.connection_made(transport)

    bring(line, ANSWERS["length"])

    assert transport.is_closed


@pytest.mark.parametrize("more", [ANSWERS["length"], b"x", b"\x00"])
async def test_line_that_says_more_than_was_asked_is_not_used_again(more):
    _, line, _ = await fed([ANSWERS["length"] + more])

    assert not line.may_be_kept


@pytest.mark.threat("S19")
@pytest.mark.parametrize(
    "said",
    [
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: 5, 6",
        b"Content-Length: 5,",
        b"Content-Length: 5 5",
        b"Content-Length: ,",
        b"Content-Length: 5\r\nContent-Length: +5",
        b"Content-Length: 5\r\nContent-Length: 0x5",
        b"Content-Length: 5\r\nContent-Length: 5\r\nContent-Length: 6",
        b"Content-Length: " + b"9" * 5000,
        b"Content-Length: 5\r\nTransfer-Encoding: gzip",
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
async def test_lengths_that_differ_are_no_length(said, size):
    head = b"HTTP/1.1 200 OK\r\n" + said + b"\r\n\r\n"

    reply, line, _ = await fed(cut(head + b"hello", size))

    assert isinstance(reply, Unreachable)
    assert not line.may_be_kept


async def test_a_head_that_repeats_its_length_without_end_is_not_heard_out():
    head = b"HTTP/1.1 200 OK\r\n" + b"Content-Length: 5\r\n" * 10

    reply, _, transport = await fed([head, *[b"X: y\r\n" * 1000] * 50])

    assert isinstance(reply, Unreachable)
    assert transport.is_closed


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_hint_that_repeats_its_length_is_no_answer(size):
    twice = b"Content-Length: 0\r\n" * 2
    hint = b"HTTP/1.1 103 Early Hints\r\n" + twice + b"\r\n"

    reply, _, _ = await fed(cut(hint + ANSWERS["length"], size))

    assert isinstance(reply, Reply)
    assert reply.body == b"hello"


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
async def test_how_nothing_is_packed_does_not_matter(status):
    head = b"HTTP/1.1 " + status + b"\r\nContent-Encoding: xyz\r\n\r\n"

    reply, line, _ = await fed([head])

    assert isinstance(reply, Reply)
    assert (reply.body, line.may_be_kept) == (b"", True)


async def test_answer_to_head_has_no_body():
    request = Request("HEAD", b"HEAD / HTTP/1.1\r\n\r\n", b"", 3)

    reply, line, _ = await fed([ANSWERS["length"].removesuffix(b"hello")], request)

    assert isinstance(reply, Reply)
    assert (reply.body, line.may_be_kept) == (b"", False)


async def test_redirect_is_an_answer_before_its_body():
    head = b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 99999999\r\n\r\n"

    reply, line, _ = await fed([head])

    assert isinstance(reply, Reply)
    assert reply.headers[0] == ("location", "/b")
    assert not line.may_be_kept


async def test_body_that_is_too_large_is_dropped_when_it_is():
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    pieces = [head, *[b"x" * 1000] * 50]

    reply, _, _ = await fed(pieces)

    assert isinstance(reply, TooLarge)


LARGE = Request("POST", b"POST / HTTP/1.1\r\n\r\n", b"x" * 1_000_000, 100)


async def sending() -> tuple[Transport, Line, asyncio.Task[Reply]]:
    """Start to send a large body to a server that does not read."""
    transport, line = Transport(), new_line()
    line.connection_made(transport)
    line.pause_writing()
    asking = asyncio.create_task(line.ask(LARGE))
    await asyncio.sleep(0.01)
    return transport, line, asking


async def test_large_body_is_sent_in_pieces_as_the_server_reads():
    transport, line, asking = await sending()
    held_back = len(transport.written)
    line.resume_writing()
    await asyncio.sleep(0.01)
    bring(line, ANSWERS["length"])
    await asking

    assert held_back < 100_000
    assert transport.written == LARGE.head + LARGE.body


async def test_answer_ends_the_sending_of_what_nobody_reads():
    _, line, asking = await sending()
    bring(line, b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")

    assert (await asyncio.wait_for(asking, 1)).status == 413


@pytest.mark.threat("S19", "P1")
@settings(max_examples=300)
@given(
    st.sampled_from(sorted(ANSWERS)),
    st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=8)), max_size=4),
    st.integers(1, 60),
)
def test_no_answer_is_more_than_a_reply_or_an_error(name, changes, size):
    data = ANSWERS[name]
    for place, noise in changes:
        data = data[:place] + noise + data[place + len(noise) :]

    reply, _, _ = asyncio.run(fed(cut(data, size)))

    assert isinstance(reply, Reply | FetchError | HungUp)


def test_parser_tells_a_hint_from_an_answer():
    """The next version of the parser may change what this room relies on."""
    seen: list[int] = []

    class Told:
        def on_message_complete(self) -> None:
            seen.append(parser.get_status_code())

    parser = httptools.HttpResponseParser(Told())
    with suppress(httptools.HttpParserError):
        parser.feed_data(ANSWERS["hinted"])

    assert seen == [100, 103, 200]


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.threat("S18")
@pytest.mark.parametrize(
    "endless", [b"0\r\nX-Late: " + b"a" * 1000, b"5;" + b"a" * 1000, b"0\r\n"]
)
async def test_trailers_and_sizes_without_end_are_not_heard_out(endless):
    more = [b"X: y\r\n" * 100 if endless == b"0\r\n" else b"a" * 1000] * 1000
    reply, line, transport = await fed([CHUNKED, b"5\r\nhello\r\n", endless, *more])

    assert isinstance(reply, Unreachable)
    assert transport.is_closed
    assert not line.may_be_kept


async def test_a_long_body_in_tiny_chunks_is_heard_out():
    request = Request("GET", GET.head, b"", 1_000_000)
    pieces = [CHUNKED, *[b"2;a=b\r\nhe\r\n" * 100] * 300, b"0\r\nX-Late: a\r\n\r\n"]
    reply, line, _ = await fed(pieces, request)

    assert isinstance(reply, Reply)
    assert (len(reply.body), line.may_be_kept) == (60_000, True)


@pytest.mark.threat("S17")
@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" + b"a" * 2048,
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip at all",
        b"no HTTP at all\r\n\r\n",
    ],
    ids=["too large", "damaged", "no answer"],
)
async def test_an_error_that_was_told_keeps_nothing_of_the_answer(answer):
    line = new_line()
    line.connection_made(Transport())
    asking = asyncio.create_task(line.ask(Request("GET", b"", b"", 1_000)))
    await asyncio.sleep(0)
    assert line._reading is not None
    reading = weakref.ref(line._reading)
    gc.disable()
    try:
        bring(line, answer)
        with suppress(FetchError):
            await asking
        del asking
        await asyncio.sleep(0)
        left = reading()
    finally:
        gc.enable()

    assert left is None
