"""Connection pools: bounded, guarded or open, made on first use, closed together.

aiohttp bounds the connections in use. ``kept`` bounds those that stay open for reuse as
well: beyond it, requests use a pool that closes its connection after each response. So
do requests that must not be repeated, because a kept connection may be closing already.

An outbound proxy connects for us, so it decides where a name leads. What can be known before
is judged here: literal addresses, names that only exist inside a network, and, unless the
proxy is to look names up alone (``socks5h``), the addresses that names have for us.
"""

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from queue import SimpleQueue
from typing import Self
from urllib.parse import urlsplit

import aiohttp
from aiohttp_socks import ProxyConnector

from feedloom.fetch.guard import (
    AddressInfo,
    AllowList,
    GuardedResolver,
    Lookup,
    OpenSocket,
    Refused,
    guarded,
    open_socket,
    read_ip,
)
from feedloom.model.errors import ConfigError

_MAX_HEADER = 65_536
"""Content security policies alone outgrow the library's 8 KB."""
_MAX_HEADERS = 512
_PORTS = {"http": 8080, "https": 443, "socks5": 1080, "socks5h": 1080}
_NOT_A_PROXY = "The outbound proxy must be an http://, https://, socks5:// or socks5h:// address."
_INSIDE = ("localhost", "local", "internal", "intranet", "lan", "home", "corp")
_INSIDE_SUFFIXES = (*(f".{name}" for name in _INSIDE), ".home.arpa")
_Job = tuple[str, asyncio.AbstractEventLoop, asyncio.Future[list[str]]]


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


@dataclass(frozen=True, slots=True)
class Proxy:
    url: str
    """With user name and password, if it wants them."""
    is_socks: bool
    looks_up: bool
    """The proxy alone looks names up."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an address such as ``socks5://127.0.0.1:1080``; raise ``ConfigError``."""
        try:
            parts = urlsplit(text.strip())
            scheme, host, port = parts.scheme, parts.hostname, parts.port
        except ValueError:
            raise ConfigError(_NOT_A_PROXY) from None
        if scheme not in _PORTS or not host:
            raise ConfigError(_NOT_A_PROXY)
        login, at, _ = parts.netloc.rpartition("@")
        name = f"[{host}]" if ":" in host else host
        place = f"{login}{at}{name}:{port or _PORTS[scheme]}"
        is_socks = scheme.startswith("socks5")
        written = "socks5" if is_socks else scheme
        return cls(f"{written}://{place}", is_socks, looks_up=scheme == "socks5h")


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
        await _judge(host, lookup, self._allowed.admits)
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


async def _judge(host: str, lookup: Lookup | None, admits: Callable[[str], bool]) -> None:
    """Raise ``Refused`` for a host that no proxy may be asked for.

    Without ``lookup`` names are left to the proxy. So are names that we cannot look up:
    it may know more.
    """
    if read_ip(host) is not None:
        if not admits(host):
            raise Refused
        return
    name = host.rstrip(".").lower()
    if "." not in name or name.endswith(_INSIDE_SUFFIXES):
        raise Refused
    if lookup is None:
        return
    try:
        found = await lookup(host)
    except socket.gaierror:
        return
    if found and not any(admits(address) for address in found):
        raise Refused


class LookupThreads:
    """The system's resolver, at most ``limit`` questions at once.

    The event loop's default threads are few and shared, so that a handful of names whose
    servers hang would stop everybody. These threads are many, and daemons: a lookup that
    hangs never delays a shutdown.
    """

    def __init__(self, limit: int, ask: Callable[[str], list[str]] | None = None) -> None:
        self._limit = limit
        self._ask = ask or _ask_system
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._started = 0
        self._unanswered = 0

    async def __call__(self, host: str) -> list[str]:
        """Return the addresses of a host name in the order the system prefers.

        Raises ``OSError`` when there are none.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()
        self._unanswered += 1
        if self._started < min(self._unanswered, self._limit):
            self._started += 1
            threading.Thread(target=self._work, name=f"lookup-{self._started}", daemon=True).start()
        self._jobs.put((host, loop, answer))
        return await answer

    def close(self) -> None:
        """Let the threads end when they have nothing left to do."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            host, loop, answer = job
            result: list[str] | OSError = []
            # Nobody waits any more for a lookup whose deadline passed in the queue.
            if not answer.cancelled():
                try:
                    result = self._ask(host)
                except OSError as error:
                    result = error
                except UnicodeError:
                    # What the system's own reading of names cannot even spell.
                    result = socket.gaierror(socket.EAI_NONAME, "not a host name")
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._hand_back, answer, result)

    def _hand_back(self, answer: asyncio.Future[list[str]], result: list[str] | OSError) -> None:
        self._unanswered -= 1
        if answer.done():
            return
        if isinstance(result, OSError):
            answer.set_exception(result)
        else:
            answer.set_result(result)


def _ask_system(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(sockaddr[0]) for _, _, _, _, sockaddr in found]
