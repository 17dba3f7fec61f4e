"""The client: an ``Ask`` in, a whole and bounded ``Fetched`` or a ``FetchError`` out.

    ask -> hop -> send -> (redirect -> next hop)* -> body -> Fetched

One deadline spans all of it. Redirects are followed here and not by the library, so
that every hop is read and judged like the first. The client keeps no cookies, reads no
proxy settings, and decides nothing about schedules, politeness or formats.

There are two kinds of pools that never mix: guarded ones, and open ones for the places
an operator named. A request gets to an open pool only by its exact origin or host, so a
connection made for the one can never serve the other.
"""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from io import BytesIO

import aiohttp
from yarl import URL

from feedloom.fetch.decoding import Body, too_large
from feedloom.fetch.failures import LIBRARY_ERRORS, cause, translate
from feedloom.fetch.guard import AllowList
from feedloom.fetch.headers import answer_headers
from feedloom.fetch.hops import REDIRECTS, Hop, first_hop, next_hop, permanent_url
from feedloom.fetch.pools import Limits, Pools, Wire
from feedloom.model.errors import BadAddress, ConfigError, FetchError, Unreachable
from feedloom.model.stages import Ask, Fetched, Sink
from feedloom.model.urls import Address, read_address

MAX_ERROR_BODY = 65_536
_SWITCHING_PROTOCOLS = 101
_FIRST_ERROR = 400
_WITH_VALIDATORS = frozenset({200, 203, 304})
_MAY_BE_REPEATED = frozenset({"GET", "HEAD"})
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
        trusted_origins: Mapping[Sink, frozenset[str]] | None = None,
        limits: Limits | None = None,
        wire: Wire | None = None,
    ) -> None:
        self._user_agent = user_agent
        self._named_hosts = allow_networks.hosts
        self._trusted = {
            sink: frozenset(map(_read_origin, origins))
            for sink, origins in (trusted_origins or {}).items()
        }
        self._pools = Pools(allow_networks, limits or Limits(), wire or Wire())

    @property
    def open_sockets(self) -> int:
        """The number of sockets that are in use or kept for reuse."""
        return self._pools.open_sockets

    async def fetch(self, ask: Ask) -> Fetched:
        """Send one request, follow its redirects, return the whole answer."""
        try:
            async with asyncio.timeout(ask.timeout_s):
                return await self._follow(ask)
        except LIBRARY_ERRORS as error:
            raise translate(error) from cause(error)

    async def close(self) -> None:
        """Close pooled connections; later calls are a bug."""
        await self._pools.close()

    async def _follow(self, ask: Ask) -> Fetched:
        started = time.monotonic()
        hop = first_hop(ask, self._user_agent)
        while True:
            response = await self._send(hop, ask.sink)
            try:
                status = response.status
                if status not in REDIRECTS:
                    return await _answer(response, hop, ask, started=started)
                location = response.headers.get("Location", "")
            finally:
                # Gives the connection back, or closes it when its body is not at an
                # end: the bodies of redirects are never read.
                response.release()
            hop = next_hop(hop, status, location, at_most=ask.max_redirects)

    async def _send(self, hop: Hop, sink: Sink) -> aiohttp.ClientResponse:
        address = hop.address
        session = self._pools.session(
            named=address.host in self._named_hosts
            or (hop.at_home and address.origin in self._trusted.get(sink, ())),
            once=hop.method not in _MAY_BE_REPEATED,
        )
        return await session.request(
            hop.method,
            _written(address),
            headers=hop.headers,
            # Bytes would be written in one go, which for large ones stops the loop.
            data=None if hop.body is None else BytesIO(hop.body),
            allow_redirects=False,
        )


@lru_cache(maxsize=8192)
def _written(address: Address) -> URL:
    """Write an address for the library, from its parts: there is no second reading."""
    return URL.build(
        scheme=address.scheme,
        authority=address.netloc,
        path=address.path,
        query_string=address.query,
        encoded=True,
    )


async def _answer(
    response: aiohttp.ClientResponse, hop: Hop, ask: Ask, *, started: float
) -> Fetched:
    body = await _read(response, ask.max_bytes)
    return Fetched(
        url=str(hop.address),
        status=response.status,
        headers=answer_headers(
            response.headers.items(),
            keep_validators=response.status in _WITH_VALIDATORS,
        ),
        body=body,
        permanent_url=permanent_url(hop, ask),
        ms=round((time.monotonic() - started) * 1000),
        hops=len(hop.seen),
    )


async def _read(response: aiohttp.ClientResponse, limit: int) -> bytes:
    if response.status == _SWITCHING_PROTOCOLS:
        raise Unreachable("The server's answer is not valid HTTP.")
    if response.content.at_eof():
        return b""
    if response.status >= _FIRST_ERROR:
        return await _read_error(response, min(limit, MAX_ERROR_BODY))
    if (response.content_length or 0) > limit:
        raise too_large(limit)
    body = Body(_encoding(response), limit)
    await _fill(body, response)
    return body.whole()


async def _read_error(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """Read the beginning: the status is the answer, the body may explain it."""
    try:
        body = Body(_encoding(response), limit)
    except FetchError:
        return b""
    with suppress(FetchError, *LIBRARY_ERRORS):
        await _fill(body, response)
    return body.beginning()


def _encoding(response: aiohttp.ClientResponse) -> str:
    return ",".join(response.headers.getall("Content-Encoding", ()))


async def _fill(body: Body, response: aiohttp.ClientResponse) -> None:
    content = response.content
    while chunk := await content.readany():
        body.feed(chunk)


def _read_origin(text: str) -> str:
    try:
        return read_address(text).origin
    except BadAddress as error:
        raise ConfigError(f"“{text}” is no web address.") from error
