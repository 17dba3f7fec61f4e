"""Ports: what the flow needs from outside, where there is more than one implementation.

Stores have one, so they are typed by their own classes and handed over by ``app``.
All methods are coroutines on one event loop unless said otherwise. Times are aware
and UTC. Errors are those of ``feedloom.model.errors``; anything else is a bug.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol

from feedloom.model.feed import MAX_ENTRIES, ParsedFeed
from feedloom.model.stages import FetchRequest, FetchResponse


class Clock(Protocol):
    """The only source of the time."""

    def now(self) -> datetime: ...


class Parser(Protocol):
    """Reads feeds; raises ``NotAFeed`` and ``ParseError`` and nothing else."""

    def parse_at_once(
        self,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        now: datetime,
        most: int = MAX_ENTRIES,
    ) -> ParsedFeed | None:
        """Read a document, on any thread; None when that takes guessing."""
        ...

    async def guess(
        self,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        now: datetime,
        most: int = MAX_ENTRIES,
    ) -> ParsedFeed: ...


class Fetcher(Protocol):
    """Sends all outbound requests.

    Every hop is checked when it connects. Raises ``FetchError`` or a subclass if there is
    no complete response; responses of any HTTP status are returned, not raised.
    """

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        """Send one request, follow its redirects, return the whole answer."""
        ...

    async def close(self) -> None:
        """Close pooled connections; later calls are a bug."""
        ...


class Mailer(Protocol):
    """Hands mail to the operator's mail server."""

    async def send(
        self, recipient: str, message: bytes, begin: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Hand a message over; False if ``begin``, called just before, says not to.

        Raises ``MailRefused`` if it will never be accepted, ``MailUncertain`` if it may have
        been accepted, and ``MailError`` if it may be tried again.
        """
        ...


class HostRateLimit(Protocol):
    """Who may ask a host now, across processes."""

    async def enter(self, host_key: str, token: str, *, burst: bool = False) -> float:
        """Start a request (0), or tell how many seconds to wait before asking again."""
        ...

    async def leave(self, host_key: str, token: str) -> None: ...
