"""Discovery joined to the world: the engine asks, this fetches, parses and stores.

One search has 30 seconds. Whoever waits for it gets an answer within five: what is not
known by then goes on in the background as a task of its own, which another process
takes over should this one end.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from feedloom.discover import Discovery, Purpose, Reply, Request, read_input
from feedloom.flow.refreshing.understanding import parse_beside
from feedloom.model.errors import BadAddress, FetchError, InvalidInput, ParseError
from feedloom.model.ports import Clock, Fetcher, Parser, SiteStore, TaskQueue
from feedloom.model.stages import (
    Ask,
    Discovered,
    Ending,
    ScoredCandidate,
    Sink,
)
from feedloom.model.work import NewTask, Task, TaskKind

TOTAL_S = 30.0
ANSWER_S = 5.0
_PAGE_BYTES = 4_000_000
_LARGE = 32_000


class NoFeed(InvalidInput):
    """Nothing was found; ``discovered`` says what was tried."""

    key = "no_feed"
    default = "No feed was found there."

    def __init__(self, discovered: Discovered) -> None:
        super().__init__(SENTENCES[discovered.ending], field="url")
        self.discovered = discovered


SENTENCES = {
    Ending.FOUND: "",
    Ending.NO_FEED: "No feed was found there. Paste the feed's own address if you know it.",
    Ending.NOT_FOUND: "That page does not exist. Check the address.",
    Ending.UNREACHABLE: "That site could not be reached. Check the address or try later.",
    Ending.BLOCKED_ADDRESS: (
        "This address is not on the public internet, so it is not fetched."
    ),
}
"""What a person is told, by how a search ended."""


@dataclass(slots=True)
class Search:
    """One discovery under way; it can be waited for in several goes."""

    discovery: Discovery
    fetcher: Fetcher
    parser: Parser
    clock: Clock
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
            for task in done:
                await self._answer(self._pending.pop(task), task.result())
            if not done:
                return False

    async def _answer(self, url: str, reply: Reply) -> None:
        """Let the engine read an answer; a large page takes it a while."""
        if reply.fetched is None or len(reply.fetched.body) < _LARGE:
            self.discovery.answer(url, reply)
        else:
            await asyncio.to_thread(self.discovery.answer, url, reply)

    async def end(self) -> Discovered:
        """Stop what is under way; what is known stays known."""
        for task in self._pending:
            task.cancel()
        await asyncio.gather(*self._pending, return_exceptions=True)
        self._pending.clear()
        if not self.discovery.done:
            self.discovery.stop()
        return self.discovery.result()

    async def _reply(self, request: Request) -> Reply:
        is_page = request.purpose is Purpose.PAGE
        ask = Ask(
            request.url,
            Sink.DISCOVERY,
            max_bytes=_PAGE_BYTES if is_page else 10_000_000,
            max_redirects=request.max_redirects,
            timeout_s=15.0,
        )
        try:
            fetched = await self.fetcher.fetch(ask)
        except FetchError as error:
            return Reply(error=error)
        try:
            return Reply(
                fetched, await parse_beside(self.parser, fetched, self.clock.now())
            )
        except ParseError as error:
            return Reply(fetched, error=error)


@dataclass(frozen=True, slots=True)
class Discoverer:
    """Finds feeds behind anything a person pastes."""

    fetcher: Fetcher
    parser: Parser
    clock: Clock
    sites: SiteStore
    tasks: TaskQueue
    rsshub: str = ""
    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def search(self, text: str) -> Search:
        """Start a search; raise ``BadAddress`` when there is no address in the text."""
        discovery = Discovery(
            read_input(text), now=self.clock.now(), hub=self.rsshub or None
        )
        return Search(discovery, self.fetcher, self.parser, self.clock)

    async def discover(self, text: str, *, seconds: float = TOTAL_S) -> Discovered:
        """Search to the end, store and return what was found."""
        search = self.search(text)
        try:
            await search.go_on(seconds)
        finally:
            found = await search.end()
        await self.sites.save(found)
        return found

    async def ask(
        self, text: str, *, user_id: int | None, payload: Mapping[str, object]
    ) -> Discovered | int:
        """Answer within five seconds: what was found, or the task that goes on.

        ``payload`` travels with the task, for whoever acts on its result.
        """
        search = self.search(text)
        is_done = await search.go_on(ANSWER_S)
        if is_done or search.discovery.is_settled:
            found = await search.end()
            await self.sites.save(found)
            return found
        task = await self.tasks.add_claimed(
            NewTask(TaskKind.DISCOVER, {"text": text, **payload}, user_id=user_id)
        )
        running = asyncio.create_task(self._finish(search, task))
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        return task.id

    async def _finish(self, search: Search, task: Task) -> None:
        try:
            await search.go_on(TOTAL_S - ANSWER_S)
        finally:
            found = await search.end()
        await self.sites.save(found)
        await self.tasks.hand_over(task, {"discovered": as_result(found)})

    async def run(self, task: Task) -> Mapping[str, object]:
        """Do a ``discover`` task that was left behind."""
        progress = task.progress or {}
        if "discovered" in progress:
            return progress
        try:
            found = await self.discover(str(task.payload["text"]))
        except BadAddress as error:
            return {"error": str(error)}
        return {"discovered": as_result(found)}


def as_result(found: Discovered) -> dict[str, object]:
    """Put a discovery into the plain form programs are told it in."""
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
