"""Mark everything read, and how that grows with what is unread; undo as well.

One person has 1,000 feeds; the articles of a hundred of them are all unread. Marking goes
through the same store as the button and remembers what it marked, so that it can be
undone. The least it can cost is measured beside it: one bare UPDATE of the same rows, on
the same connection, rolled back each time.
"""

import asyncio
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from bench.filling import Population, fill
from bench.tables import Table
from feedloom.app import Container, open_container
from feedloom.model.errors import StoreError
from feedloom.model.reader import Wanted
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests import postgres
from tests.containers import settings_for
from tests.databases import Databases, sqlite_databases

SIZES, QUICK_SIZES = (1_000, 10_000, 100_000), (200, 1_000, 5_000)
FEEDS = 1_000
ROUNDS = 5
READER = 1


def run(quick: bool) -> list[Table]:
    table = Table(
        "mark all read",
        ("engine", "unread", "ms", "us each", "x bare", "CPU ms", "undo ms", "peak MB"),
        note=(
            f"Median of {ROUNDS}. x bare: times as long as one UPDATE of the same rows."
            " CPU and memory are this process's; PostgreSQL works in its own."
        ),
    )
    for unread in QUICK_SIZES if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            databases = sqlite_databases(Path(folder))
            found = asyncio.run(_measure(databases, Path(folder), unread))
            table.add("SQLite", unread, *found)
    with postgres.private_server() as server:
        for unread in QUICK_SIZES if quick else SIZES:
            with tempfile.TemporaryDirectory() as folder:
                databases = server.create_database(f"marking_{unread}")
                found = asyncio.run(_measure(databases, Path(folder), unread))
                table.add("PostgreSQL", unread, *found)
    return [table]


async def _measure(databases: Databases, folder: Path, unread: int) -> tuple[float | int, ...]:
    async with open_container(settings_for(databases, folder)) as container:
        population = Population(FEEDS, due=False, people=1, articles=unread * 10 // FEEDS)
        await fill(container.work, population)
        await container.work.write(WORKER, _states)
        bare = [await _timed(lambda: _bare(container)) for _ in range(ROUNDS)]
        marked: list[float] = []
        worked: list[float] = []
        undone: list[float] = []
        for _ in range(ROUNDS):
            cpu = time.process_time()
            token = await _mark(container, unread, marked)
            worked.append((time.process_time() - cpu) * 1000)
            undone.append(await _timed(partial(_undo, container, token)))
        ms = statistics.median(marked)
        return (
            ms,
            ms * 1000 / unread,
            ms / statistics.median(bare),
            statistics.median(worked),
            statistics.median(undone),
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        )


async def _timed(work: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


async def _mark(container: Container, unread: int, times: list[float]) -> int:
    began = time.perf_counter()
    swept = await container.services().overviews.sweep(READER, Wanted())
    times.append((time.perf_counter() - began) * 1000)
    if swept.count != unread:
        raise RuntimeError(f"of {unread} articles {swept.count} were marked")
    return swept.token


async def _undo(container: Container, token: int) -> None:
    await container.services().overviews.undo_sweep(READER, token)


class _RolledBack(StoreError):
    """Thrown on purpose, so that nothing stays."""


async def _bare(container: Container) -> None:
    def steps() -> Script[None]:
        yield sql(
            "UPDATE article_states SET unread = false, read_at = now_us(),"
            " last_modified = now_us() WHERE user_id = :user AND unread",
            user=READER,
        )
        raise _RolledBack

    try:
        await container.work.write(WORKER, steps)
    except _RolledBack:
        return


def _states() -> Script[None]:
    yield sql(
        "INSERT INTO article_states (article_id, user_id, subscription_id, item_no,"
        " arrived_at, published_at, unread, last_modified)"
        f" SELECT id, {READER}, feed_id, id, fetched_at, published_at, true, fetched_at"
        " FROM articles"
    )
    yield sql("UPDATE users SET next_item_no = (SELECT coalesce(max(id), 0) + 1 FROM articles)")
    yield sql("ANALYZE article_states")
