"""Run a discovery: the engine makes requests, this module fetches, parses and stores.

One search has 30 seconds. Whoever waits for it gets an answer within five: what is not
known by then goes on in the background as a task of its own, which another process
takes over should this one end.

Memory is bounded: a page is read up to 2 MB, a search holds four of them at most, and
what is longer and begins like a feed is asked for again, one at a time for all searches.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from feedloom.discover import Discovery, Reply, Request, begins_like_feed, read_input
from feedloom.flow.refresh.parse_pool import parse_beside
from feedloom.model.errors import (
    BadAddress,
    FeedloomError,
    FetchError,
    InvalidInput,
    ParseError,
    Throttled,
)
from feedloom.model.ports import Clock, Fetcher, Parser
from feedloom.model.stages import (
    MAX_BODY_BYTES,
    Discovered,
    Ending,
    FetchRequest,
    FetchResponse,
    Purpose,
    ScoredCandidate,
)
from feedloom.model.work import NewTask, Task, TaskKind

if TYPE_CHECKING:
    from feedloom.store import SiteStore, TaskQueue

TOTAL_S = 30.0
_PAGE_BYTES = 2_000_000
_LARGE = 32_000


class NoFeed(InvalidInput):
    key = "no_feed"
    default = "No feed was found there."

    def __init__(self, discovered: Discovered) -> None:
        super().__init__(SENTENCES[discovered.ending], field="url")
        self.discovered = discovered


_FILE = Path(__file__).with_suffix(".toml")
SENTENCES = {Ending(name): said for name, said in tomllib.loads(_FILE.read_text("utf-8")).items()}
"""What a person is told, by how a search ended."""


@dataclass(slots=True)
class SearchLimit:
    in_all: int = 12
    each: int = 4
    answer_s: float = 5.0
    large: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a large feed is read."""
    _running: Counter[int] = field(default_factory=Counter)

    @contextmanager
    def search_of(self, user_id: int) -> Iterator[None]:
        """Count a search while it lasts; raise ``Throttled`` if it is one too many."""
        why = ""
        if self._running[user_id] >= self.each:
            why = f"You already have {self.each} searches running. Try again in a moment."
        elif self._running.total() >= self.in_all:
            why = "Too many searches are running. Try again in a moment."
        if why:
            raise Throttled(why, retry_after_s=ceil(self.answer_s))
        self._running[user_id] += 1
        try:
            yield
        finally:
            self._running[user_id] -= 1
            if not self._running[user_id]:
                del self._running[user_id]


@dataclass(slots=True)
class Search:
    discovery: Discovery
    fetcher: Fetcher
    parser: Parser
    clock: Clock
    large: asyncio.Lock = field(default_factory=asyncio.Lock)
    _pending: dict[asyncio.Task[Reply], str] = field(default_factory=dict)

    async def go_on(self, seconds: float) -> bool:
        """Go on for so long at most; True when there is nothing more to ask."""
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + seconds
        while True:
            for request in self.discovery.next_requests():
                task = asyncio.create_task(self._reply(request))
                self._pending[task] = request.url
            if not self._pending:
                return True
            done, _ = await asyncio.wait(
                self._pending,
                timeout=max(0.0, ends_at - loop.time()),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not done:
                return False
            while done:
                # Nothing here may hold an answer while the next ones are waited for.
                await self._take(done.pop())

    async def _take(self, task: asyncio.Task[Reply]) -> None:
        """Let the engine read an answer; a large page takes it a while."""
        url, reply = self._pending.pop(task), task.result()
        if reply.fetched is None or len(reply.fetched.body) < _LARGE:
            self.discovery.answer(url, reply)
        else:
            await asyncio.to_thread(self.discovery.answer, url, reply)

    async def end(self) -> Discovered:
        for task in self._pending:
            task.cancel()
        await asyncio.gather(*self._pending, return_exceptions=True)
        self._pending.clear()
        if not self.discovery.done:
            self.discovery.stop()
        return self.discovery.result()

    async def _reply(self, request: Request) -> Reply:
        ask = FetchRequest(
            request.url,
            Purpose.DISCOVERY,
            headers=request.headers,
            max_bytes=_PAGE_BYTES,
            cut=True,
            max_redirects=request.max_redirects,
            timeout_s=15.0,
        )
        try:
            fetched = await self.fetcher.fetch(ask)
            if not (fetched.is_cut and begins_like_feed(fetched.body)):
                return await self._read(fetched)
            del fetched
            async with self.large:
                whole = structs.replace(ask, max_bytes=MAX_BODY_BYTES, cut=False)
                reply = (await self._read(await self.fetcher.fetch(whole))).kept
        except FetchError as error:
            return Reply(error=_bare(error))
        if reply.fetched is None:
            return reply
        # It was asked twice.
        fetched = structs.replace(reply.fetched, hops=reply.fetched.hops + 1)
        return replace(reply, fetched=fetched)

    async def _read(self, fetched: FetchResponse) -> Reply:
        try:
            parsed = await parse_beside(self.parser, fetched, self.clock.now())
        except ParseError as error:
            return Reply(fetched, error=_bare(error))
        return Reply(fetched, parsed).kept


def _bare(error: FeedloomError) -> FeedloomError:
    """Return an error that holds none of the bodies it was raised over."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


@dataclass(frozen=True, slots=True)
class Discoverer:
    fetcher: Fetcher
    parser: Parser
    clock: Clock
    sites: SiteStore
    tasks: TaskQueue
    rsshub: str = ""
    limit: SearchLimit = field(default_factory=SearchLimit)
    """One for all discoverers of a process."""
    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def search(self, text: str) -> Search:
        """Start a search; raise ``BadAddress`` when there is no address in the text."""
        discovery = Discovery(read_input(text), now=self.clock.now(), hub=self.rsshub or None)
        return Search(discovery, self.fetcher, self.parser, self.clock, self.limit.large)

    async def discover(self, text: str, *, user_id: int | None = None) -> Discovered:
        """Search to the end and store; a search of a person's may be ``Throttled``."""
        with ExitStack() as slot:
            if user_id is not None:
                slot.enter_context(self.limit.search_of(user_id))
            search = self.search(text)
            try:
                await search.go_on(TOTAL_S)
            finally:
                found = await search.end()
        await self.sites.save(found)
        return found

    async def ask(
        self, text: str, *, user_id: int, payload: Mapping[str, object]
    ) -> Discovered | int:
        """Answer within ``limit.answer_s``: what was found, or the task that goes on.

        ``payload`` travels with the task, for whoever acts on its result. Raises
        ``Throttled`` when too many searches are under way.
        """
        with ExitStack() as slot:
            slot.enter_context(self.limit.search_of(user_id))
            search = self.search(text)
            is_done = await search.go_on(self.limit.answer_s)
            if is_done or search.discovery.is_settled:
                found = await search.end()
                await self.sites.save(found)
                return found
            task = await self.tasks.add_claimed(
                NewTask(TaskKind.DISCOVER, {"text": text, **payload}, user_id=user_id)
            )
            running = asyncio.create_task(self._finish(search, task, slot.pop_all()))
            self._running.add(running)
            running.add_done_callback(self._running.discard)
            return task.id

    async def _finish(self, search: Search, task: Task, slot: ExitStack) -> None:
        with slot:
            try:
                await search.go_on(TOTAL_S - self.limit.answer_s)
            finally:
                found = await search.end()
        await self.sites.save(found)
        await self.tasks.hand_over(task, {"discovered": as_result(found)})

    async def run(self, task: Task) -> Mapping[str, object]:
        progress = task.progress or {}
        if "discovered" in progress:
            return progress
        try:
            found = await self.discover(str(task.payload["text"]))
        except BadAddress as error:
            return {"error": str(error)}
        return {"discovered": as_result(found)}


def as_result(found: Discovered) -> dict[str, object]:
    return {
        "site": {
            "input_url": found.site.input_url,
            "url": found.site.canonical_url,
            "domain": found.site.domain,
            "title": found.site.title,
        },
        "canonical": found.canonical.url if found.canonical else None,
        "ending": found.ending.value,
        "requests": found.requests,
        "complete": found.complete,
        "candidates": [
            {
                "url": one.url,
                "from": one.origin.value,
                "score": one.score,
                "reasons": dict(one.reasons),
                "valid": one.valid,
                "error": one.error,
                "title": one.title,
                "format": one.format,
                "newest": _newest(one),
            }
            for one in found.candidates
        ],
        "tried": [{"url": one.url, "outcome": one.outcome} for one in found.tried],
    }


def _newest(one: ScoredCandidate) -> dict[str, str | None] | None:
    if not one.sample:
        return None
    title, url, at = one.sample[0]
    return {"title": title, "url": url, "at": at.isoformat() if at else None}


def require_found(found: Discovered) -> str:
    """Return the canonical feed's address; raise ``NoFeed`` when there is none."""
    if found.canonical is None:
        raise NoFeed(found)
    return found.canonical.url
