"""From bytes to articles ready to store, on whatever core is free.

A document goes in; the parsed feed and its new or changed articles come out. A few
documents at a time are read here (small ones on the event loop, large ones on a
thread). When they come in a row, as in a first refresh, a process of its own takes them
as soon as it is up: parsing and cleaning are most of the work and would otherwise use
one core. From then on one at a time is read here, and only while many wait for that
process: threads of one process take turns, and those that fetch and store would lose more
than is won. The process ends again when there is nothing more to do.

Documents that take guessing wait for a process of the parser's; they hold up nobody.
"""

import asyncio
import os
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from feedloom.flow.refresh.parse_client import Helper, HelperGone
from feedloom.flow.refresh.parse_worker import (
    MakeParser,
    Understood,
    understand_at_once,
)
from feedloom.flow.refresh.prepared_articles import new_articles
from feedloom.model.feed import ParsedFeed
from feedloom.model.ports import Parser
from feedloom.model.stages import FetchResponse, Known

log = structlog.get_logger()

_LARGE = 32_000
"""From this size on a document is read off the event loop: the worst of this size takes
half of the 50 ms that nothing may take."""
_HUGE = 1_000_000
"""From this size on sending a document to another process is dearer than it helps."""
_IN_A_ROW = 8
"""So many documents without a pause between them, and a second core pays."""
_PLENTY = 16
"""So many documents waiting for a process, and one at a time is read here as well."""
_PAUSE_S = 0.1
_IDLE_S = 20.0


def understand(
    parser: Parser, answer: FetchResponse, known: Known, now: datetime
) -> Understood:
    """Parse a document and clean what is new in it; raise ``ParseError`` kinds."""
    parsed = parser.parse(
        answer.body, url=answer.url, content_type=answer.content_type, now=now
    )
    return parsed, new_articles(parsed, known, feed_url=answer.url, now=now)


async def parse_beside(
    parser: Parser, answer: FetchResponse, now: datetime
) -> ParsedFeed:
    """Parse a document without keeping the event loop; raise ``ParseError`` kinds."""
    if len(answer.body) < _LARGE:
        parsed = parser.parse_at_once(
            answer.body, url=answer.url, content_type=answer.content_type, now=now
        )
        if parsed is not None:
            return parsed
    return await asyncio.to_thread(
        parser.parse,
        answer.body,
        url=answer.url,
        content_type=answer.content_type,
        now=now,
    )


@dataclass(slots=True)
class ParsePool:
    """Reads documents, alone or with the help of another process."""

    parser: Parser
    make_parser: MakeParser
    """Makes a parser in another process; must be importable there."""
    processes: int = field(default_factory=lambda: min(2, (os.cpu_count() or 1) - 1))
    _in_a_row: int = 0
    _ended_at: float = 0.0
    _inside: int = 0
    _there: int = 0
    _helpers: list[Helper] = field(default_factory=list)
    _started: list[Helper] = field(default_factory=list)
    """Those above, and others of which something may be left."""
    _starting: asyncio.Task[None] | None = None
    _ending: asyncio.TimerHandle | None = None

    async def __call__(
        self, answer: FetchResponse, known: Known, now: datetime
    ) -> Understood:
        """Understand one document; raises what parsing raises."""
        are_many = self._are_many()
        self._inside += 1
        try:
            found = await self._quickly(answer, known, now, are_many=are_many)
        finally:
            self._inside -= 1
            self._ended_at = asyncio.get_running_loop().time()
        if found is None:
            return await asyncio.to_thread(understand, self.parser, answer, known, now)
        return found

    async def close(self) -> None:
        """End the other processes, if there are any, and start no more."""
        self.processes = 0
        if self._starting is not None:
            await asyncio.wait([self._starting])
        self._end_helpers()
        await asyncio.gather(*(helper.ended.wait() for helper in self._started))

    def _are_many(self) -> bool:
        paused = asyncio.get_running_loop().time() - self._ended_at > _PAUSE_S
        self._in_a_row = 0 if paused and not self._inside else self._in_a_row + 1
        return self.processes > 0 and self._in_a_row >= _IN_A_ROW

    async def _quickly(
        self, answer: FetchResponse, known: Known, now: datetime, *, are_many: bool
    ) -> Understood | None:
        size = len(answer.body)
        if are_many and size <= _HUGE:
            helper = self._helper()
            if helper is not None and not self._may_help(helper):
                return await self._send(helper, answer, known, now)
        if size < _LARGE:
            return understand_at_once(self.parser, answer, known, now)
        return await asyncio.to_thread(
            understand_at_once, self.parser, answer, known, now
        )

    def _helper(self) -> Helper | None:
        """Return the process that has least to do; start some if there are none."""
        if any(helper.is_gone for helper in self._helpers):
            self._forget_gone()
        if not self._helpers and self._starting is None and self.processes:
            self._starting = asyncio.create_task(self._start())
        up = (helper for helper in self._helpers if helper.is_up)
        return min(up, key=lambda helper: helper.busy, default=None)

    def _may_help(self, helper: Helper) -> bool:
        """Tell whether a document is better read here: the only one, of many."""
        return helper.busy >= _PLENTY and self._inside == self._there + 1

    def _forget_gone(self) -> None:
        if any(helper.is_gone and not helper.is_up for helper in self._helpers):
            self._do_without("It ended before it was up.")
        self._helpers = [helper for helper in self._helpers if not helper.is_gone]

    async def _start(self) -> None:
        try:
            while len(self._helpers) < self.processes:
                helper = await Helper.start(self.make_parser)
                self._helpers.append(helper)
                left = [one for one in self._started if not one.ended.is_set()]
                self._started = [*left, helper]
        except (OSError, RuntimeError) as error:
            # There is no memory or no process left for it.
            self._do_without(str(error))
        finally:
            self._starting = None
        if not self._there:
            self._end_when_idle()

    async def _send(
        self, helper: Helper, answer: FetchResponse, known: Known, now: datetime
    ) -> Understood | None:
        self._stay()
        self._there += 1
        try:
            return await helper.read(answer, known, now)
        except HelperGone:
            # It was killed, perhaps for its memory; here a parser of ours has the same
            # guards and the document its own failure.
            return None
        finally:
            self._there -= 1
            if not self._there:
                self._end_when_idle()

    def _do_without(self, why: str) -> None:
        log.warning("no_helping_process", why=why)
        self.processes = 0
        self._end_helpers()

    def _end_when_idle(self) -> None:
        self._stay()
        loop = asyncio.get_running_loop()
        self._ending = loop.call_later(_IDLE_S, self._end_helpers)

    def _stay(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _end_helpers(self) -> None:
        self._stay()
        for helper in self._helpers:
            helper.end()
        self._helpers = []
