"""How long a search may take, in a time that passes as soon as everybody waits for it."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from feedloom.flow.discovery.search import Discoverer
from feedloom.model.feed import ParsedFeed
from feedloom.model.stages import Discovered, Ending, FetchRequest, FetchResponse
from feedloom.model.work import NewTask, Task
from tests.fakes import FixedClock

T = TypeVar("T")


class _Leaping(selectors.SelectSelector):
    """Waits no time; says how much it should have been."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        self.passed_s += timeout or 0.0
        return super().select(0)


def leaping(work: Callable[[], Awaitable[T]]) -> T:
    """Run work in a loop whose clock leaps over all waiting."""
    selector = _Leaping()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.passed_s  # type: ignore[method-assign]  # the point

    async def run() -> T:
        return await work()

    try:
        return loop.run_until_complete(run())
    finally:
        loop.close()


class Silent:
    """A fetcher whose sites never answer."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.cancelled = 0

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asked.append(ask.url)
        try:
            await asyncio.sleep(100_000)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        raise AssertionError

    async def close(self) -> None:
        """Have nothing to close."""


class NoParser:
    """Has nothing to read."""

    def parse_at_once(self, *_: object) -> ParsedFeed:
        raise AssertionError

    guess = parse_at_once


@dataclass(slots=True)
class Notes:
    """Sites and tasks that are only written down, with when."""

    saved: list[tuple[float, Discovered]] = field(default_factory=list)
    handed: list[tuple[float, Mapping[str, object]]] = field(default_factory=list)
    is_handed: asyncio.Event = field(default_factory=asyncio.Event)

    async def save(self, found: Discovered, *, tenant_id: int | None = None) -> int:
        assert tenant_id is None
        self.saved.append((asyncio.get_running_loop().time(), found))
        return 1

    async def add_claimed(self, task: NewTask) -> Task:
        return Task(7, task.kind, task.payload, task.user_id, 1)

    async def hand_over(self, task: Task, progress: Mapping[str, object]) -> None:
        assert task.id == 7
        self.handed.append((asyncio.get_running_loop().time(), progress))
        self.is_handed.set()


def discoverer(fetcher: Silent, notes: Notes) -> Discoverer:
    # What the test does not use of these ports is not there.
    ports = cast("Any", notes)
    return Discoverer(fetcher, cast("Any", NoParser()), FixedClock(), sites=ports, tasks=ports)


def test_a_search_ends_after_thirty_seconds_with_what_is_known():
    fetcher, notes = Silent(), Notes()

    async def work() -> tuple[float, Discovered]:
        found = await discoverer(fetcher, notes).discover("https://a.example/")
        return asyncio.get_running_loop().time(), found

    took_s, found = leaping(work)

    assert 29.9 < took_s < 30.1
    assert found.ending is Ending.UNREACHABLE
    assert fetcher.cancelled == len(fetcher.asked) == found.requests > 0
    assert [one.url for one in found.tried] == fetcher.asked
    assert {one.outcome for one in found.tried} == {"No response."}
    assert [one for _, one in notes.saved] == [found]


def test_who_waits_is_answered_after_five_seconds_and_the_search_goes_on():
    fetcher, notes = Silent(), Notes()

    async def work() -> tuple[float, Discovered | int]:
        search = discoverer(fetcher, notes)
        answer = await search.ask("https://a.example/", user_id=1, payload={})
        answered_s = asyncio.get_running_loop().time()
        async with asyncio.timeout(60):
            await notes.is_handed.wait()
        return answered_s, answer

    answered_s, answer = leaping(work)

    assert answer == 7
    assert 4.9 < answered_s < 5.1
    [(handed_s, progress)] = notes.handed
    assert 29.9 < handed_s < 31
    assert "discovered" in progress
