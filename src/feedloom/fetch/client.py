"""The client: an ``Ask`` in, a whole and bounded ``Fetched`` or a ``FetchError`` out.

    ask -> hop -> send -> (redirect -> next hop)* -> body -> Fetched

One deadline spans all of it. Every hop is read and judged like the first. The client
keeps no cookies, reads no proxy settings, and decides nothing about schedules,
politeness or formats.

There are two pools that never mix: a guarded one, and an open one for the places an
operator named. A request gets to the open one only by its exact origin or host, so a
connection made for the one can never serve the other.
"""

import asyncio
import time
from collections.abc import Mapping

from feedloom.fetch.alarms import Alarm
from feedloom.fetch.connector import Wire
from feedloom.fetch.failures import translate
from feedloom.fetch.guard import AllowList
from feedloom.fetch.headers import answer_headers
from feedloom.fetch.lines import Reply, Request
from feedloom.fetch.pools import Limits, Pools
from feedloom.fetch.redirects import REDIRECTS, Hop, first_hop, next_hop, permanent_url
from feedloom.model.errors import BadAddress, ConfigError
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose, Turn
from feedloom.model.urls import read_address

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
        trusted_origins: Mapping[Purpose, frozenset[str]] | None = None,
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
        self._deadlines = Alarm(_expire)

    @property
    def open_sockets(self) -> int:
        """The number of sockets that are in use or kept for reuse."""
        return self._pools.open_sockets

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        """Send one request, follow its redirects, return the whole answer."""
        try:
            async with asyncio.timeout(None) as deadline:
                self._deadlines.set(deadline, ask.timeout_s)
                try:
                    return await self._follow(ask, self._turn(ask, deadline))
                finally:
                    self._deadlines.clear(deadline)
        except OSError as error:
            raise translate(error) from error

    async def close(self) -> None:
        """Close pooled connections; later calls are a bug."""
        self._pools.close()

    def _turn(self, ask: FetchRequest, deadline: asyncio.Timeout) -> Turn | None:
        """Stop the clock while an answer waits for its turn: that is our own doing."""
        if ask.turn is None:
            return None
        take = ask.turn

        def turn(*, whole: bool) -> asyncio.Future[None] | None:
            granted = take(whole=whole)
            if granted is not None:
                self._deadlines.pause(deadline)
                granted.add_done_callback(lambda _: self._deadlines.resume(deadline))
            return granted

        return turn

    async def _follow(self, ask: FetchRequest, turn: Turn | None) -> FetchResponse:
        started = time.monotonic()
        hop = first_hop(ask, self._user_agent)
        while True:
            reply = await self._send(hop, ask, turn)
            if reply.status not in REDIRECTS:
                break
            location = next((v for n, v in reply.headers if n == "location"), "")
            hop = next_hop(hop, reply.status, location, at_most=ask.max_redirects)
        return FetchResponse(
            url=str(hop.address),
            status=reply.status,
            headers=answer_headers(
                reply.headers, keep_validators=reply.status in _WITH_VALIDATORS
            ),
            body=reply.body,
            permanent_url=permanent_url(hop, ask),
            ms=round((time.monotonic() - started) * 1000),
            hops=len(hop.seen),
            is_cut=reply.is_cut,
        )

    async def _send(self, hop: Hop, ask: FetchRequest, turn: Turn | None) -> Reply:
        address = hop.address
        trusted = self._trusted.get(ask.sink) if hop.at_home else None
        pool = self._pools.choose(
            named=address.host in self._named_hosts
            or (trusted is not None and address.origin in trusted)
        )
        once = hop.method not in _MAY_BE_REPEATED
        request = Request(
            hop.method,
            _written(hop, once=once),
            hop.body or b"",
            ask.max_bytes,
            turn,
            cut=ask.cut,
        )
        return await pool.ask(address, request, once=once)


def _written(hop: Hop, *, once: bool) -> bytes:
    """Write the first line and the headers of a request."""
    address = hop.address
    query = f"?{address.query}" if address.query else ""
    lines = [
        f"{hop.method} {address.path}{query} HTTP/1.1",
        f"Host: {address.netloc}",
        *[f"{name.title()}: {value}" for name, value in hop.headers.items()],
    ]
    if hop.body is not None:
        lines.append(f"Content-Length: {len(hop.body)}")
    if once:
        lines.append("Connection: close")
    head = "\r\n".join((*lines, "", ""))
    if head.count("\n") > len(lines) + 1 or head.count("\r") > len(lines) + 1:
        # Everything in it was cleaned; this is the last look before the wire.
        msg = "a request of several lines in one"
        raise ValueError(msg)
    return head.encode("utf-8", "replace")


def _expire(deadline: asyncio.Timeout) -> None:
    deadline.reschedule(asyncio.get_running_loop().time())


def _read_origin(text: str) -> str:
    try:
        return read_address(text).origin
    except BadAddress as error:
        raise ConfigError(f"“{text}” is no web address.") from error
