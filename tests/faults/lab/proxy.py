"""A TCP line that misbehaves on purpose, between a client and a server on loopback.

    async with FaultProxy(port) as line:
        url.replace(str(port), str(line.port))
        line.fault = Fault(latency_s=0.05)     # every piece comes late
        line.fault = Fault(slice_bytes=1)      # in single bytes
        line.fault = Fault(silent=True)        # half open: nothing more arrives
        line.fault = Fault(cut_after=b"COMMIT")  # cut when the client said this
        line.fault = Fault(cut_after_bytes=500)  # reset in the middle of an answer
        line.fault = Fault(down=True)          # nobody answers
        line.reset_all()

A fault holds for every line, also for those that are open already.
"""

import asyncio
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

_PIECE = 65_536


@dataclass(frozen=True, slots=True)
class Fault:
    """How the line misbehaves; as it stands, not at all."""

    latency_s: float = 0.0
    slice_bytes: int = 0
    silent: bool = False
    down: bool = False
    cut_after: bytes = b""
    """Words of the client: they still arrive, the answer never does."""
    cut_after_bytes: int = 0
    """So much of the server's answer arrives, then the line is reset."""


class FaultProxy:
    """Listens on a port of its own and hands everything on to another one."""

    def __init__(self, port: int) -> None:
        self.fault = Fault()
        self.port = 0
        self.lines = 0
        self.cuts = 0
        self._target = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._muted: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        self.reset_all()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def reset_all(self) -> None:
        """Cut every open line without a word."""
        for writer in list(self._writers):
            _reset(writer)
        self._writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.lines += 1
        try:
            await self._join(reader, writer)
        finally:
            self._tasks.discard(task)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.fault.down:
            _reset(writer)
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        ends = {writer, far_writer}
        self._writers |= ends
        try:
            await asyncio.gather(
                self._pump(reader, far_writer, ends, is_client=True),
                self._pump(far_reader, writer, ends, is_client=False),
            )
        finally:
            self._writers -= ends
            self._muted -= ends
            for end in ends:
                end.close()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        ends: set[asyncio.StreamWriter],
        *,
        is_client: bool,
    ) -> None:
        try:
            while piece := await reader.read(_PIECE):
                if not await self._hand_on(piece, writer, ends, is_client=is_client):
                    return
            writer.write_eof()
        except OSError:
            # One side hung up in the middle: the other is told as it would be.
            for end in ends:
                _reset(end)

    async def _hand_on(
        self,
        piece: bytes,
        writer: asyncio.StreamWriter,
        ends: set[asyncio.StreamWriter],
        *,
        is_client: bool,
    ) -> bool:
        fault = self.fault
        if fault.silent or (not is_client and writer in self._muted):
            return True
        says_it = is_client and fault.cut_after and fault.cut_after in piece
        if says_it:
            self._muted |= ends
        if fault.latency_s:
            await asyncio.sleep(fault.latency_s)
        if fault.cut_after_bytes and not is_client:
            writer.write(piece[: fault.cut_after_bytes])
            await writer.drain()
            self._cut(ends)
            return False
        await self._write(piece, writer, fault.slice_bytes or len(piece))
        if says_it:
            # Let the server read it before the line goes.
            await asyncio.sleep(0.2)
            self._cut(ends)
            return False
        return True

    async def _write(self, piece: bytes, writer: asyncio.StreamWriter, size: int) -> None:
        for start in range(0, len(piece), size):
            writer.write(piece[start : start + size])
            await writer.drain()

    def _cut(self, ends: set[asyncio.StreamWriter]) -> None:
        self.cuts += 1
        for end in ends:
            _reset(end)


def _reset(writer: asyncio.StreamWriter) -> None:
    line = writer.get_extra_info("socket")
    with suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
