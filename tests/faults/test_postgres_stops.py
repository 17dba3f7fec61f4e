"""PostgreSQL crashed under load, again and again, while the house stays open.

No acknowledged write is lost, nothing is half there, people are told to come back in a
moment, and everything goes on by itself within seconds of the server's return.
"""

import asyncio
import random
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from feedloom.app import Container
from feedloom.model.bookmarks import NewBookmark
from feedloom.model.errors import StoreUnavailable
from feedloom.store import BookmarkStore, DatabaseURL, find_faults
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.postgres import PostgresServer
from tests.serving import HTML, Server, Visitor, open_server

pytestmark = pytest.mark.threat("D1")

RECOVERY_S = 10.0
LONGEST_S = 1_050.0
"""Then it ends with what was counted, and fails if that is too little."""
WRITERS = 4


class Load:
    """People who keep pages with a tag, and note what they were told."""

    def __init__(self, container: Container, user_id: int) -> None:
        self.container = container
        self.user_id = user_id
        self.acked: set[str] = set()
        self.refused = 0
        self.acked_at = 0.0
        self.over = asyncio.Event()

    async def write(self, writer: int) -> None:
        number = 0
        bookmarks = BookmarkStore(self.container.web)
        while not self.over.is_set():
            number += 1
            name = f"{writer}-{number}"
            page = NewBookmark(f"https://pages.example/{name}", name, "", ("kept",))
            try:
                await bookmarks.add(self.user_id, page)
            except StoreUnavailable:
                self.refused += 1
                await asyncio.sleep(0.02)
            else:
                self.acked.add(name)
                self.acked_at = time.monotonic()


def names() -> Script[list[str]]:
    return [row["title"] for row in (yield sql("SELECT title FROM bookmarks"))]


async def answers(visitor: Visitor, path: str) -> str:
    """Tell how a page is answered: its status, and whether it says when to return."""
    with suppress(asyncio.TimeoutError):
        async with asyncio.timeout(20):
            reply = await visitor.get(path, headers=HTML)
            return f"{reply.status}{'+' if 'Retry-After' in reply.headers else ''}"
    return "silence"


@pytest.mark.faults
async def test_no_acknowledged_write_is_lost_when_the_database_crashes(
    durable_postgres: PostgresServer, tmp_path: Path, scaled, counts, progress
):
    stops = scaled(2, 100)
    databases = durable_postgres.create_database("crashed")
    with open_server(databases, tmp_path) as server:
        visitor = await server.register("ada@example.org")
        acked, stats, while_down = await storm(server, durable_postgres, visitor, stops, progress)
        there = Counter(await server.call(lambda container: container.work.read(WORKER, names)))
        page = await answers(visitor, "/read/all")
    faults = await find_faults(DatabaseURL.parse(databases.worker_url))
    by_index, by_table = (
        durable_postgres.sql(
            f"SET enable_seqscan = {how}; SET enable_indexscan = {other};"
            f" SET enable_indexonlyscan = {other}; SET enable_bitmapscan = {other};"
            " SELECT count(*) FROM bookmarks WHERE id > 0",
            database="crashed",
        )
        for how, other in (("off", "on"), ("on", "off"))
    )

    counts(
        "PostgreSQL immediate stops under load",
        stops=stats["stops"],
        acknowledged=len(acked),
        refused=stats["refused"],
        lost=len(acked - set(there)),
        faults=len(faults),
        slowest_recovery_s=stats["slowest_ms"] / 1000,
        while_down=dict(while_down),
    )
    assert acked <= set(there)
    assert stats["stops"] == stops
    assert set(there.values()) == {1}
    assert stats["slowest_ms"] < RECOVERY_S * 1000
    assert set(while_down) <= {"503+", "200"}
    assert while_down["503+"] >= stops // 2
    assert page == "200"
    assert faults == []
    assert by_index == by_table == str(len(there))


async def storm(
    server: Server, postgres: PostgresServer, visitor: Visitor, stops: int, progress
) -> tuple[set[str], Counter[str], Counter[str]]:
    """Write and crash; answer with what was promised, and what was said meanwhile."""
    chance = random.Random(stops)
    stats: Counter[str] = Counter()
    while_down: Counter[str] = Counter()

    async def begin(container: Container) -> tuple[Load, list[asyncio.Task[None]]]:
        found = await container.accounts.store.by_email("ada@example.org")
        assert found is not None
        load = Load(container, found[0].id)
        return load, [asyncio.create_task(load.write(writer)) for writer in range(WRITERS)]

    load, writing = await server.call(begin)
    began = time.monotonic()
    for stop in range(stops):
        if time.monotonic() - began > LONGEST_S:
            break
        stats["stops"] += 1
        await asyncio.sleep(chance.uniform(0.05, 0.4))
        await asyncio.to_thread(postgres.stop, immediate=True)
        while_down[await answers(visitor, "/read/all")] += 1
        assert (await visitor.get("/healthz")).status == 200
        await asyncio.sleep(chance.uniform(0, 0.5))
        await asyncio.to_thread(postgres.start)
        back_at = time.monotonic()
        recovered = await acked_after(load, back_at)
        stats["slowest_ms"] = max(stats["slowest_ms"], int(1000 * recovered))
        progress("PostgreSQL stops", stop, stops)

    async def end(_container: Container) -> None:
        load.over.set()
        await asyncio.gather(*writing)

    await server.call(end)
    stats["refused"] = load.refused
    return load.acked, stats, while_down


async def acked_after(load: Load, moment: float) -> float:
    """Wait for the first write that is acknowledged after a moment."""
    for _ in range(int(RECOVERY_S * 100)):
        if load.acked_at > moment:
            return load.acked_at - moment
        await asyncio.sleep(0.01)
    return RECOVERY_S
