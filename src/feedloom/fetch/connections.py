"""Connection pools: bounded, guarded or open, made on first use, closed together.

aiohttp bounds the connections in use. ``kept`` bounds those that stay open for reuse as
well: beyond it, requests use a pool that closes its connection after each response. So
do requests that must not be repeated, because a kept connection may be closing already.
"""

import socket
import ssl
from dataclasses import dataclass

import aiohttp

from feedloom.fetch.dns import LookupThreads
from feedloom.fetch.guard import (
    AddressInfo,
    AllowList,
    GuardedResolver,
    Lookup,
    OpenSocket,
    guarded,
    open_socket,
)

_MAX_HEADER = 65_536
"""Content security policies alone outgrow the library's 8 KB."""
_MAX_HEADERS = 512


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once."""

    connect_timeout_s: float = 5.0
    at_once: int = 256
    """Connections in use, all hosts together; for each pool."""
    per_host: int = 8
    """Connections in use to one host that no operator named."""
    kept: int = 256
    """Open sockets up to which a connection is kept for the next request."""
    lookups: int = 512
    """Host names looked up at once."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The parts that touch the network, to be replaced by tests."""

    lookup: Lookup | None = None
    """Default: the system's resolver."""
    open_socket: OpenSocket = open_socket
    tls: ssl.SSLContext | None = None
    """Default: the system's certificates, verified."""


class Connections:
    """The pools of one client. Guarded and open ones share no connection."""

    def __init__(self, allowed: AllowList, limits: Limits, wire: Wire) -> None:
        self._allowed = allowed
        self._limits = limits
        self._wire = wire
        self._threads = LookupThreads(limits.lookups)
        self._sessions: dict[tuple[bool, bool], aiohttp.ClientSession] = {}
        self._sockets: list[socket.socket] = []
        self._is_closed = False

    @property
    def open_sockets(self) -> int:
        """The number of sockets that are in use or kept."""
        self._sockets = [made for made in self._sockets if made.fileno() >= 0]
        return len(self._sockets)

    def session(self, *, named: bool, once: bool) -> aiohttp.ClientSession:
        """Return the session for a request.

        ``named`` is for places an operator named, ``once`` for requests that must not
        be repeated.
        """
        if self._is_closed:
            msg = "the client is closed"
            raise RuntimeError(msg)
        key = (named, once or self._is_full())
        found = self._sessions.get(key)
        if found is None:
            found = self._sessions[key] = self._make(*key)
        return found

    async def close(self) -> None:
        """Close all connections; asking for a session afterwards is a bug."""
        self._is_closed = True
        for session in self._sessions.values():
            await session.close()
        self._threads.close()

    def _is_full(self) -> bool:
        kept = self._limits.kept
        return len(self._sockets) >= kept and self.open_sockets >= kept

    def _make(self, named: bool, once: bool) -> aiohttp.ClientSession:  # noqa: FBT001 - the two halves of the key
        admits = _anything if named else self._allowed.admits
        connector = aiohttp.TCPConnector(
            resolver=GuardedResolver(self._wire.lookup or self._threads, admits),
            socket_factory=guarded(self._open, admits),
            use_dns_cache=False,
            ssl=self._wire.tls or True,
            limit=self._limits.at_once,
            limit_per_host=0 if named else self._limits.per_host,
            force_close=once,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=self._limits.connect_timeout_s
            ),
            trust_env=False,
            auto_decompress=False,
            max_line_size=_MAX_HEADER,
            max_field_size=_MAX_HEADER,
            max_headers=_MAX_HEADERS,
            skip_auto_headers=("Content-Type",),
        )

    def _open(self, info: AddressInfo) -> socket.socket:
        made = self._wire.open_socket(info)
        self._sockets.append(made)
        return made


def _anything(_: str) -> bool:
    return True
