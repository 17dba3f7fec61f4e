"""One connection: a request goes out, a whole and bounded answer comes back.

The bytes of the wire are read by llhttp (``httptools``). Here it is decided when an
answer is at its end, what of it is kept, and whether the connection may be used again.
Bodies are decoded and counted while they come. Those of redirects are not read, of
error pages the beginning is enough, and everything else must come whole.

Servers are taken as browsers take them: lines may end without a carriage return, values
may hold characters that ``headers`` removes later, a length may be said twice if it is
the same, and chunks count more than a length.
"""

import asyncio
import re
from collections.abc import Callable
from math import inf
from typing import cast

import httptools
import msgspec

from feedloom.fetch.content_encoding import Body, damaged, too_large
from feedloom.fetch.listening import Listening
from feedloom.fetch.redirects import REDIRECTS
from feedloom.model.errors import FetchError, TooLarge, Unreachable
from feedloom.model.stages import Turn

MAX_ERROR_BODY = 65_536
READ_AT_ONCE = 65_536
BEGINNING = 61_440
"""So much of a body is taken before its turn has come, as it stands on the wire: with its
head that is what is read at once."""
_TLS_RECORD = 16_384
"""So much may be decoded already, beside what was asked for."""
STEP = 163_840
"""So much more is taken with each turn."""
_MAX_HEAD = 131_072
"""Content security policies alone are tens of kilobytes."""
_PIECE = 65_536
"""Large bodies are sent in pieces, so that writing one never stops the loop."""
_SWITCHING_PROTOCOLS = 101
_FIRST_ANSWER = 200
_FIRST_ERROR = 400
_WITHOUT_A_BODY = frozenset({204, 304})
_TWO_ENDS = frozenset({"content-length", "transfer-encoding"})
_ANSWER = re.compile(rb"HTTP/\S+ [2-9]")
_BLANK = re.compile(rb"[\r\n]+")
_HEAD_END = re.compile(rb"\n\r?\n")
_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:([0-9, \t]*)\r?\n")


class Request(msgspec.Struct, frozen=True):
    """What is sent, and how much may come back."""

    method: str
    head: bytes
    """The first line and the headers, as they stand on the wire."""
    body: bytes
    limit: int
    """Decoded bytes of a body at most."""
    turn: Turn | None = None
    """Asked before a body is decoded, once it is whole or larger than a beginning, and
    again with each step that it grows."""
    cut: bool = False
    """Keep the beginning of a larger body."""


class Reply(msgspec.Struct, frozen=True):
    """A whole answer; names of headers are in lower case."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    is_cut: bool = False


def new_buffer() -> memoryview:
    """Return what lines of one loop may share."""
    return memoryview(bytearray(READ_AT_ONCE))


class HungUp(ConnectionError):
    """The server closed the connection before it answered anything."""


class Line(asyncio.BufferedProtocol):
    """One connection, for one request at a time.

    What comes is written to ``buffer`` and read from there before anything else is done,
    so all lines of a loop may have the same.
    """

    def __init__(self, ended: Callable[["Line"], None], buffer: memoryview) -> None:
        self.may_be_kept = False
        """True when the last answer left the connection ready for another."""
        self._ended = ended
        self._buffer = self._filled = buffer
        self._is_lost = False
        self._reading: _Reading | None = None
        self._blocked: asyncio.Future[None] | None = None

    async def ask(self, request: Request) -> Reply:
        """Send a request and read its answer; whoever is cancelled hangs up."""
        if self._is_lost:
            raise HungUp
        reading = self._reading = _Reading(request, self._transport)
        self.may_be_kept = False
        try:
            self._transport.write(request.head + request.body[:_PIECE])
            if len(request.body) > _PIECE:
                await self._send_rest(request.body, reading.reply)
            reply = await reading.reply
        except BaseException:
            self.close()
            raise
        finally:
            self._reading = None
            reading.close()
        self.may_be_kept = reading.leaves_line_open
        return reply

    def close(self) -> None:
        """Hang up at once."""
        self._transport.abort()

    async def _send_rest(self, body: bytes, reply: asyncio.Future[Reply]) -> None:
        for start in range(_PIECE, len(body), _PIECE):
            if self._blocked is not None:
                await asyncio.wait(
                    (self._blocked, reply), return_when=asyncio.FIRST_COMPLETED
                )
            if reply.done():
                return
            self._transport.write(body[start : start + _PIECE])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take what to write to."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits that nothing more comes."""
        self._is_lost = True
        self.resume_writing()
        if self._reading is not None:
            self._reading.end(exc)
        self._ended(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Tell where to put what comes next.

        TLS must get rid of all it has: what it keeps is lost when the connection ends.
        """
        self._filled = self._buffer
        if sizehint > len(self._buffer):
            self._filled = memoryview(bytearray(sizehint + _TLS_RECORD))
        return self._filled

    def buffer_updated(self, nbytes: int) -> None:
        """Read on."""
        data, self._filled = self._filled[:nbytes], self._buffer
        if self._reading is None:
            # Nobody asked: what it says could be taken for the next answer.
            self.close()
        elif self._reading.is_complete:
            self._reading.leaves_line_open = False
            self.close()
        else:
            self._reading.feed(data)

    def pause_writing(self) -> None:
        """Wait before writing more."""
        self._blocked = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        """Write on."""
        blocked, self._blocked = self._blocked, None
        if blocked is not None and not blocked.done():
            blocked.set_result(None)


class _Reading:
    """An answer while it comes. What begins with ``on_`` is called by the parser."""

    def __init__(self, request: Request, transport: asyncio.Transport) -> None:
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.leaves_line_open = False
        self.is_complete = False
        self._request = request
        self._listening = Listening(transport)
        self._turn: asyncio.Future[None] | None = None
        """What is waited for before more is read."""
        self._room = inf
        """Bytes of the body that may come before the next turn."""
        self._lost: tuple[Exception | None] | None = None
        """Why the connection ended meanwhile, if it did."""
        self._status = 0
        self._headers: list[tuple[str, str]] = []
        self._head = bytearray()
        """What came so far, as long as that is a head."""
        self._came = 0
        """Bytes of the last piece."""
        self._head_size = 0
        self._repeats_length = False
        self._around_body = 0
        """Bytes since the last ones of the body: of trailers or the sizes of chunks."""
        self._body: Body | None = None
        self._missing: int | None = None
        """Bytes of the body that are still to come, where the parser does not know."""
        self._problem: FetchError | None = None
        self._is_cut = False
        self._parser = _new_parser(self)

    def feed(self, data: memoryview) -> None:
        if not self._status:
            self._head_size += len(data)
            self._head += data
            self._came = len(data)
        self._around_body += len(data)
        try:
            self._parse(data)
        except httptools.HttpParserError:
            self._stop(self._problem or (damaged() if self._status else _no_http()))
            return
        if self.is_complete:
            self._finish()
        elif not self._status:
            if self._head_size > _MAX_HEAD:
                self._stop(_no_http())
        elif self._body is None:
            self._finish()
        elif self._around_body > _MAX_HEAD:
            self._stop(damaged())
        elif self._body.received > self._room:
            self._wait_to_grow()

    def _parse(self, data: memoryview) -> None:
        if self._status or not self._repeats_length:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserError as error:
                if self._status or "Content-Length" not in str(error):
                    raise
                self._repeats_length = True
        if self._repeats_length and not self._status:
            self._parse_again()

    def _parse_again(self) -> None:
        """Read a head that repeats its length from the start, once all of it is here."""
        self._skip_hints()
        looked_at = max(0, len(self._head) - self._came - 3)
        if end := _HEAD_END.search(self._head, looked_at):
            came = bytes(self._head)
            self._headers.clear()
            self._parser = _new_parser(self)
            head = _with_one_length(came[: end.end()])
            self._parser.feed_data(head + came[end.end() :])
            if not self._status:
                raise httptools.HttpParserError

    def _skip_hints(self) -> None:
        """Leave out what stands before the answer's own head."""
        while not _ANSWER.match(self._head):
            end = _BLANK.match(self._head) or _HEAD_END.search(self._head)
            if end is None:
                return
            del self._head[: end.end()]

    def end(self, error: Exception | None) -> None:
        """Tell that nothing more comes."""
        if self._turn is not None:
            self._lost = (error,)
        elif self._status:
            if error is None and not self._is_framed():
                self._finish()
            else:
                self._stop(damaged())
        else:
            self._fail(damaged() if self._head_size else HungUp())

    def close(self) -> None:
        """Let go of all that holds us, and of an answer nobody waits for.

        An error holds what was on the way when it was raised, megabytes perhaps: those
        must not wait for somebody to look for cycles.
        """
        if self._turn is not None:
            self._turn.remove_done_callback(self._go_on)
        reply = self.reply
        del self._parser, self.reply
        self._problem = self._body = None
        if not reply.cancel() and not reply.cancelled():
            reply.exception()

    def on_message_begin(self) -> None:
        if self.is_complete:
            raise self._refuse(damaged())

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._status:
            return  # a trailer; nobody needs what comes after the body
        self._headers.append(
            (name.decode("latin-1").lower(), value.decode("utf-8", "surrogateescape"))
        )

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status == _SWITCHING_PROTOCOLS:
            raise self._refuse(_no_http())
        if status < _FIRST_ANSWER:
            return
        self._status = status
        self._around_body = 0
        try:
            self._body = self._expect(status)
        except FetchError as error:
            raise self._refuse(error) from None
        if [word.lower() for word in self._said("transfer-encoding")] == ["identity"]:
            # The parser waits for the end of the connection, browsers for the length.
            self._missing = next(map(int, self._said("content-length")), None)
            self.is_complete = self._missing == 0

    def on_body(self, chunk: bytes) -> None:
        self._around_body = 0
        if self._missing is not None:
            chunk = chunk[: self._missing]
            self._missing -= len(chunk)
            self.is_complete = self._missing == 0
        if self._body is not None:
            try:
                self._body.feed(chunk)
            except FetchError as error:
                raise self._refuse(error) from None

    def on_message_complete(self) -> None:
        if self._status:
            self.is_complete = True
            said = {name for name, _ in self._headers}
            # Where an answer ends in two ways, somebody may see another one after it.
            self.leaves_line_open = (
                self._parser.should_keep_alive() and not said >= _TWO_ENDS
            )
        else:
            # A hint that an answer will come.
            self._headers.clear()
            del self._head[: -self._came]
            self._head_size = 0

    def _refuse(self, problem: FetchError) -> FetchError:
        self._problem = problem
        return problem

    def _expect(self, status: int) -> Body | None:
        """Return what takes the body; None when none is wanted."""
        if status in REDIRECTS or self._request.method == "HEAD":
            return None
        limit = self._request.limit
        if status in _WITHOUT_A_BODY:
            return Body("", limit)
        encoding = ",".join(self._said("content-encoding"))
        if status >= _FIRST_ERROR:
            try:
                return Body(encoding, min(limit, MAX_ERROR_BODY))
            except FetchError:
                return None
        lengths = self._said("content-length")
        is_larger = lengths and int(lengths[0]) > limit and not self._is_chunked()
        if is_larger and not self._request.cut:
            raise too_large(limit)
        if self._request.turn is None:
            return Body(encoding, limit)
        self._room = BEGINNING
        return Body(encoding, limit, packed=True)

    def _wait_to_grow(self) -> None:
        try:
            self._waits(whole=False)
        except FetchError as error:
            self._stop(error)

    def _waits(self, *, whole: bool) -> bool:
        """Decode what came if it is its turn; tell whether that is waited for."""
        take, body = self._request.turn, self._body
        if take is None or body is None or (whole and not body.is_packed):
            return False
        if self._turn is not None:
            return True
        self._turn = take(whole=whole)
        if self._turn is None:
            self._unpack(body)
            return False
        if not whole:
            self._listening.pause()
        self._turn.add_done_callback(self._go_on)
        return True

    def _unpack(self, body: Body) -> None:
        self._room += STEP
        body.unpack()

    def _go_on(self, turn: asyncio.Future[None]) -> None:
        """Decode what came: its turn has come."""
        self._turn = None
        if self._body is None or turn.cancelled():
            return
        try:
            self._unpack(self._body)
        except FetchError as error:
            self._stop(error)
        if self.is_complete:
            self._finish()
        elif self._lost is not None:
            self.end(*self._lost)
        self._listening.resume()

    def _said(self, wanted: str) -> list[str]:
        return [value for name, value in self._headers if name == wanted]

    def _is_framed(self) -> bool:
        """Tell whether the answer says itself where it ends."""
        return bool(self._said("content-length")) or self._is_chunked()

    def _is_chunked(self) -> bool:
        return "chunked" in ",".join(self._said("transfer-encoding")).lower()

    def _stop(self, problem: FetchError) -> None:
        """End early: for an error page what came so far is enough."""
        self.leaves_line_open = False
        self._is_cut = self._request.cut and isinstance(problem, TooLarge)
        if self._status >= _FIRST_ERROR or self._is_cut:
            self._finish()
        else:
            self._fail(problem)

    def _finish(self) -> None:
        if self.reply.done():
            return
        self.is_complete = True
        try:
            if self._waits(whole=True):
                return
            if self._listening.is_paused or self._lost is not None:
                # What follows the answer would be taken for the next one.
                self.leaves_line_open = False
            body = self._kept()
        except FetchError as error:
            self._fail(error)
        else:
            reply = Reply(self._status, self._headers, body, self._is_cut)
            self.reply.set_result(reply)

    def _kept(self) -> bytes:
        if self._body is None:
            return b""
        if self._status >= _FIRST_ERROR or self._is_cut:
            return self._body.beginning()
        return self._body.whole()

    def _fail(self, error: Exception) -> None:
        self.leaves_line_open = False
        if not self.reply.done():
            self.reply.set_exception(error)


def _new_parser(reading: _Reading) -> httptools.HttpResponseParser:
    parser = httptools.HttpResponseParser(reading)
    parser.set_dangerous_leniencies(
        lenient_headers=True,
        lenient_chunked_length=True,
        lenient_optional_cr_before_lf=True,
        lenient_spaces_after_chunk_size=True,
    )
    return parser


def _with_one_length(head: bytes) -> bytes:
    """Return a head that says its length once; as it was if it says several."""
    said = b",".join(_LENGTH.findall(head)).split(b",")
    lengths = {length.strip() for length in said}
    if len(lengths) != 1:
        return head
    once = b"\ncontent-length: " + lengths.pop() + b"\r\n"
    return _LENGTH.sub(b"", head).replace(b"\n", once, 1)


def _no_http() -> Unreachable:
    return Unreachable("The server's answer is not valid HTTP.")
