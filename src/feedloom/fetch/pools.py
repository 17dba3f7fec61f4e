"""Pools of connections: made on first use, bounded, guarded or open, closed together.

Whoever waits for one host holds no place that others could use. A connection is kept a
while for the next request to its origin, the longest unused one going first when there
are too many. A request that must not be repeated gets one of its own: only a fresh
connection is sure not to be closing already.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from feedloom.fetch.alarms import Alarm
from feedloom.fetch.connector import Dialler, Wire
from feedloom.fetch.dns import LookupThreads
from feedloom.fetch.guard import AllowList, Lookup
from feedloom.fetch.lines import HungUp, Line, Reply, Request
from feedloom.model.urls import Address

_KEPT_S = 15.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once."""

    connect_timeout_s: float = 5.0
    at_once: int = 256
    """Connections in use, all hosts together; for each pool."""
    per_host: int = 8
    """Connections in use to one host that no operator named."""
    kept: int = 128
    """Connections that wait for the next request, of all hosts; for each pool."""
    lookups: int = 512
    """Host names looked up at once."""


@dataclass(slots=True)
class _Origin:
    """The connections to one place."""

    turns: asyncio.Semaphore
    asking: int = 0
    idle: list[Line] = field(default_factory=list)


class Pool:
    """Connections to any number of places."""

    def __init__(self, dialler: Dialler, limits: Limits, *, per_host: int) -> None:
        self._dialler = dialler
        self._at_once = asyncio.Semaphore(limits.at_once)
        self._per_host = per_host
        self._kept = limits.kept
        self._origins: dict[str, _Origin] = {}
        self._lines: set[Line] = set()
        self._idle: OrderedDict[Line, str] = OrderedDict()
        self._unused = Alarm(Line.close)

    def __len__(self) -> int:
        """Tell how many connections are open."""
        return len(self._lines)

    async def ask(self, address: Address, request: Request, *, once: bool) -> Reply:
        """Send a request and return its answer; ``once`` if it may not be repeated."""
        name = address.origin
        origin = self._origins.get(name)
        if origin is None:
            turns = asyncio.Semaphore(self._per_host)
            origin = self._origins[name] = _Origin(turns)
        origin.asking += 1
        try:
            async with origin.turns, self._at_once:
                return await self._ask(name, address, request, once=once)
        finally:
            origin.asking -= 1
            self._tidy(name, origin)

    def close(self) -> None:
        """Hang up everywhere."""
        for line in list(self._lines):
            self._let_go(line)
            line.close()

    async def _ask(
        self, name: str, address: Address, request: Request, *, once: bool
    ) -> Reply:
        idle = self._origins[name].idle
        if idle and not once:
            line = idle[-1]
            self._let_go(line)
            try:
                return self._used(line, name, await line.ask(request), once=once)
            except HungUp:
                # It was closed while nobody looked, and nothing has been answered.
                pass
        line = await self._dialler.dial(address, self._forget)
        self._lines.add(line)
        return self._used(line, name, await line.ask(request), once=once)

    def _used(self, line: Line, name: str, reply: Reply, *, once: bool) -> Reply:
        """Keep a connection that may be used again; hand on what it answered."""
        if line.may_be_kept and not once and self._kept:
            self._keep(line, name)
        else:
            line.close()
        return reply

    def _keep(self, line: Line, name: str) -> None:
        if len(self._idle) >= self._kept:
            oldest = next(iter(self._idle))
            self._let_go(oldest)
            oldest.close()
        self._unused.set(line, _KEPT_S)
        self._origins[name].idle.append(line)
        self._idle[line] = name

    def _let_go(self, line: Line) -> None:
        """Keep a connection no longer for anybody who comes."""
        name = self._idle.pop(line, None)
        if name is None:
            return
        self._unused.clear(line)
        origin = self._origins[name]
        origin.idle.remove(line)
        self._tidy(name, origin)

    def _forget(self, line: Line) -> None:
        self._lines.discard(line)
        self._let_go(line)

    def _tidy(self, name: str, origin: _Origin) -> None:
        if not origin.asking and not origin.idle:
            self._origins.pop(name, None)


class Pools:
    """The two pools of one client, which share nothing but the looking up of names."""

    def __init__(self, allowed: AllowList, limits: Limits, wire: Wire) -> None:
        self._threads = LookupThreads(limits.lookups)
        lookup: Lookup = wire.lookup or self._threads

        def pool(admits: Callable[[str], bool], per_host: int) -> Pool:
            dialler = Dialler(wire, lookup, admits, limits.connect_timeout_s)
            return Pool(dialler, limits, per_host=per_host)

        self._guarded = pool(allowed.admits, limits.per_host)
        self._named = pool(_anything, limits.at_once)
        self._is_closed = False

    @property
    def open_sockets(self) -> int:
        """The number of connections that are in use or kept."""
        return len(self._guarded) + len(self._named)

    def choose(self, *, named: bool) -> Pool:
        """Return the pool for a request; ``named`` for places an operator named."""
        if self._is_closed:
            msg = "the client is closed"
            raise RuntimeError(msg)
        return self._named if named else self._guarded

    def close(self) -> None:
        """Close all connections; asking afterwards is a bug."""
        self._is_closed = True
        self._guarded.close()
        self._named.close()
        self._threads.close()


def _anything(_: str) -> bool:
    return True
