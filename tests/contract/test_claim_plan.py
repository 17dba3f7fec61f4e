"""Claiming on PostgreSQL with many rows: by index, without sorting or waiting."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from feedloom.store import DatabaseURL, open_database, upgrade
from feedloom.store.engine.scripts import WORKER, Insert, Query, Script, sql
from feedloom.store.queues.feed_queue import THE_REST, URGENT
from feedloom.store.queues.leases import SCHEDULES, TASKS, LeaseTable, due_rows
from tests.databases import Databases
from tests.stores import Stores

pytestmark = pytest.mark.threat("Q21")

COUNT = 30_000
DECISION = Path(__file__).parents[2] / "docs" / "decisions" / "0006-due-at.md"


def _fill() -> Script[None]:
    yield Insert(
        "feeds",
        ("id", "url", "url_key", "host_key", "created_at", "updated_at"),
        [(n, f"https://h{n}.example/", f"h{n}.example", "h", 0, 0) for n in range(COUNT)],
    )
    yield Insert(
        "feed_schedules",
        ("feed_id", "host_key", "next_run_at", "due_at"),
        [(n, "h", n, n) for n in range(COUNT)],
    )
    yield Insert(
        "tasks",
        ("kind", "payload", "run_at", "created_at", "done_at"),
        [("favicon", "{}", n, 0, n if n % 10 else None) for n in range(COUNT)],
    )
    yield sql("ANALYZE feed_schedules")
    yield sql("ANALYZE tasks")


def _plan(table: LeaseTable, columns: str, **which: str) -> Script[str]:
    """Ask how the very statement of a claim is run."""
    claim = next(due_rows(table, columns, 64, **which))
    assert isinstance(claim, Query)
    rows = yield sql(f"EXPLAIN (COSTS OFF) {claim.text}", **claim.params)
    return "\n".join(row["QUERY PLAN"] for row in rows)


def _the_rest() -> Script[str]:
    return (yield from _plan(SCHEDULES, "host_key", only=THE_REST))


def _urgent() -> Script[str]:
    return (yield from _plan(SCHEDULES, "host_key", only=URGENT, first="urgency, "))


async def test_claims_read_the_due_index_in_order(pg_database: Databases):
    web, worker = (
        DatabaseURL.parse(pg_database.web_url),
        DatabaseURL.parse(pg_database.worker_url),
    )
    await upgrade(web, worker)
    database = await open_database(worker, worker=True)
    await database.write(WORKER, _fill)

    feeds = await database.write(WORKER, _the_rest)
    urgent = await database.write(WORKER, _urgent)
    tasks = await database.write(WORKER, _plan, TASKS, "kind")

    await database.close()
    assert "Index Scan using feed_schedules_due" in feeds
    assert "Index Scan using tasks_due" in tasks
    assert "Index Scan using feed_schedules_urgent" in urgent
    assert "Sort" not in feeds + tasks + urgent
    documented = "\n".join(f"    {line}" for line in feeds.splitlines())
    assert documented in DECISION.read_text(), f"the plan is now:\n{documented}"


async def test_a_claim_never_waits_for_a_host_another_process_holds(pg_database: Databases):
    web, worker = (
        DatabaseURL.parse(pg_database.web_url),
        DatabaseURL.parse(pg_database.worker_url),
    )
    await upgrade(web, worker)
    database = await open_database(worker, worker=True)
    stores = Stores(database, database)
    ada = await stores.person()
    for host in ("free", "held"):
        await stores.subscriptions.subscribe(ada.id, f"https://{host}.example/feed.xml")
    await stores.execute("INSERT INTO hosts (host_key) VALUES ('held.example')")
    holder = await asyncpg.connect(pg_database.worker_url)
    holding = holder.transaction()
    await holding.start()
    # Changed, not only locked: an insert of the same host would wait for this.
    await holder.execute("UPDATE hosts SET booked_until = 1")

    async with asyncio.timeout(5):
        claimed = await stores.queue.claim(10)
    await holding.rollback()
    await holder.close()
    await asyncio.sleep(0.3)
    later = await stores.queue.claim(10)

    await database.close()
    assert [feed.host_key for feed in claimed] == ["free.example"]
    assert [feed.host_key for feed in later] == ["held.example"]
