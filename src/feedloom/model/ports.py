"""Ports: what the flow needs from the world, and what the world promises.

All methods are coroutines on one event loop unless said otherwise. Times are aware
and UTC. Errors are those of ``feedloom.model.errors``; anything else is a bug.
"""

from datetime import datetime
from typing import Protocol

from feedloom.model.stages import Ask, Fetched


class Clock(Protocol):
    """The only source of the time."""

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        ...


class Fetcher(Protocol):
    """The one way out to the network.

    Every hop is judged when it connects. Raises ``FetchError`` or a subclass when there
    is no whole answer; an answer of any HTTP status is returned, not raised.
    """

    async def fetch(self, ask: Ask) -> Fetched:
        """Send one request, follow its redirects, return the whole answer."""
        ...

    async def close(self) -> None:
        """Close pooled connections; later calls are a bug."""
        ...
