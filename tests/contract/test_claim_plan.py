"""Claiming on PostgreSQL with many rows: by index, without sorting."""

from feedloom.store import DatabaseURL, open_database, upgrade
from feedloom.store.engine.steps import WORKER, Insert, Steps, sql
from tests.databases import Databases

COUNT = 30_000


def _fill() -> Steps[None]:
    yield Insert(
        "feeds",
        ("id", "url", "url_key", "host_key", "created_at", "updated_at"),
        [
            (n, f"https://h{n}.example/", f"h{n}.example", "h", 0, 0)
            for n in range(COUNT)
        ],
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


def _plan(table: str, key: str, due: str) -> Steps[str]:
    rows = yield sql(
        f"EXPLAIN SELECT {key} FROM {table}"
        f" WHERE {due} <= now_us() {'AND done_at IS NULL' if key == 'id' else ''}"
        f" ORDER BY {due} LIMIT 64 FOR UPDATE SKIP LOCKED"
    )
    return "\n".join(row["QUERY PLAN"] for row in rows)


async def test_claims_read_the_due_index_in_order(pg_database: Databases):
    web, worker = (
        DatabaseURL.parse(pg_database.web_url),
        DatabaseURL.parse(pg_database.worker_url),
    )
    await upgrade(web, worker)
    database = await open_database(worker, worker=True)
    await database.write(WORKER, _fill)

    feeds = await database.write(WORKER, _plan, "feed_schedules", "feed_id", "due_at")
    tasks = await database.write(WORKER, _plan, "tasks", "id", "run_at")

    await database.close()
    assert "feed_schedules_due" in feeds
    assert "tasks_due" in tasks
    assert "Sort" not in feeds + tasks
