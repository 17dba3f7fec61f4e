"""Connection pools: bounded, guarded or open, made on first use, closed together.

aiohttp bounds the connections in use. ``kept`` bounds those that stay open for reuse as
well: beyond it, requests use a pool that closes its connection after each response. So
do requests that must not be repeated, because a kept connection may be closing already.
"""

import socket
import ssl
from dataclasses import dataclass
from enum import Enum

import aiohttp
from aiohttp_socks import ProxyConnector

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
from feedloom.fetch.proxies import Proxy, judge

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


class _Way(Enum):
    """How a host is reached. Connections of one way never serve another."""

    GUARDED = "guarded"
    NAMED = "named"
    """A place an operator named: whatever address it has."""
    PROXY = "proxy"


class Connections:
    """The pools of one client. Guarded and open ones share no connection."""

    def __init__(
        self, allowed: AllowList, limits: Limits, wire: Wire, proxy: Proxy | None = None
    ) -> None:
        self._allowed = allowed
        self._limits = limits
        self._wire = wire
        self._proxy = proxy
        self._threads = LookupThreads(limits.lookups)
        self._lookup = wire.lookup or self._threads
        self._sessions: dict[tuple[_Way, bool], aiohttp.ClientSession] = {}
        self._sockets: list[socket.socket] = []
        self._is_closed = False

    @property
    def open_sockets(self) -> int:
        """The number of sockets that are in use or kept."""
        self._sockets = [made for made in self._sockets if made.fileno() >= 0]
        return len(self._sockets)

    def session(self, way: _Way, *, once: bool) -> aiohttp.ClientSession:
        """Return the session for a request; ``once`` if it must not be repeated."""
        if self._is_closed:
            msg = "the client is closed"
            raise RuntimeError(msg)
        kept = self._limits.kept
        is_full = len(self._sockets) >= kept and self.open_sockets >= kept
        key = (way, once or is_full)
        if key not in self._sessions:
            self._sessions[key] = self._make(*key)
        return self._sessions[key]

    async def choose(self, host: str, *, named: bool, direct: bool) -> _Way:
        """Tell how a host is reached; raise ``Refused`` if it may not be."""
        if named:
            return _Way.NAMED
        if self._proxy is None or direct:
            return _Way.GUARDED
        lookup = None if self._proxy.looks_up else self._lookup
        await judge(host, lookup, self._allowed.admits)
        return _Way.PROXY

    async def close(self) -> None:
        """Close all connections; asking for a session afterwards is a bug."""
        self._is_closed = True
        for session in self._sessions.values():
            await session.close()
        self._threads.close()

    def _make(self, way: _Way, once: bool) -> aiohttp.ClientSession:  # noqa: FBT001 - the two halves of the key
        proxy = self._proxy if way is _Way.PROXY else None
        if proxy is not None and proxy.is_socks:
            connector: aiohttp.TCPConnector = ProxyConnector.from_url(
                proxy.url,
                rdns=True,
                ssl=self._wire.tls or True,
                limit=self._limits.at_once,
                limit_per_host=self._limits.per_host,
                force_close=once,
            )
        else:
            # An HTTP proxy is a place the operator named. Where it leads was judged.
            admits = self._allowed.admits if way is _Way.GUARDED else _anything
            connector = aiohttp.TCPConnector(
                resolver=GuardedResolver(self._lookup, admits),
                socket_factory=guarded(self._open, admits),
                use_dns_cache=False,
                ssl=self._wire.tls or True,
                limit=self._limits.at_once,
                limit_per_host=self._limits.per_host if way is not _Way.NAMED else 0,
                force_close=once,
            )
        return aiohttp.ClientSession(
            connector=connector,
            proxy=None if proxy is None or proxy.is_socks else proxy.url,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect_timeout_s),
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
