"""From bytes to articles ready to store, on any free core.

A document goes in; the parsed feed and its new or changed articles come out. A document
is read here: a small one on the event loop, a large one on a thread. When many come in a
row, as in a first refresh, child processes read most of them, because parsing and cleaning
are most of the work and would otherwise use one core.

Documents that take guessing wait for a process of the parser's; they hold up nobody.
"""

import asyncio
import os
from dataclasses import dataclass, field
from datetime import datetime

from feedloom.flow.refresh.documents import (
    MakeParser,
    Reply,
    Request,
    Understood,
    new_articles,
    read_at_once,
)
from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import MAX_ENTRIES, ParsedFeed
from feedloom.model.ports import Parser
from feedloom.model.stages import FetchResponse, Known
from feedloom.processes.pool import ChildFailed, ProcessPool

_MODULE = "feedloom.flow.refresh.documents"
_LARGE = 32_000
"""From this size on a document is read off the event loop: the worst of this size takes
half of the 50 ms that nothing may take."""
_HUGE = 1_000_000
"""From this size on, sending a document to another process costs more than it helps."""
_IN_A_ROW = 8
"""After so many documents without a pause, a second core pays."""
_PLENTY = 16
"""When so many documents wait for the children, others are read here."""
_PAUSE_S = 0.1
_DEADLINE_S = 30.0


async def parse_beside(parser: Parser, answer: FetchResponse, now: datetime) -> ParsedFeed:
    """Parse a document without keeping the event loop; raise ``ParseError`` kinds."""

    def at_once() -> ParsedFeed | None:
        return parser.parse_at_once(
            answer.body, url=answer.url, content_type=answer.content_type, now=now
        )

    small = len(answer.body) < _LARGE
    parsed = at_once() if small else await asyncio.to_thread(at_once)
    return parsed or await parser.guess(
        answer.body, url=answer.url, content_type=answer.content_type, now=now
    )


@dataclass(slots=True)
class ParsePool:
    parser: Parser
    make_parser: MakeParser
    """Makes a parser in a child process; must be importable there."""
    processes: int = field(default_factory=lambda: min(2, (os.cpu_count() or 1) - 1))
    _children: ProcessPool = field(init=False)
    _places: asyncio.Semaphore = field(init=False)
    _waiting: int = 0
    _failures: int = 0
    _in_a_row: int = 0
    _ended_at: float = 0.0
    _inside: int = 0

    def __post_init__(self) -> None:
        name = f"{self.make_parser.__module__}:{self.make_parser.__qualname__}"
        size = max(1, self.processes)
        self._children = ProcessPool(_MODULE, name, size=size, deadline_s=_DEADLINE_S)
        self._places = asyncio.Semaphore(size)

    async def __call__(
        self, answer: FetchResponse, known: Known, now: datetime, most: int = MAX_ENTRIES
    ) -> Understood:
        """Understand one document, of which ``most`` entries count; raises what parsing raises."""
        paused = asyncio.get_running_loop().time() - self._ended_at > _PAUSE_S
        self._in_a_row = 0 if paused and not self._inside else self._in_a_row + 1
        are_many = self._in_a_row >= _IN_A_ROW
        self._inside += 1
        try:
            found = await self._read(answer, known, now, most, are_many=are_many)
        finally:
            self._inside -= 1
            self._ended_at = asyncio.get_running_loop().time()
        if found is not None:
            return found
        parsed = await self.parser.guess(
            answer.body, url=answer.url, content_type=answer.content_type, now=now, most=most
        )
        return parsed, await asyncio.to_thread(
            new_articles, parsed, known, feed_url=answer.url, now=now
        )

    async def close(self) -> None:
        self.processes = 0
        await self._children.close()

    async def _read(
        self, answer: FetchResponse, known: Known, now: datetime, most: int, *, are_many: bool
    ) -> Understood | None:
        size = len(answer.body)
        if are_many and size <= _HUGE and self._waiting < _PLENTY * self.processes:
            self._waiting += 1
            try:
                return await self._ask(answer, known, now, most)
            except ChildFailed:
                # It was killed, perhaps for its memory. Another one starts after a while.
                self._failures += 1
                self._in_a_row = 0
            finally:
                self._waiting -= 1
        if size < _LARGE:
            return read_at_once(self.parser, answer, known, now, most)
        return await asyncio.to_thread(read_at_once, self.parser, answer, known, now, most)

    async def _ask(
        self, answer: FetchResponse, known: Known, now: datetime, most: int
    ) -> Understood | None:
        request = Request(answer.body, answer.url, answer.content_type, known, now, most)
        failures = self._failures
        async with self._places:
            if self._failures > failures:
                # Who waited for a child that failed does not wait for the next one.
                raise ChildFailed
            reply = await self._children.ask(request, Reply)
        if reply.feed is not None:
            return reply.feed, reply.articles
        if reply.kind:
            raise NotAFeed(reply.message, kind=reply.kind)
        if reply.message:
            raise ParseError(reply.message)
        return None
