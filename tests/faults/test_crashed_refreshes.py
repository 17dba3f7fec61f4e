"""PostgreSQL crashed under a worker, whose commits do not wait for the disk.

What was fetched just before may be gone after such a crash. It is fetched again, once,
and whatever a person did with it is there: their write brings all before it to the disk.
"""

import asyncio
import random
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from feedloom.model.errors import StoreUnavailable
from feedloom.store import DatabaseURL, find_faults
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.queues.leases import SCHEDULES, depth
from tests.containers import Home, open_home, settings_for
from tests.factories_feeds import entries
from tests.faults.test_refresh_kills import unparked
from tests.postgres import PostgresServer
from tests.publisher import PublisherThread

pytestmark = pytest.mark.threat("D1", "D8")

FEEDS = 12
FIRST = 20
LEASE_S = 1.0


def count_articles() -> Script[int]:
    rows = yield sql("SELECT count(*) AS n FROM articles")
    found: int = rows[0]["n"]
    return found


class Reader:
    """Stars the newest article, and notes what was acknowledged."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.starred: dict[int, str] = {}
        """Guids by item number."""

    async def star(self) -> None:
        articles = await self.home.articles()
        if articles:
            newest = articles[-1]
            await self.home.reading.mark(self.home.person.id, [newest.item_no], "starred")
            self.starred[newest.item_no] = newest.guid


async def work_through_a_crash(
    home: Home, reader: Reader, postgres: PostgresServer, chance: random.Random
) -> int:
    """Refresh everything while the server crashes; answer how many articles it lost."""
    await home.container.work.write(WORKER, unparked)
    refreshing = asyncio.create_task(home.refresh_due())
    await asyncio.sleep(chance.uniform(0.02, 0.4))
    if chance.random() < 0.5:
        await reader.star()
    before = await home.container.work.read(WORKER, count_articles)
    await asyncio.to_thread(postgres.stop, immediate=True)
    await asyncio.sleep(chance.uniform(0, 0.1))
    await asyncio.to_thread(postgres.start)
    with suppress(StoreUnavailable):
        await refreshing
    return before - await home.container.work.read(WORKER, count_articles)


@pytest.mark.faults
async def test_what_a_crash_took_from_workers_is_fetched_again_once(
    durable_postgres: PostgresServer, tmp_path: Path, scaled, counts, progress
):
    crashes = scaled(4, 60)
    chance = random.Random(crashes)
    databases = durable_postgres.create_database("refreshed")
    settings = settings_for(databases, tmp_path, lease_seconds=LEASE_S)
    with PublisherThread() as publisher:
        places = [(f"/f{n}.xml", f"127.0.{n + 1}.1") for n in range(FEEDS)]
        async with open_home(settings) as home:
            for path, host in places:
                await home.subscribe(publisher.feed(path, entries=entries(FIRST), host=host))
            reader = Reader(home)
            lost = 0
            for crash in range(crashes):
                lost += max(0, await work_through_a_crash(home, reader, durable_postgres, chance))
                path, host = chance.choice(places)
                publisher.bump(path, host=host)
                progress("crashes under a worker", crash, crashes)
            await asyncio.sleep(LEASE_S + 0.2)
            for _ in range(2):
                await home.container.work.write(WORKER, unparked)
                await home.refresh()

            articles = await home.articles()
            feeds = await home.container.work.read(WORKER, depth, SCHEDULES)
    faults = await find_faults(DatabaseURL.parse(databases.worker_url))

    wanted = FEEDS * FIRST + crashes
    counts(
        "PostgreSQL crashed under a worker",
        crashes=crashes,
        articles=len(articles),
        missing=wanted - len(articles),
        gone_and_fetched_again=lost,
        starred=len(reader.starred),
    )
    assert len(articles) == wanted
    assert set(Counter((a.subscription_id, a.guid) for a in articles).values()) == {1}
    assert len({a.item_no for a in articles}) == wanted
    assert {a.item_no: a.guid for a in articles if a.starred} == reader.starred
    assert (feeds.running, feeds.parked) == (0, 0)
    assert faults == []
