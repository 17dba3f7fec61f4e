"""Documents that come in a row: another process helps, and may end at any time."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import psutil
import pytest

from feedloom.flow.refreshing.helping import Understood
from feedloom.flow.refreshing.understanding import Understanding
from feedloom.model.feed import ParsedEntry, ParsedFeed
from feedloom.model.stages import Fetched, Known
from feedloom.parse import FeedParser
from tests.factories_feeds import entries, rss
from tests.fakes import START

NOTHING = Known({}, frozenset())
PATIENCE_S = 30
LAST = 19
"""This one has no entries."""


class Row:
    """Documents that come without a pause."""

    def __init__(self) -> None:
        self.parser = FeedParser()
        self.understanding = Understanding(self.parser, FeedParser, processes=1)
        self.strangers = set(psutil.Process().children(recursive=True))

    async def come(self, number: int) -> list[Understood]:
        return await asyncio.gather(*(self._one(n) for n in range(number)))

    async def _one(self, number: int) -> Understood:
        url = f"https://{number}.example/feed"
        listed = entries(0 if number == LAST else 3)
        body = rss(title=f"Feed {number}", link=url, entries=listed)
        answer = Fetched(url, 200, {"content-type": "application/rss+xml"}, body)
        return await self.understanding(answer, NOTHING, START)

    def helpers(self) -> list[psutil.Process]:
        """Return processes that came since."""
        found = psutil.Process().children(recursive=True)
        return [
            p for p in found if p not in self.strangers and "spawn_main" in _words(p)
        ]

    async def until_helped(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while self.understanding._helper() is None:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.fixture
async def row() -> AsyncIterator[Row]:
    made = Row()
    yield made
    made.understanding.close()
    made.parser.close()


def titles(found: list[Understood]) -> list[tuple[str, int]]:
    return [(parsed.title, len(articles)) for parsed, articles in found]


def in_short(parsed: ParsedFeed) -> ParsedFeed:
    kept = ("guid", "url", "title", "published_at")
    short = (
        ParsedEntry(**{name: getattr(entry, name) for name in kept})
        for entry in parsed.entries
    )
    return replace(parsed, entries=tuple(short))


WANTED = [*((f"Feed {n}", 3) for n in range(LAST)), (f"Feed {LAST}", 0)]


def never() -> FeedParser:
    """Keep a helper from ever coming up."""
    time.sleep(PATIENCE_S)
    raise AssertionError


async def test_nobody_waits_for_a_helper_to_come_up(row: Row):
    row.understanding.make_parser = never

    async with asyncio.timeout(PATIENCE_S / 2):
        found = titles(await row.come(20))

    [helper] = row.helpers()
    assert row.understanding._helper() is None
    helper.kill()
    assert found == WANTED


async def test_a_helper_reads_what_we_read(row: Row):
    here = await row.come(20)
    await row.until_helped()

    there = await row.come(20)

    wanted = [(in_short(parsed), articles) for parsed, articles in here]
    assert [(in_short(parsed), articles) for parsed, articles in there] == wanted
    # The last ones come in a row with the others: they were not read here.
    assert there[-5:] == wanted[-5:]


async def test_a_helper_that_is_killed_loses_no_document(row: Row):
    await row.come(20)
    await row.until_helped()
    [helper] = row.helpers()
    helper.send_signal(signal.SIGSTOP)

    coming = asyncio.create_task(row.come(20))
    await asyncio.sleep(0.1)
    helper.kill()

    assert titles(await coming) == WANTED
    assert titles(await row.come(20)) == WANTED


async def test_where_no_process_can_be_had_we_do_without(row: Row, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(
        "feedloom.flow.refreshing.understanding.ProcessPoolExecutor.submit", refuse
    )

    assert titles(await row.come(20)) == WANTED
    assert row.understanding.processes == 0
    assert row.helpers() == []


async def test_a_helper_nobody_needs_ends(row: Row, monkeypatch):
    monkeypatch.setattr("feedloom.flow.refreshing.understanding._IDLE_S", 0.05)
    await row.come(20)
    assert len(row.helpers()) == 1

    async with asyncio.timeout(PATIENCE_S):
        while row.helpers():  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.05)

    assert titles(await row.come(3)) == WANTED[:3]
