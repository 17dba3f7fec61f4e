"""The client: a ``FetchRequest`` in, a whole and bounded ``FetchResponse`` out.

    request -> hop -> send -> (redirect -> next hop)* -> body -> response

One deadline spans all of it. Redirects are followed here and not by aiohttp, so that
every hop is read and judged like the first. Bodies are decoded here and counted while
they come. The client keeps no cookies, reads no proxy settings from the environment,
and decides nothing about schedules, politeness or formats.

Guarded connections and those to places an operator named are never shared: a request
gets to an open one only by its exact origin or host.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from io import BytesIO

import aiohttp
from aiohttp import DigestAuthMiddleware
from yarl import URL

from feedloom.fetch.connections import Connections, Limits, Proxy, Wire
from feedloom.fetch.content_encoding import Body, too_large
from feedloom.fetch.failures import LIBRARY_ERRORS, cause, translate
from feedloom.fetch.guard import AllowList
from feedloom.fetch.headers import answer_headers
from feedloom.fetch.redirects import REDIRECTS, Hop, first_hop, next_hop, permanent_url
from feedloom.model.errors import BadAddress, ConfigError, FetchError, TooLarge, Unreachable
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from feedloom.model.urls import Address, read_address

MAX_ERROR_BODY = 65_536
BEGINNING = 65_536
"""So much of a body is kept without asking for room."""
_LONGEST_WAIT_S = 300.0
"""For room, in all."""
_SWITCHING_PROTOCOLS = 101
_FIRST_ERROR = 400
_WITH_VALIDATORS = frozenset({200, 203, 304})
_CLOSED = AllowList()


class HTTPFetcher:
    """The ``Fetcher`` of the real world.

    ``trusted_origins`` are the exact origins an operator set for a purpose: they may be
    private for that purpose alone, and where they redirect to may not.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        allow_networks: AllowList = _CLOSED,
        trusted_origins: Mapping[Purpose, frozenset[str]] | None = None,
        limits: Limits | None = None,
        wire: Wire | None = None,
        proxy: Proxy | None = None,
    ) -> None:
        self._user_agent = user_agent
        self._named_hosts = allow_networks.hosts
        self._trusted = {
            sink: frozenset(map(_read_origin, origins))
            for sink, origins in (trusted_origins or {}).items()
        }
        self._connections = Connections(allow_networks, limits or Limits(), wire or Wire(), proxy)

    @property
    def open_sockets(self) -> int:
        return self._connections.open_sockets

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """Send one request, follow its redirects, return the whole response."""
        try:
            async with asyncio.timeout(request.timeout_s) as deadline:
                return await self._follow(request, deadline)
        except LIBRARY_ERRORS as error:
            raise translate(error) from cause(error)

    async def close(self) -> None:
        """Close pooled connections; later calls are a bug."""
        await self._connections.close()

    async def _follow(self, request: FetchRequest, deadline: asyncio.Timeout) -> FetchResponse:
        started = time.monotonic()
        hop = first_hop(request, self._user_agent)
        while True:
            response = await self._send(hop, request)
            try:
                status = response.status
                if status not in REDIRECTS:
                    body, is_cut = await _Reader(request, deadline).read(response)
                    return FetchResponse(
                        url=str(hop.address),
                        status=status,
                        headers=answer_headers(
                            response.headers.items(), keep_validators=status in _WITH_VALIDATORS
                        ),
                        body=body,
                        permanent_url=permanent_url(hop, request),
                        ms=round((time.monotonic() - started) * 1000),
                        hops=len(hop.seen),
                        is_cut=is_cut,
                    )
                location = response.headers.get("Location", "")
            finally:
                # Gives the connection back, or closes it when its body is not at an
                # end: the bodies of redirects are never read.
                response.release()
            hop = next_hop(hop, status, location, at_most=request.max_redirects)

    async def _send(self, hop: Hop, request: FetchRequest) -> aiohttp.ClientResponse:
        address = hop.address
        way = await self._connections.choose(
            address.host,
            named=address.host in self._named_hosts
            or (hop.at_home and address.origin in self._trusted.get(request.sink, ())),
            direct=request.direct,
        )
        session = self._connections.session(way, once=hop.method not in {"GET", "HEAD"})
        digest = [DigestAuthMiddleware(*hop.login, preemptive=False)] if hop.login else []
        return await session.request(
            hop.method,
            _written(address),
            headers={name.title(): value for name, value in hop.headers.items()},
            # Bytes would be written in one go, which for large ones stops the loop.
            data=None if hop.body is None else BytesIO(hop.body),
            allow_redirects=False,
            middlewares=digest,
        )


@lru_cache(maxsize=8192)
def _written(address: Address) -> URL:
    """Write an address for aiohttp from its parts, so that nobody reads it again."""
    return URL.build(
        scheme=address.scheme,
        authority=address.netloc,
        path=address.path,
        query_string=address.query,
        encoded=True,
    )


class _Reader:
    """Reads one body, within its limit and the room there is."""

    def __init__(self, request: FetchRequest, deadline: asyncio.Timeout) -> None:
        self._limit = request.max_bytes
        self._may_cut = request.cut
        self._room = request.room
        self._deadline = deadline
        self._taken = BEGINNING
        self._wait_s = _LONGEST_WAIT_S

    async def read(self, response: aiohttp.ClientResponse) -> tuple[bytes, bool]:
        """Return a body, and whether it is only the beginning of a larger one."""
        if response.status == _SWITCHING_PROTOCOLS:
            raise Unreachable("The server's response is not valid HTTP.")
        if response.content.at_eof():
            return b"", False
        if response.status >= _FIRST_ERROR:
            return await self._read_error(response), False
        if (response.content_length or 0) > self._limit and not self._may_cut:
            raise too_large(self._limit)
        body = Body(_encoding(response), self._limit)
        try:
            await self._fill(body, response)
            return body.whole(), False
        except TooLarge:
            if not self._may_cut:
                raise
            return body.beginning(), True
        finally:
            body.clear()

    async def _read_error(self, response: aiohttp.ClientResponse) -> bytes:
        """Read the beginning: the status is the answer, the body may explain it."""
        try:
            body = Body(_encoding(response), min(self._limit, MAX_ERROR_BODY))
        except FetchError:
            return b""
        with suppress(FetchError, *LIBRARY_ERRORS):
            await self._fill(body, response)
        return body.beginning()

    async def _fill(self, body: Body, response: aiohttp.ClientResponse) -> None:
        content = response.content
        while chunk := await content.readany():
            while body.feed(chunk):
                chunk = b""
                await self._ask_for_room(body.size, response)
            await self._ask_for_room(body.size, response)

    async def _ask_for_room(self, size: int, response: aiohttp.ClientResponse) -> None:
        if self._room is None or size <= self._taken:
            return
        granted = self._room.take(size - self._taken)
        self._taken = size
        if granted is None:
            return
        now = asyncio.get_running_loop().time
        left_s, began_at = (self._deadline.when() or 0.0) - now(), now()
        self._deadline.reschedule(began_at + self._wait_s)
        with _nothing_read(response):
            await granted
        self._wait_s -= now() - began_at
        self._deadline.reschedule(now() + left_s)


@contextmanager
def _nothing_read(response: aiohttp.ClientResponse) -> Iterator[None]:
    """Read nothing from a connection meanwhile, and let TLS read nothing ahead.

    When uvloop's TLS sees that a connection ended, it drops what it has not handed on.
    """
    connection = response.connection
    if connection is None or connection.protocol is None:
        yield
        return
    protocol, transport = connection.protocol, connection.transport
    limit = getattr(transport, "set_read_buffer_limits", None)
    protocol.pause_reading()
    if limit is not None:
        limit(high=1, low=0)
    try:
        yield
    finally:
        protocol.resume_reading()
        if limit is not None:
            # TLS hands on what it has in the next round of the loop, before this.
            asyncio.get_running_loop().call_soon(limit)


def _encoding(response: aiohttp.ClientResponse) -> str:
    return ",".join(response.headers.getall("Content-Encoding", ()))


def _read_origin(text: str) -> str:
    try:
        return read_address(text).origin
    except BadAddress as error:
        raise ConfigError(f"“{text}” is not a web address.") from error
