"""From an address to an open connection: look up, judge, connect, shake hands.

Names are looked up each time, so that a publisher who moves is found at once. When a
name has several addresses, the next one is tried a moment after the one before it, and
whichever answers first is taken (RFC 8305).
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from aiohappyeyeballs import start_connection

from feedloom.fetch.guard import (
    AddressInfo,
    Lookup,
    OpenSocket,
    admitted,
    guarded,
    open_socket,
)
from feedloom.fetch.lines import Line, new_buffer
from feedloom.fetch.ranges import read_ip
from feedloom.model.urls import Address

_NEXT_ADDRESS_AFTER_S = 0.25
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Wire:
    """The parts that touch the network, to be replaced by tests."""

    lookup: Lookup | None = None
    """Default: the system's resolver."""
    open_socket: OpenSocket = open_socket
    tls: ssl.SSLContext | None = None
    """Default: the system's certificates, verified."""


@dataclass
class Dialler:
    """Opens connections to addresses that ``admits`` lets pass."""

    wire: Wire
    lookup: Lookup
    admits: Callable[[str], bool]
    timeout_s: float
    """For connecting and shaking hands, once the name is looked up."""

    async def dial(self, address: Address, ended: Callable[[Line], None]) -> Line:
        """Open a connection; raise ``OSError`` kinds when there is none to be had."""
        infos = await self._find(address)
        secure = address.scheme == "https"
        async with asyncio.timeout(self.timeout_s):
            made = await self._connect(infos)
            try:
                _, line = await asyncio.get_running_loop().create_connection(
                    lambda: Line(ended, self._buffer),
                    sock=made,
                    ssl=self._tls if secure else None,
                    server_hostname=address.host.rstrip(".") if secure else None,
                )
            except BaseException:
                made.close()
                raise
        return line

    async def _find(self, address: Address) -> list[AddressInfo]:
        port = address.port or _PORTS[address.scheme]
        if read_ip(address.host) is not None:
            return [_info(address.host, port)]
        found = await admitted(address.host, self.lookup, self.admits)
        return [_info(one, port) for one in found]

    async def _connect(self, infos: list[AddressInfo]) -> socket.socket:
        if len(infos) == 1:
            return await self._connect_to(infos[0])
        return await start_connection(
            infos,
            happy_eyeballs_delay=_NEXT_ADDRESS_AFTER_S,
            interleave=1,
            socket_factory=self._open,
        )

    async def _connect_to(self, info: AddressInfo) -> socket.socket:
        made = self._open(info)
        try:
            made.setblocking(False)  # noqa: FBT003 - the socket's own signature
            # A near host has answered by the second time, and nobody need wait for it.
            for _ in range(2):
                with suppress(BlockingIOError):
                    made.connect(info[4])
                    return made
            await asyncio.get_running_loop().sock_connect(made, info[4])
        except BaseException:
            made.close()
            raise
        return made

    @cached_property
    def _buffer(self) -> memoryview:
        return new_buffer()

    @cached_property
    def _open(self) -> OpenSocket:
        return guarded(self.wire.open_socket, self.admits)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        if self.wire.tls is not None:
            return self.wire.tls
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context


def _info(host: str, port: int) -> AddressInfo:
    if ":" in host:
        return (socket.AF_INET6, socket.SOCK_STREAM, 0, "", (host, port, 0, 0))
    return (socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))
