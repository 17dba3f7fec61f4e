import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest
import uvloop

from feedloom.fetch import AllowList, HTTPFetcher
from tests.journeys.fetch.wires import RecordingWire
from tests.lines import TidyLoop
from tests.publisher import Publisher

LoopFactory = Callable[[], asyncio.AbstractEventLoop]

LOOPBACK = AllowList.parse("127.0.0.0/8, ::1")
AGENT = "Feedloom/test (+https://feedloom.example)"


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict[str, LoopFactory]:
    """Run on both loops, as what a broken wire looks like differs between them."""
    loops: dict[str, LoopFactory] = {"asyncio": TidyLoop}
    if item.path.name != "test_canary.py":  # decided before a wire exists
        loops["uvloop"] = uvloop.new_event_loop
    return loops


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    async with Publisher() as made:
        yield made


@pytest.fixture
async def fetcher() -> AsyncIterator[HTTPFetcher]:
    """A client that may reach loopback."""
    made = HTTPFetcher(AGENT, allow_networks=LOOPBACK)
    yield made
    await made.close()


@pytest.fixture
def wire(publisher: Publisher) -> RecordingWire:
    return RecordingWire(publisher)


@pytest.fixture
async def guarded(wire: RecordingWire) -> AsyncIterator[HTTPFetcher]:
    """A client as in production: everything closed that is not public."""
    made = HTTPFetcher(AGENT, wire=wire.wire)
    yield made
    await made.close()


@dataclass
class SlowRoom:
    """Memory that is there a moment later."""

    delay_s: float = 0.2
    taken: list[int] = field(default_factory=list)

    def take(self, size: int) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        granted = loop.create_future()
        self.taken.append(size)
        loop.call_later(self.delay_s, granted.set_result, None)
        return granted


async def until(holds: Callable[[], bool], within_s: float = 5.0) -> bool:
    """Wait until something holds; tell whether it came to."""
    for _ in range(int(within_s * 100)):
        if holds():
            return True
        await asyncio.sleep(0.01)
    return holds()
