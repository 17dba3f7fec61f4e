"""A helping process, seen from the event loop that sends it documents.

Requests go into a pipe one after the other, a few ahead, and replies come back in the
same order. No thread stands between, so that those which fetch and store keep their
turns. When the process ends, whoever waits for it hears so and reads the document here.
"""

import asyncio
from collections import deque
from contextlib import suppress
from datetime import datetime
from typing import cast

import msgspec

from feedloom.flow.refresh.parse_worker import MakeParser, Reply, Request, Understood
from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.stages import FetchResponse, Known
from feedloom.processes import LENGTH, command, environment, framed

_MODULE = "feedloom.flow.refresh.parse_worker"
_AHEAD = 4
"""So many documents are written into the pipe; copies of more would only take memory."""
_LONGEST_REPLY = 50_000_000
_REQUESTS = msgspec.msgpack.Encoder()
_REPLIES = msgspec.msgpack.Decoder(Reply)


class HelperGone(Exception):
    """The process ended before it answered."""


class Helper(asyncio.SubprocessProtocol):
    def __init__(self) -> None:
        self.is_up = False
        self.is_gone = False
        self.ended = asyncio.Event()
        self._unsent: deque[tuple[Request, asyncio.Future[Reply]]] = deque()
        self._sent: deque[asyncio.Future[Reply]] = deque()
        self._received = bytearray()

    @staticmethod
    async def start(make_parser: MakeParser) -> "Helper":
        """Start a process, which is up after a while; ``OSError`` when there is none."""
        name = f"{make_parser.__module__}:{make_parser.__qualname__}"
        _, helper = await asyncio.get_running_loop().subprocess_exec(
            Helper,
            *command(_MODULE, name),
            stderr=None,
            env=environment(),
            start_new_session=True,
        )
        return helper

    @property
    def busy(self) -> int:
        return len(self._unsent) + len(self._sent)

    async def read(
        self, answer: FetchResponse, known: Known, now: datetime
    ) -> Understood | None:
        """Do as ``understand_at_once`` does, over there; ``HelperGone`` if it ends."""
        if self._has_ended():
            raise HelperGone
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        request = Request(answer.body, answer.url, answer.content_type, known, now)
        self._unsent.append((request, reply))
        self._send_some()
        return _understood(await reply)

    def end(self) -> None:
        """Kill the process; see ``ended``."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._note_gone()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._process = cast("asyncio.SubprocessTransport", transport)
        self._requests = cast(
            "asyncio.WriteTransport", self._process.get_pipe_transport(0)
        )

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - one pipe
        """Hear a part of a reply, or of several."""
        received = self._received
        received += data
        while len(received) >= LENGTH:
            end = LENGTH + int.from_bytes(received[:LENGTH])
            if end > _LONGEST_REPLY:
                self.end()
            if len(received) < end or self.is_gone:
                return
            frame = received[LENGTH:end]
            del received[:end]
            self._hear(frame)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - any
        """Hear that it ended, or will not say any more."""
        self._note_gone()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own signature
        self._note_gone()
        self.ended.set()

    def _hear(self, frame: bytearray) -> None:
        if not self.is_up:
            self.is_up = True
            return
        try:
            reply = _REPLIES.decode(frame)
            waiting = self._sent.popleft()
        except (msgspec.MsgspecError, IndexError):
            # Not what a sane process says.
            self.end()
            return
        if not waiting.done():
            waiting.set_result(reply)
        self._send_some()

    def _send_some(self) -> None:
        while self._unsent and len(self._sent) < _AHEAD and not self._has_ended():
            request, reply = self._unsent.popleft()
            if reply.done():
                continue
            try:
                frame = framed(_REQUESTS.encode(request))
            except (ValueError, MemoryError) as error:
                # Nothing was sent, so nothing comes back that others could take for theirs.
                reply.set_exception(error)
                continue
            self._sent.append(reply)
            self._requests.write(frame)

    def _has_ended(self) -> bool:
        # The pipe knows it a moment before we are told.
        return self.is_gone or self._requests.is_closing()

    def _note_gone(self) -> None:
        self.is_gone = True
        self._process.close()
        for reply in (*self._sent, *(reply for _, reply in self._unsent)):
            if not reply.done():
                reply.set_exception(HelperGone())
        self._sent.clear()
        self._unsent.clear()


def _understood(reply: Reply) -> Understood | None:
    if reply.feed is not None:
        return reply.feed, reply.articles
    if reply.kind:
        raise NotAFeed(reply.message, kind=reply.kind)
    if reply.message:
        raise ParseError(reply.message)
    return None
