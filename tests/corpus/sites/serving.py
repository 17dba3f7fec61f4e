"""Site shapes on loopback: each host of each shape is a real server on its own address.

    async with ServedShapes(load_shapes(), now) as web:
        web.sites["two feeds"].served.pasted       # what a person pastes
        web.sites["two feeds"].requests            # what its hosts were asked so far

Addresses are taken from 127.16.0.0/12, one per host, so that two hosts are never one
site. A host that is down has an address where nobody listens.
"""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from types import TracebackType
from typing import Self

from tests.corpus.sites.building import Answer, Served, Shape
from tests.lines import hang_up

_HEAD_END = b"\r\n\r\n"
_TLS_HELLO = b"\x16"
_HEAD_LIMIT = 65_536
_HOSTS = 2
"""Shapes may name a second host even when nothing is served there."""


@dataclass(slots=True)
class Site:
    """One shape with its servers."""

    shape: Shape
    bases: tuple[str, ...]
    served: Served
    requests: list[tuple[int, str]] = field(default_factory=list)
    """Host and path of every request."""


class ServedShapes:
    """All shapes, served until the block ends."""

    def __init__(self, shapes: Sequence[Shape], now: datetime) -> None:
        self._shapes = shapes
        self._now = now
        self._stack = AsyncExitStack()
        self._lines: set[asyncio.Task[None]] = set()
        self.sites: dict[str, Site] = {}

    async def __aenter__(self) -> Self:
        for number, shape in enumerate(self._shapes):
            self.sites[shape.name] = await self._open(number, shape)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()
        for line in self._lines:
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)
        await asyncio.sleep(0)

    async def _open(self, number: int, shape: Shape) -> Site:
        sockets = []
        for host in range(max(_HOSTS, len(shape.hosts))):
            listening = socket.socket()
            listening.bind((f"127.{16 + host}.{number // 250}.{number % 250 + 1}", 0))
            sockets.append(listening)
        names = (s.getsockname() for s in sockets)
        bases = tuple(f"http://{address}:{port}" for address, port in names)
        site = Site(shape, bases, shape.served(bases, self._now))
        for host, listening in enumerate(sockets):
            if host in shape.down or host >= len(shape.hosts):
                # Bound and not listening: connections are refused, nobody else gets it.
                self._stack.callback(listening.close)
                continue
            await self._listen(site, host, listening)
        return site

    async def _listen(self, site: Site, host: int, listening: socket.socket) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = asyncio.current_task()
            assert line is not None
            self._lines.add(line)
            try:
                with suppress(
                    ConnectionError,
                    asyncio.IncompleteReadError,
                    asyncio.LimitOverrunError,
                    asyncio.CancelledError,
                ):
                    await _answer(site, host, reader, writer)
            finally:
                try:
                    await hang_up(writer)
                finally:
                    self._lines.discard(line)

        server = await asyncio.start_server(accept, sock=listening, limit=_HEAD_LIMIT)
        self._stack.callback(server.close)


async def _answer(
    site: Site, host: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    first = await reader.readexactly(1)
    if first == _TLS_HELLO:
        # As servers without TLS do; waiting for the rest takes until the time limit.
        return
    head = (first + await reader.readuntil(_HEAD_END)).decode("latin-1")
    method, path, _ = head.split("\r\n", 1)[0].split(" ", 2)
    site.requests.append((host, path))
    answer = site.served.answer_to(host, path)
    writer.write(_written(answer, with_body=method != "HEAD"))
    await writer.drain()


def _written(answer: Answer, *, with_body: bool) -> bytes:
    body = answer.body if isinstance(answer.body, bytes) else answer.body.encode()
    lines = [
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}",
        *(f"{name}: {value}" for name, value in answer.headers.items()),
        f"content-length: {len(body)}",
        "connection: close",
    ]
    head = "\r\n".join(lines).encode() + _HEAD_END
    return head + body if with_body else head
