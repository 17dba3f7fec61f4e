"""Documents that come in a row: another process helps, and may end at any time."""

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
from msgspec import structs

from feedloom.flow.refresh.parse_client import Helper
from feedloom.flow.refresh.parse_pool import ParsePool
from feedloom.flow.refresh.parse_worker import MakeParser, Understood
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

    def __init__(self) -> None:
        self.parser = FeedParser()
        self.understanding = ParsePool(self.parser, FeedParser, processes=1)
        self.strangers = set(psutil.Process().children(recursive=True))

    async def come(self, number: int) -> list[Understood]:
        found = await asyncio.gather(*(self.one(n) for n in range(number)))
        return [one for one in found if one is not None]

    async def one(self, number: int, by: Helper | None = None) -> Understood | None:
        url = f"https://{number}.example/feed"
        listed = entries(0 if number == LAST else 3)
        body = rss(title=f"Feed {number}", link=url, entries=listed)
        answer = FetchResponse(url, 200, {"content-type": "application/rss+xml"}, body)
        read = self.understanding if by is None else by.read
        return await read(answer, NOTHING, START)

    def go_on(self) -> None:
        """Let documents come as if there had been no pause."""
        self.understanding._in_a_row = self.understanding._inside = 100

    def helpers(self) -> list[psutil.Process]:
        """Return processes that came since."""
        found = psutil.Process().children(recursive=True)
        return [
            p
            for p in found
            if p not in self.strangers and "refresh.parse_worker" in _words(p)
        ]

    async def until_started(self) -> psutil.Process:
        async with asyncio.timeout(PATIENCE_S):
            while not (found := self.helpers()):  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)
        return found[0]

    async def helped(self) -> Helper:
        """Wait until a process is up."""
        async with asyncio.timeout(PATIENCE_S):
            while (found := self.understanding._helper()) is None:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)
        return found


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.fixture
async def row() -> AsyncIterator[Row]:
    made = Row()
    yield made
    await made.understanding.close()
    made.parser.close()


def document(body: bytes) -> FetchResponse:
    return FetchResponse("https://a.example/feed", 200, {}, body)


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


async def test_nobody_waits_for_a_helper_to_come_up(row: Row):
    row.understanding.make_parser = cast("MakeParser", signal.pause)

    async with asyncio.timeout(PATIENCE_S / 2):
        found = titles(await row.come(20))

    helper = await row.until_started()
    assert row.understanding._helper() is None
    helper.kill()
    assert found == WANTED


async def test_a_helper_reads_what_we_read(row: Row):
    here = await row.come(20)
    await row.helped()

    row.go_on()
    there = await row.come(20)

    # Of entries those parts come back that somebody asks for.
    assert there == [(in_short(parsed), articles) for parsed, articles in here]
    assert there != here


async def test_a_helper_that_is_killed_loses_no_document(row: Row):
    await row.helped()
    [helper] = row.helpers()
    helper.send_signal(signal.SIGSTOP)

    coming = asyncio.create_task(row.come(20))
    await asyncio.sleep(0.1)
    helper.kill()

    assert titles(await coming) == WANTED
    assert titles(await row.come(20)) == WANTED


async def test_a_helper_tells_what_is_wrong_with_a_document(row: Row):
    helper = await row.helped()
    page = b"<!doctype html><html><title>x</title><p>text</p></html>"
    half = b'{"version": "https://jsonfeed.org/version/1.1", "items": ['

    with pytest.raises(NotAFeed) as refused:
        await helper.read(document(page), NOTHING, START)
    with pytest.raises(ParseError, match="damaged JSON"):
        await helper.read(document(half), NOTHING, START)

    assert refused.value.kind == "html"


async def test_what_takes_guessing_is_read_after_all(row: Row):
    helper = await row.helped()
    whole = rss(title="Broken", link="https://a.example/", entries=entries(2))
    broken = document(whole.replace(b"</channel>", b""))

    there = await helper.read(broken, NOTHING, START)
    row.go_on()
    parsed, articles = await row.understanding(broken, NOTHING, START)

    assert there is None
    assert (parsed.title, parsed.fast, len(articles)) == ("Broken", False, 2)


async def test_while_many_wait_for_a_helper_one_is_read_here(row: Row):
    await row.helped()
    [helper] = row.helpers()
    helper.send_signal(signal.SIGSTOP)

    coming = asyncio.create_task(row.come(40))
    await asyncio.sleep(0.1)
    waiting = row.understanding._there
    helper.send_signal(signal.SIGCONT)

    assert len(await coming) == 40
    assert 16 <= waiting < 40


LIES = {
    "no document": b"\x00" * 7 + b"\x01\xc1",
    "another document": b"\x00" * 7 + b"\x02\x91\x05",
    "more than anybody sends": b"\xff" * 8,
    "an answer to nothing": (b"\x00" * 7 + b"\x01\x90") * 50,
}


@pytest.mark.threat("P13")
@pytest.mark.parametrize("lie", LIES)
async def test_a_helper_that_lies_is_ended(row: Row, monkeypatch, lie: str):
    script = (
        "import sys, os; os.write(1, b'\\0' * 8); os.read(0, 1);"
        f"os.write(1, {LIES[lie]!r}); os.read(0, 10**9); __import__('time').sleep(99)"
    )
    monkeypatch.setattr(
        "feedloom.flow.refresh.parse_client.command",
        lambda *_: [sys.executable, "-c", script, "refresh.parse_worker"],
    )
    helper = await row.helped()

    row.go_on()
    async with asyncio.timeout(PATIENCE_S):
        found = titles(await row.come(20))
        await helper.ended.wait()

    assert found == WANTED


@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_whoever_asks_as_a_helper_ends_reads_by_himself(runner):
    async def main() -> list[tuple[str, int]]:
        row = Row()
        helper = await row.helped()
        row.go_on()
        row.helpers()[0].kill()
        found = []
        while not helper.is_gone:
            await asyncio.sleep(0)
            if helper._requests.is_closing():
                # One turn of the loop before we are told of its end, if not later.
                found += await row.come(1)
        await row.understanding.close()
        row.parser.close()
        return titles(found)

    found = runner(main())

    assert found
    assert set(found) == {WANTED[0]}


async def test_what_cannot_be_sent_takes_nobody_elses_answer(row: Row):
    helper = await row.helped()
    odd = structs.replace(document(b"x"), url="https://a.example/\ud800")

    failed, found = await asyncio.gather(
        helper.read(odd, NOTHING, START), row.one(1, by=helper), return_exceptions=True
    )

    assert isinstance(failed, UnicodeEncodeError)
    assert isinstance(found, tuple)
    assert titles([found]) == [WANTED[1]]


async def test_a_helper_that_cannot_come_up_is_not_tried_again(row: Row):
    row.understanding.make_parser = cast("MakeParser", os.abort)

    await row.come(20)
    async with asyncio.timeout(PATIENCE_S):
        while row.understanding.processes:
            assert titles(await row.come(20)) == WANTED

    assert row.helpers() == []


async def test_a_helper_knows_nothing_of_our_environment(row: Row, monkeypatch):
    monkeypatch.setenv("FEEDLOOM_SECRET_KEY", "do not tell")
    await row.helped()

    [helper] = row.helpers()

    assert set(helper.environ()) == {"PYTHONPATH", "PYTHONUTF8"}


def test_a_helper_ends_with_whoever_started_it():
    script = (
        "import asyncio, feedloom.parse, feedloom.flow.refresh.parse_client as h\n"
        "async def main():\n"
        "    helper = await h.Helper.start(feedloom.parse.FeedParser)\n"
        "    while not helper.is_up: await asyncio.sleep(0.01)\n"
        "    print(helper._process.get_pid(), flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as it:
        assert it.stdout is not None
        helper = psutil.Process(int(it.stdout.readline()))
        it.kill()

    gone, _ = psutil.wait_procs([helper], PATIENCE_S)
    assert gone == [helper]


async def test_where_no_process_can_be_had_we_do_without(row: Row, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(asyncio.get_running_loop(), "subprocess_exec", refuse)

    assert titles(await row.come(20)) == WANTED
    assert row.understanding.processes == 0
    assert row.helpers() == []


async def test_a_helper_nobody_needs_ends(row: Row, monkeypatch):
    monkeypatch.setattr("feedloom.flow.refresh.parse_pool._IDLE_S", 0.5)
    await row.come(20)
    await row.until_started()

    async with asyncio.timeout(PATIENCE_S):
        while row.helpers():  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.05)

    assert titles(await row.come(3)) == WANTED[:3]
