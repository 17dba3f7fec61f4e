"""Pools of connections: made on first use, bounded, guarded or open, closed together.

``kept`` bounds the sockets that wait for reuse. The library bounds only those in use,
and ten thousand hosts asked once each would leave ten thousand sockets behind. Beyond
the bound, requests go through a pool that closes after each answer. So do requests that
must not be repeated: only a fresh connection is sure not to be closing already.
"""

import socket
import ssl
from dataclasses import dataclass
from weakref import WeakSet

import aiohttp

from feedloom.fetch.guard import (
    AddressInfo,
    AllowList,
    GuardedResolver,
    Lookup,
    OpenSocket,
    guarded,
    open_socket,
)
from feedloom.fetch.lookup import LookupThreads

_MAX_HEADER = 32_768
"""Content security policies alone outgrow the library's 8 KB."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once."""

    connect_timeout_s: float = 5.0
    at_once: int = 256
    """Connections in use, all hosts together; for each pool."""
    per_host: int = 8
    """Connections in use to one host that no operator named."""
    kept: int = 128
    """Open sockets up to which a connection is kept for the next request."""
    lookups: int = 64
    """Host names looked up at once."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The parts that touch the network, to be replaced by tests."""

    lookup: Lookup | None = None
    """Default: the system's resolver."""
    open_socket: OpenSocket = open_socket
    tls: ssl.SSLContext | None = None
    """Default: the system's certificates, verified."""


class Pools:
    """The sessions of one client."""

    def __init__(self, allowed: AllowList, limits: Limits, wire: Wire) -> None:
        self._allowed = allowed
        self._limits = limits
        self._wire = wire
        self._threads = LookupThreads(limits.lookups)
        self._lookup: Lookup = wire.lookup or self._threads
        self._sessions: dict[tuple[bool, bool], aiohttp.ClientSession] = {}
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._until_count = 0
        self._closed = False

    @property
    def open_sockets(self) -> int:
        """The number of sockets that are in use or kept."""
        for made in [made for made in self._sockets if made.fileno() < 0]:
            self._sockets.discard(made)
        return len(self._sockets)

    def session(self, *, named: bool, once: bool) -> aiohttp.ClientSession:
        """Return the session for a request.

        ``named`` is for places an operator named, ``once`` for requests that must not
        be repeated.
        """
        key = (named, once or self._is_full())
        found = self._sessions.get(key)
        if found is None:
            found = self._sessions[key] = self._make(*key)
        return found

    def _is_full(self) -> bool:
        kept = self._limits.kept
        if len(self._sockets) < kept:
            return False
        # Closed sockets may linger in a cycle of garbage; so they are counted again,
        # though not for every request.
        self._until_count -= 1
        if self._until_count < 0:
            self._until_count = kept // 4
            return self.open_sockets >= kept
        return True

    async def close(self) -> None:
        """Close all connections; asking for a session afterwards is a bug."""
        self._closed = True
        for session in self._sessions.values():
            await session.close()
        self._threads.close()

    def _make(self, named: bool, once: bool) -> aiohttp.ClientSession:  # noqa: FBT001 - the two halves of the key
        if self._closed:
            msg = "the client is closed"
            raise RuntimeError(msg)
        admits = _anything if named else self._allowed.admits
        connector = aiohttp.TCPConnector(
            resolver=GuardedResolver(self._lookup, admits),
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
        )

    def _open(self, info: AddressInfo) -> socket.socket:
        made = self._wire.open_socket(info)
        self._sockets.add(made)
        return made


def _anything(_: str) -> bool:
    return True
