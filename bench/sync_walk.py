"""First syncs of a large account: items per second and the server's peak memory.

A server process of its own for each walk, real HTTP on loopback, one client. Meanwhile
articles arrive and others are marked read; every item that was there at the start must
come, and come once, or the walk does not count.
"""

import asyncio
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp

from bench import sync_calls
from bench.tables import Table
from feedloom.app import Container, open_container
from feedloom.config import Settings
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Order, Wanted
from feedloom.model.stages import FeedToRefresh, Refreshed
from tests import postgres
from tests.databases import Databases, sqlite_databases
from tests.fakes import START
from tests.journeys.sync.walks import WALKS, Client
from tests.stores import Stores, article, refreshed

ROOT = Path(__file__).parents[1]
EMAIL = "reader@example.org"
EACH = 50
_SENTENCE = "The river carries more stones than the bridge was made for, they say. "
CONTENT = CleanHTML("".join(f"<p>{_SENTENCE * 5}</p>" for _ in range(6)))


def run(quick: bool) -> list[Table]:
    feeds = 100 if quick else 1_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = asyncio.run(_measure(sqlite_databases(folder), folder, feeds))
    with postgres.private_server() as server, tempfile.TemporaryDirectory() as name:
        databases = server.create_database("bench")
        tables += asyncio.run(_measure(databases, Path(name), feeds))
    return tables


async def _measure(databases: Databases, folder: Path, feeds: int) -> list[Table]:
    table = Table(
        f"first sync of {feeds} feeds, {feeds * EACH:,} articles of"
        f" {len(CONTENT) / 1000:.0f} kB, {databases.kind}",
        ("walk", "seconds", "items/s", "MB", "at rest MB", "peak MB", "complete"),
        note="Articles arrive and are marked read meanwhile. MB: bytes received.",
    )
    async with _container(databases, folder) as container:
        secret = await _fill(container, feeds)
    for name in WALKS:
        walked = await _walk(databases, folder, secret, name)
        table.add(
            name,
            walked.seconds,
            round(walked.items / walked.seconds),
            round(walked.size / 1e6),
            walked.at_rest,
            walked.peak,
            "yes" if walked.complete else "NO",
        )
    return [table, await _single(databases, folder, secret, feeds)]


async def _single(databases: Databases, folder: Path, secret: str, feeds: int) -> Table:
    table = Table(
        f"calls of a sync, {feeds} feeds, {feeds * EACH:,} articles, {databases.kind}",
        sync_calls.COLUMNS,
    )
    async with (
        _serving(databases, folder) as (url, pid),
        aiohttp.ClientSession(base_url=url) as session,
    ):
        sender = _Sender(session)
        await sync_calls.measure(Client(sender.send, EMAIL, secret), pid, table)
    return table


class _Sender:
    """Sends requests of one session and adds up what it receives."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self.size = 0

    async def send(
        self, method: str, target: str, *, headers: Mapping[str, str], body: bytes = b""
    ) -> bytes:
        asked = self._session.request(method, target, headers=headers, data=body or None)
        async with asked as reply:
            received = await reply.read()
        assert reply.status == 200, received[:500]
        self.size += len(received)
        return received


def _settings(databases: Databases, folder: Path) -> Settings:
    return Settings(
        data_dir=str(folder),
        database_url=databases.web_url,
        worker_database_url=databases.worker_url,
        host_delay=0.0,
    )


@asynccontextmanager
async def _container(databases: Databases, folder: Path) -> AsyncIterator[Container]:
    async with open_container(_settings(databases, folder)) as container:
        yield container


async def _fill(container: Container, feeds: int) -> str:
    """Give somebody many feeds with many articles; return their app password."""
    stores = Stores(container.web, container.work)
    user = await container.accounts.store.create(EMAIL, None)
    _, secret = await container.accounts.add_app_password(user, "bench")
    for number in range(feeds):
        folder = (f"Folder {number % 40}",) if number % 3 else ()
        folder_id = await stores.folders.ensure(user.id, folder)
        await stores.subscriptions.subscribe(user.id, _url(number), folder_id=folder_id)
    done = 0
    # A few at a time: a lease does not wait for a slow machine.
    while claimed := await stores.queue.claim(20):
        for feed in claimed:
            await stores.refreshes.store(_published(feed, container.clock.now()))
        done += len(claimed)
    assert done == feeds
    if container.work.kind == "postgresql":
        # As its autovacuum does within a minute.
        await stores.execute("ANALYZE")
    assert (await stores.reading.counts(user.id)).total == feeds * EACH
    return secret


def _published(feed: FeedToRefresh, at: datetime) -> Refreshed:
    made = [
        article(f"{feed.feed_id}-{n}", published_at=START + timedelta(minutes=n))
        for n in range(EACH)
    ]
    filled = tuple(one._replace(content=CONTENT) for one in made)
    return refreshed(feed, filled, at=at)


def _url(number: int) -> str:
    return f"https://site{number}.example/feed.xml"


@dataclass(frozen=True, slots=True)
class Walked:
    seconds: float
    items: int
    size: int
    at_rest: int
    peak: int
    complete: bool


async def _walk(databases: Databases, folder: Path, secret: str, name: str) -> Walked:
    async with (
        _container(databases, folder) as container,
        _serving(databases, folder) as (url, pid),
        aiohttp.ClientSession(base_url=url) as session,
    ):
        stores = Stores(container.web, container.work)
        found = await container.accounts.store.by_email(EMAIL)
        assert found is not None
        wanted = Wanted(order=Order.ITEM_ASC, limit=10_000_000)
        there = await stores.reading.item_nos(found[0].id, wanted)
        sender = _Sender(session)
        await sender.send("GET", "/healthcheck", headers={})
        at_rest = _peak_mb(pid)
        async with _going_on(stores, found[0].id, len(there)):
            began = time.perf_counter()
            seen = await WALKS[name](Client(sender.send, EMAIL, secret))
            seconds = time.perf_counter() - began
        complete = len(seen) == len(set(seen)) and set(there) <= set(seen)
        return Walked(seconds, len(seen), sender.size, at_rest, _peak_mb(pid), complete)


@asynccontextmanager
async def _serving(databases: Databases, folder: Path) -> AsyncIterator[tuple[str, int]]:
    names = {
        "FEEDLOOM_DATA_DIR": str(folder),
        "FEEDLOOM_DATABASE_URL": databases.web_url,
        "FEEDLOOM_WORKER_DATABASE_URL": databases.worker_url,
        "FEEDLOOM_LOG_LEVEL": "warning",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}",
    }
    port = random.randint(20_000, 30_000)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "feedloom", "serve", "--no-worker"),
        *("--port", str(port)),
        cwd=ROOT,
        env=os.environ | names,
        stdout=asyncio.subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await _wait_for(url)
        yield url, process.pid
    finally:
        process.terminate()
        await process.wait()


async def _wait_for(url: str) -> None:
    for _ in range(300):
        with suppress(aiohttp.ClientError):
            async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz"):
                return
        await asyncio.sleep(0.1)
    raise AssertionError("the server did not start")


@asynccontextmanager
async def _going_on(stores: Stores, user_id: int, total: int) -> AsyncIterator[None]:
    """Let an article arrive and twenty be marked ten times a second."""
    dice = random.Random(5)
    stop = asyncio.Event()

    async def go_on() -> None:
        while not stop.is_set():
            number = dice.randrange(50)
            made = article(f"late {time.time_ns()}")._replace(content=CONTENT)
            feed = await stores.claim(_url(number))
            await stores.refreshes.store(refreshed(feed, (made,)))
            items = dice.sample(range(1, total + 1), min(20, total))
            mark = dice.choice(["read", "unread"])
            await stores.reading.mark(user_id, items, mark)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(go_on())
    yield
    # Not cancelled: a claimed feed would stay claimed.
    stop.set()
    await task


def _peak_mb(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    assert found is not None
    return int(found[1]) // 1024
