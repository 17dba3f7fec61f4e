"""From bytes to articles ready to store, on whatever core is free.

A document goes in; the parsed feed and its new or changed articles come out. A few
documents at a time are read here (small ones on the event loop, large ones on a
thread). When they come in a row, as in a first refresh, a process of its own takes them
as soon as it is up: parsing and cleaning are most of the work and would otherwise use
one core. From then on nothing is read here, even if that process is busy: threads of one
process take turns, and those that fetch and store would lose more than is won. The
process ends again when there is nothing more to do.

Documents that take guessing wait for a process of the parser's; they hold up nobody.
"""

import asyncio
import multiprocessing
import os
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from feedloom.flow.refreshing.articles import new_articles
from feedloom.flow.refreshing.helping import (
    MakeParser,
    Understood,
    answer_call,
    prepare,
    understand_at_once,
    understand_there,
    unpacked,
    without_main,
)
from feedloom.model.feed import ParsedFeed
from feedloom.model.ports import Parser
from feedloom.model.stages import Fetched, Known

log = structlog.get_logger()

_LARGE = 32_000
"""From this size on a document is read off the event loop: the worst of this size takes
half of the 50 ms that nothing may take."""
_HUGE = 1_000_000
"""From this size on sending a document to another process is dearer than it helps."""
_IN_A_ROW = 8
"""So many documents without a pause between them, and a second core pays."""
_PAUSE_S = 0.1
_IDLE_S = 20.0


def understand(
    parser: Parser, answer: Fetched, known: Known, now: datetime
) -> Understood:
    """Parse a document and clean what is new in it; raise ``ParseError`` kinds."""
    parsed = parser.parse(
        answer.body, url=answer.url, content_type=answer.content_type, now=now
    )
    return parsed, new_articles(parsed, known, feed_url=answer.url, now=now)


async def parse_beside(parser: Parser, answer: Fetched, now: datetime) -> ParsedFeed:
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
class Understanding:
    """Reads documents, alone or with the help of another process."""

    parser: Parser
    make_parser: MakeParser
    """Makes a parser in another process; must be importable there."""
    processes: int = field(default_factory=lambda: min(2, (os.cpu_count() or 1) - 1))
    _in_a_row: int = 0
    _ended_at: float = 0.0
    _inside: int = 0
    _there: int = 0
    _pool: ProcessPoolExecutor | None = None
    _is_up: Future[None] | None = None
    _ending: asyncio.TimerHandle | None = None

    async def __call__(
        self, answer: Fetched, known: Known, now: datetime
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

    def close(self) -> None:
        """End the other process, if there is one."""
        self._drop_pool()

    def _are_many(self) -> bool:
        paused = asyncio.get_running_loop().time() - self._ended_at > _PAUSE_S
        self._in_a_row = 0 if paused and not self._inside else self._in_a_row + 1
        return self.processes > 0 and self._in_a_row >= _IN_A_ROW

    async def _quickly(
        self, answer: Fetched, known: Known, now: datetime, *, are_many: bool
    ) -> Understood | None:
        size = len(answer.body)
        if are_many and size <= _HUGE:
            pool = self._helper()
            if pool is not None:
                return await self._send(pool, answer, known, now)
        if size < _LARGE:
            return understand_at_once(self.parser, answer, known, now)
        return await asyncio.to_thread(
            understand_at_once, self.parser, answer, known, now
        )

    def _helper(self) -> ProcessPoolExecutor | None:
        """Return the other process if it is up; start it if there is none."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.processes,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=prepare,
                initargs=(self.make_parser,),
            )
            try:
                with without_main():
                    self._is_up = self._pool.submit(answer_call)
            except OSError as error:
                self._do_without(error)
                return None
            self._end_when_idle()
        is_up = self._is_up is not None and self._is_up.done()
        return self._pool if is_up else None

    async def _send(
        self,
        pool: ProcessPoolExecutor,
        answer: Fetched,
        known: Known,
        now: datetime,
    ) -> Understood | None:
        loop = asyncio.get_running_loop()
        self._stay()
        self._there += 1
        try:
            sent = await loop.run_in_executor(
                pool, understand_there, answer, known, now
            )
            return sent and unpacked(sent)
        except BrokenProcessPool:
            # It was killed, perhaps for its memory; here a parser of ours has the same
            # guards and the document its own failure.
            if self._pool is pool:
                self._drop_pool()
            return None
        except OSError as error:
            self._do_without(error)
            return None
        finally:
            self._there -= 1
            if not self._there:
                self._end_when_idle()

    def _do_without(self, error: OSError) -> None:
        """There is no memory or no process left for it."""
        log.warning("no_helping_process", why=str(error))
        self.processes = 0
        self._drop_pool()

    def _end_when_idle(self) -> None:
        loop = asyncio.get_running_loop()
        self._stay()
        self._ending = loop.call_later(_IDLE_S, self._drop_pool)

    def _stay(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _drop_pool(self) -> None:
        pool, self._pool, self._is_up = self._pool, None, None
        self._stay()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
