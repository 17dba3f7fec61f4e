"""Documents that take guessing are read in a child process, which nothing can harm."""

import asyncio
from collections.abc import AsyncIterator

import psutil
import pytest

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import Format
from feedloom.parse import FeedParser
from tests.corpus.feeds import NOW, URL
from tests.corpus.feeds.pieces import item, rss

DOUBTFUL = rss(item("<title>Another</title>", description="<p>One<br>two")).encode()


@pytest.fixture
async def parser() -> AsyncIterator[FeedParser]:
    made = FeedParser()
    yield made
    await made.close()


async def title(parser: FeedParser, body: bytes = DOUBTFUL) -> str:
    found = await parser.guess(body, url=URL, now=NOW)
    return found.entries[0].title


def children() -> list[psutil.Process]:
    mine = psutil.Process().children(recursive=True)
    return [p for p in mine if "feedloom.parse.child" in words(p)]


def words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


async def test_a_doubtful_document_is_read_and_marked_as_slow(parser: FeedParser):
    assert children() == []
    assert parser.parse_at_once(DOUBTFUL, url=URL, now=NOW) is None
    assert children() == []

    found = await parser.guess(DOUBTFUL, url=URL, now=NOW)

    assert found.format is Format.RSS
    assert found.title == "The feed"
    assert found.entries[0].guid == "https://example.org/1"
    assert not found.fast


async def test_one_process_reads_many_documents(parser: FeedParser):
    bodies = [DOUBTFUL.replace(b"A title", f"T{n}".encode()) for n in range(12)]
    found = await asyncio.gather(*(title(parser, body) for body in bodies))

    assert found == [f"T{n}" for n in range(12)]
    assert len(children()) == 1


async def test_a_document_that_is_no_feed_is_told_apart_from_a_damaged_one(parser: FeedParser):
    with pytest.raises(NotAFeed) as other:
        await title(parser, b"<note><to>x</to></note>")
    with pytest.raises(ParseError) as damaged:
        await title(parser, b"<rss><channel></rss>")

    assert other.value.kind == "xml"
    assert not isinstance(damaged.value, NotAFeed)


@pytest.mark.threat("P8", "P13")
async def test_a_process_that_takes_too_long_is_killed_and_replaced(parser: FeedParser):
    await title(parser)
    [stuck] = children()
    stuck.suspend()
    parser._children._deadline_s = 0.2

    with pytest.raises(ParseError, match="too complicated"):
        await title(parser)

    parser._children._deadline_s = 5
    assert not stuck.is_running()
    assert await title(parser) == "A title"


async def test_a_process_that_died_while_idle_costs_no_document(parser: FeedParser):
    await title(parser)
    [victim] = children()
    victim.kill()
    victim.wait()

    assert await title(parser) == "A title"


@pytest.mark.threat("P13")
async def test_a_process_without_memory_is_replaced():
    parser = FeedParser(memory_bytes=80 * 1024 * 1024)
    large = rss(item("<title>Another</title>", description="&lt;b>x&amp;amp;" * 140_000))
    with pytest.raises(ParseError, match="too complicated"):
        await title(parser, large.encode())

    assert await title(parser) == "A title"
    await parser.close()


async def test_a_process_that_cannot_even_start_is_a_failure_not_a_hang():
    parser = FeedParser(memory_bytes=1024)

    with pytest.raises(ParseError):
        await title(parser)


async def test_closing_ends_the_process():
    parser = FeedParser()
    await title(parser)
    await parser.close()
    await parser.close()

    assert children() == []


async def test_a_process_that_nobody_needs_ends(parser: FeedParser, monkeypatch):
    monkeypatch.setattr("feedloom.processes.pool._IDLE_S", 0.05)
    await title(parser)
    async with asyncio.timeout(30):
        while children():  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.02)

    assert await title(parser) == "A title"


@pytest.mark.threat("P13")
async def test_a_child_has_no_secrets_little_memory_and_can_write_no_file(
    parser: FeedParser, monkeypatch
):
    monkeypatch.setenv("FEEDLOOM_SECRET_KEY", "do not tell")
    await title(parser)
    [child] = children()

    assert set(child.environ()) == {"PYTHONPATH", "PYTHONUTF8"}
    assert child.rlimit(psutil.RLIMIT_AS)[0] == 256 * 1024 * 1024
    assert child.rlimit(psutil.RLIMIT_FSIZE)[0] == 0
    assert child.rlimit(psutil.RLIMIT_CORE)[0] == 0


async def test_what_was_cut_before_guessing_is_marked_as_truncated(parser: FeedParser):
    many = "".join(f"<item><guid>g{n}</guid><br></item>" for n in range(3000))
    found = await parser.guess(rss(many).encode(), url=URL, now=NOW)

    assert found.truncated
    assert len(found.listed_guids) == 2000


async def test_as_many_entries_are_kept_as_wanted(parser: FeedParser):
    many = rss("".join(f"<item><guid>g{n}</guid><br></item>" for n in range(80))).encode()
    usual = await parser.guess(many, url=URL, now=NOW)
    more = await parser.guess(many, url=URL, now=NOW, most=70)

    assert (len(usual.entries), len(more.entries)) == (50, 70)
    assert more.truncated
