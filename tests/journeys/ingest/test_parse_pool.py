"""Documents that come in a row: child processes help, and may end at any time."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import cast

import psutil
import pytest
import uvloop

from feedloom.flow.refresh.documents import MakeParser, Understood
from feedloom.flow.refresh.parse_pool import ParsePool
from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import ParsedEntry, ParsedFeed
from feedloom.model.stages import FetchResponse, Known
from feedloom.parse import FeedParser
from tests.factories_feeds import entries, rss
from tests.fakes import START

NOTHING = Known({}, frozenset())
PATIENCE_S = 30
LAST = 19
"""This one has no entries."""


class Row:
    """Documents that come without a pause."""

    def __init__(self, make_parser: MakeParser = FeedParser) -> None:
        self.parser = FeedParser()
        self.pool = ParsePool(self.parser, make_parser, processes=1)
        self.strangers = set(psutil.Process().children(recursive=True))

    async def come(self, number: int) -> list[Understood]:
        return await asyncio.gather(*(self.one(n) for n in range(number)))

    async def one(self, number: int) -> Understood:
        url = f"https://{number}.example/feed"
        listed = entries(0 if number == LAST else 3)
        body = rss(title=f"Feed {number}", link=url, entries=listed)
        return await self.pool(
            FetchResponse(url, 200, {"content-type": "application/rss+xml"}, body), NOTHING, START
        )

    def go_on(self) -> None:
        """Let documents come as if there had been no pause."""
        self.pool._in_a_row = self.pool._inside = 100

    def children(self) -> list[psutil.Process]:
        """Return processes that came since."""
        found = psutil.Process().children(recursive=True)
        return [p for p in found if p not in self.strangers and "refresh.documents" in _words(p)]

    async def close(self) -> None:
        await self.pool.close()
        await self.parser.close()


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.fixture
async def row() -> AsyncIterator[Row]:
    made = Row()
    yield made
    await made.close()


def document(body: bytes) -> FetchResponse:
    return FetchResponse("https://a.example/feed", 200, {}, body)


def titles(found: list[Understood]) -> list[tuple[str, int]]:
    return [(parsed.title, len(articles)) for parsed, articles in found]


def in_short(parsed: ParsedFeed) -> ParsedFeed:
    kept = ("guid", "url", "title", "published_at")
    short = (
        ParsedEntry(**{name: getattr(entry, name) for name in kept}) for entry in parsed.entries
    )
    return replace(parsed, entries=tuple(short))


WANTED = [*((f"Feed {n}", 3) for n in range(LAST)), (f"Feed {LAST}", 0)]


async def test_a_few_documents_start_no_process(row: Row):
    assert titles(await row.come(5)) == WANTED[:5]
    assert row.children() == []


@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_a_child_reads_what_we_read(runner):
    async def main() -> tuple[list[Understood], list[Understood]]:
        row = Row()
        here = [await row.one(n) for n in range(5)]
        row.go_on()
        there = [await row.one(n) for n in range(5)]
        assert len(row.children()) == 1
        await row.close()
        assert row.children() == []
        return here, there

    here, there = runner(main())

    # Of entries those parts come back that somebody asks for.
    assert there == [(in_short(parsed), articles) for parsed, articles in here]
    assert there != here


async def test_while_many_wait_for_a_child_others_are_read_here():
    row = Row(cast("MakeParser", signal.pause))

    coming = [asyncio.create_task(row.one(0)) for _ in range(40)]
    row.go_on()
    await asyncio.sleep(0.5)
    waiting = row.pool._waiting
    [child] = row.children()
    child.kill()

    assert titles(await asyncio.gather(*coming)) == [WANTED[0]] * 40
    assert waiting == 16
    await row.close()


async def test_a_child_that_is_killed_loses_no_document(row: Row):
    await row.come(20)
    [child] = row.children()
    child.send_signal(signal.SIGSTOP)

    row.go_on()
    coming = asyncio.create_task(row.come(20))
    await asyncio.sleep(0.1)
    child.kill()

    assert titles(await coming) == WANTED
    assert titles(await row.come(20)) == WANTED


async def test_a_child_tells_what_is_wrong_with_a_document(row: Row):
    page = b"<!doctype html><html><title>x</title><p>text</p></html>"
    half = b'{"version": "https://jsonfeed.org/version/1.1", "items": ['

    row.go_on()
    with pytest.raises(NotAFeed) as refused:
        await row.pool(document(page), NOTHING, START)
    with pytest.raises(ParseError, match="damaged JSON"):
        await row.pool(document(half), NOTHING, START)

    assert len(row.children()) == 1
    assert refused.value.kind == "html"


async def test_what_takes_guessing_is_read_after_all(row: Row):
    whole = rss(title="Broken", link="https://a.example/", entries=entries(2))
    broken = document(whole.replace(b"</channel>", b""))

    row.go_on()
    parsed, articles = await row.pool(broken, NOTHING, START)

    assert len(row.children()) == 1
    assert (parsed.title, parsed.fast, len(articles)) == ("Broken", False, 2)


LIES = {
    "no document": b"\x00" * 7 + b"\x01\xc1",
    "another document": b"\x00" * 7 + b"\x02\x91\x05",
    "more than anybody sends": b"\xff" * 8,
    "an answer to nothing": (b"\x00" * 7 + b"\x01\xc1") * 50,
}


@pytest.mark.threat("P13")
@pytest.mark.parametrize("lie", LIES)
async def test_a_child_that_lies_costs_no_document(row: Row, monkeypatch, lie: str):
    script = (
        f"import os, time; os.read(0, 1); os.write(1, {LIES[lie]!r}); os.read(0, 10**9);"
        " time.sleep(99)"
    )
    monkeypatch.setattr(
        "feedloom.processes.pool.command",
        lambda *_: [sys.executable, "-c", script, "refresh.documents"],
    )

    row.go_on()
    async with asyncio.timeout(PATIENCE_S):
        found = titles(await row.come(20))

    assert found == WANTED


async def test_children_that_cannot_come_up_cost_no_document():
    row = Row(cast("MakeParser", os.abort))

    for _ in range(3):
        assert titles(await row.come(20)) == WANTED

    assert row.children() == []
    await row.close()


async def test_where_no_process_can_be_had_documents_are_read_here(row: Row, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)

    assert titles(await row.come(20)) == WANTED
    assert row.children() == []


async def test_a_child_knows_nothing_of_our_environment(row: Row, monkeypatch):
    monkeypatch.setenv("FEEDLOOM_SECRET_KEY", "do not tell")
    await row.come(20)

    [child] = row.children()

    assert set(child.environ()) == {"PYTHONPATH", "PYTHONUTF8"}


def test_a_child_ends_with_whoever_started_it():
    script = (
        "import asyncio, msgspec, psutil\n"
        "class Nothing(msgspec.Struct): pass\n"
        "from feedloom.processes.pool import ProcessPool\n"
        "async def main():\n"
        "    pool = ProcessPool('feedloom.parse.child', '900000000', size=1, deadline_s=60)\n"
        "    asyncio.create_task(pool.ask(Nothing(), bytes))\n"
        "    while not psutil.Process().children(): await asyncio.sleep(0.01)\n"
        "    print(psutil.Process().children()[0].pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as it:
        assert it.stdout is not None
        child = psutil.Process(int(it.stdout.readline()))
        it.kill()

    gone, _ = psutil.wait_procs([child], PATIENCE_S)
    assert gone == [child]
