"""The watchdog: whatever a document is like, the event loop goes on meanwhile."""

import asyncio
import contextlib
import gc
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import cast

import pytest

from feedloom.discover import Discovery, read_input
from feedloom.flow.discovery.search import Search
from feedloom.flow.pictures import Favicons
from feedloom.flow.reader.bookmarks import BookmarkFiles
from feedloom.flow.refresh.parse_pool import ParsePool
from feedloom.model.bookmarks import WantedBookmarks
from feedloom.model.distilled.documents import ImportedPage
from feedloom.model.errors import InvalidInput
from feedloom.model.stages import FetchRequest, FetchResponse, Known
from feedloom.parse import FeedParser
from feedloom.processes import tune_interpreter
from feedloom.store import BookmarkStore, IconStore
from tests.fakes import START, FixedClock

pytestmark = pytest.mark.threat("W2")

MOST_S = 0.15
NOTHING = Known({}, frozenset())
Work = Callable[[], Awaitable[object]]


TRIES = 4


async def longest_stop(work: Work) -> float:
    """Return how long this process kept its own loop from turning.

    A stop counts for as long as both clocks ran: the one on the wall, and the CPU time
    of all our threads, since another thread may hold the interpreter. Other programs on
    a busy machine stop us too, but not at every try.
    """
    return min([await _longest_stop(work) for _ in range(TRIES)])


async def _longest_stop(work: Work) -> float:
    longest, before = 0.0, (time.perf_counter(), time.process_time())

    async def tick() -> None:
        nonlocal longest, before
        while True:
            await asyncio.sleep(0.002)
            now = time.perf_counter(), time.process_time()
            longest = max(longest, min(now[0] - before[0], now[1] - before[1]))
            before = now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.01)
    await work()
    await asyncio.sleep(0.01)
    ticking.cancel()
    return longest


@pytest.fixture(autouse=True)
def settled() -> Iterator[None]:
    """Set Python as the program does; else looks for cycles pass over all of the tests."""
    before = gc.get_threshold(), sys.getswitchinterval()
    tune_interpreter()
    yield
    # What is frozen stays it: else the tests that follow look through all of the suite.
    gc.set_threshold(*before[0])
    sys.setswitchinterval(before[1])


@pytest.fixture
async def parser() -> AsyncIterator[FeedParser]:
    made = FeedParser()
    yield made
    await made.close()


def rss(count: int, content: str) -> bytes:
    items = "".join(
        f"<item><guid>{n}</guid><title>t{n}</title><link>https://a.example/{n}</link>"
        f"<description><![CDATA[{content}]]></description></item>"
        for n in range(count)
    )
    return f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>".encode()


def answer(body: bytes, kind: str = "application/rss+xml") -> FetchResponse:
    return FetchResponse("https://a.example/feed", 200, {"content-type": kind}, body)


DOCUMENTS = {
    "fifty long articles": rss(50, "<p>word <b>bold</b> <a href='/x'>y</a></p>" * 800),
    "many small articles": rss(50, "<p>word <b>bold</b> <a href='/x'>y</a></p>" * 11),
    "one open tag after another": rss(1, "<div><b>" * 15_000),
    "a few open tags": rss(1, "<div><b>" * 3_900),
    "one article like a book": rss(1, f"<p>{'word ' * 20}<b>bold</b></p>" * 12_000),
    "one table like a ledger": rss(1, "<table>" + "<tr><td>1<td>2" * 15_000),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", DOCUMENTS)
async def test_reading_and_cleaning_a_document_never_stops_the_loop(name: str, parser: FeedParser):
    understanding = ParsePool(parser, FeedParser, processes=0)

    async def work() -> None:
        await asyncio.gather(
            understanding(answer(DOCUMENTS[name]), NOTHING, START), return_exceptions=True
        )

    assert await longest_stop(work) < MOST_S


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [100, 1_900_000])
async def test_a_document_that_takes_guessing_never_stops_the_loop(size: int, parser: FeedParser):
    understanding = ParsePool(parser, FeedParser, processes=0)
    broken = b"<rss><channel><title>a & b</title><item><title>c" + b"d" * size + b"</item>"

    async def work() -> None:
        parsed, _ = await understanding(answer(broken), NOTHING, START)
        assert not parsed.fast

    assert await longest_stop(work) < MOST_S


class Pages:
    """A ``Fetcher`` that has one page, whatever is asked."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        return FetchResponse(ask.url, 200, {"content-type": "text/html"}, self.body)

    async def close(self) -> None:
        """Nothing is open."""


PAGE = (
    b"<html><head><title>x</title></head><body>"
    + b"<p>text <a href='/blog/a'>a link</a> <span class='x'>more</span></p>" * 30_000
)


@pytest.mark.threat("P14")
async def test_discovery_reads_a_large_page_beside_the_loop(parser: FeedParser):
    async def work() -> None:
        discovery = Discovery(read_input("https://a.example/"), now=START, budget=2)
        search = Search(discovery, Pages(PAGE), parser, FixedClock())
        await search.go_on(20)
        await search.end()

    assert await longest_stop(work) < MOST_S


async def test_looking_for_an_icon_reads_a_large_page_beside_the_loop():
    favicons = Favicons(Pages(PAGE), cast("IconStore", None))

    async def work() -> None:
        assert await favicons.find("https://a.example/") is None

    assert await longest_stop(work) < MOST_S


class Keeping:
    """The part of a ``BookmarkStore`` that takes what was read."""

    async def count(self, _user_id: int, _wanted: WantedBookmarks) -> int:
        return 0

    async def add_many(self, _user_id: int, pages: Sequence[ImportedPage]) -> int:
        return len(pages)


BOOKMARKS = {
    "many bookmarks": b"".join(
        b'<DT><A HREF="https://a.example/%d" TAGS="x,y">t</A>\n' % n for n in range(20_000)
    ),
    "one tag after another": b"<a>" * 700_000,
    "no tag at all": b"x" * 25_000_000,
    "an open tag": b"<a " + b"a" * 25_000_000,
    "one long name": b"<a " + b"a" * 1_000_000 + b">",
    "one long text": b"<a href='https://a.example/'>" + b"&amp;<b>" * 300_000,
    "brackets only": b"<" * 5_000_000,
}


@pytest.mark.sampled(2)
@pytest.mark.threat("P8")
@pytest.mark.parametrize("name", BOOKMARKS)
async def test_bringing_bookmarks_never_stops_the_loop(name: str):
    files = BookmarkFiles(cast("BookmarkStore", Keeping()))

    async def work() -> None:
        with contextlib.suppress(InvalidInput):
            await files.bring(1, BOOKMARKS[name])

    assert await longest_stop(work) < MOST_S
