"""Queue claims per second, and how they grow with the number of feeds.

Every feed is due, the worst case. Each worker is a process of its own with a pool of its
own, as in production, and claims batches one after the other; nothing is fetched. The
limit beside ours is the least a queue on the same table can do: one statement that
leases the rows due longest, with no politeness towards hosts and nothing read about the
feeds. PostgreSQL runs with fsync, as in production.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

from bench.filling import Population, fill
from bench.tables import Table
from feedloom.model.work import Politeness
from feedloom.store import DatabaseURL, FeedQueue, open_database, upgrade
from feedloom.store.engine.scripts import WORKER, Query, Script, sql
from feedloom.store.queues.leases import SCHEDULES, due_rows
from tests import postgres
from tests.databases import Databases, sqlite_databases

ROOT = Path(__file__).parents[1]
SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (2_000, 10_000, 50_000)
WORKERS, QUICK_WORKERS = (1, 2, 4), (1, 4)
BATCH = 16
PACE = 2_000
SERVER = {"shared_buffers": "256MB", "max_wal_size": "4GB"}
_BARE = """
UPDATE feed_schedules SET lease_token = md5(random()::text), locked_by = 'bench',
  attempts = attempts + 1, locked_until = now_us() + 600000000,
  due_at = now_us() + 600000000
WHERE feed_id = ANY (ARRAY(SELECT feed_id FROM feed_schedules WHERE due_at <= now_us()
  ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING feed_id
"""
_DUE_AGAIN = """
UPDATE feed_schedules SET due_at = next_run_at, attempts = 0, lease_token = NULL,
  locked_until = NULL, locked_by = NULL
"""
_MANY = 500_000
"""So many feeds do not run out in the time of a benchmark."""
_COLUMNS = (
    "feeds",
    "workers",
    "claims/s",
    "p50 ms",
    "p99 ms",
    "p99 ms at 2,000/s",
    "of the limit",
    "CPU s",
    "server CPU s",
    "peak MB",
)


@dataclass(frozen=True, slots=True)
class Run:
    """What workers did together."""

    claims: int
    seconds: float
    times_ms: list[float]
    cpu_s: float
    peak_mb: int

    @property
    def per_s(self) -> float:
        return self.claims / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.times_ms)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


@dataclass(slots=True)
class Claimer:
    """One worker's claims until time or feeds run out."""

    seconds: float
    every_s: float = 0.0
    """Between the starts of two claims; 0 for one after the other."""
    claims: int = 0
    times_ms: list[float] = field(default_factory=list)

    async def go_on(self, claim: Callable[[int], Awaitable[int]]) -> None:
        due = time.perf_counter()
        end = due + self.seconds
        while (began := time.perf_counter()) < end:
            found = await claim(BATCH)
            if not found:
                break
            self.times_ms.append((time.perf_counter() - began) * 1000)
            self.claims += found
            due += self.every_s
            if due > time.perf_counter():
                await asyncio.sleep(due - time.perf_counter())


def run(quick: bool) -> list[Table]:
    sizes = QUICK_SIZES if quick else SIZES
    seconds = 1.0 if quick else 4.0
    note = (
        f"Batches of {BATCH}; times are of one batch, with all workers as busy as they"
        " can be, and at 2,000 claims a second in all. Goal: 2,000 a second with 4 workers"
        " at 1,000,000 feeds, p99 under 20 ms."
    )
    own = Table("claims, PostgreSQL, a host for each feed", _COLUMNS, note=note)
    shared = Table(
        "claims, PostgreSQL, half of the feeds on shared hosts",
        _COLUMNS,
        note="A host gives one feed in 3 s; the others on it are put off in passing.",
    )
    plans: list[str] = []
    with postgres.private_server(fsync=True, settings=SERVER) as server:
        for feeds in sizes:
            with _filled(server, Population(feeds)) as databases:
                _add_rows(own, server, databases, feeds, seconds)
                plans.append(asyncio.run(_plan(databases)))
        with _filled(server, Population(sizes[1], shared=50)) as databases:
            _add_rows(shared, server, databases, sizes[1], seconds)
    own.note += f"\n\nThe plan of a claim at {sizes[-1]:,} feeds:\n\n{_indented(plans[-1])}"
    return [own, shared, _on_sqlite(sizes, seconds)]


def _add_rows(
    table: Table, server: postgres.PostgresServer, databases: Databases, feeds: int, seconds: float
) -> None:
    for workers in QUICK_WORKERS if seconds < 2 else WORKERS:
        found = _measure(server, databases, feeds=feeds, workers=workers, seconds=seconds)
        table.add(feeds, workers, *found)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


@contextmanager
def _filled(server: postgres.PostgresServer, population: Population) -> Iterator[Databases]:
    """Fill a database; checkpoint, so that its making is not paid for later."""
    name = f"claims_{population.feeds}_{population.shared}"
    databases = server.create_database(name)
    asyncio.run(_fill(databases, population))
    asyncio.run(_tidy(databases, server))
    try:
        yield databases
    finally:
        server.drop_database(name)


async def _fill(databases: Databases, population: Population) -> None:
    worker = DatabaseURL.parse(databases.worker_url)
    await upgrade(DatabaseURL.parse(databases.web_url), worker)
    database = await open_database(worker, worker=True, patient=True)
    await fill(database, population)
    await database.close()


async def _tidy(databases: Databases, server: postgres.PostgresServer) -> None:
    connection = await asyncpg.connect(databases.worker_url)
    await connection.execute("VACUUM feed_schedules", timeout=300)
    await connection.close()
    await asyncio.to_thread(server.sql, "CHECKPOINT")


async def _due_again(databases: Databases) -> None:
    """Make all feeds due: few would run out."""
    connection = await asyncpg.connect(databases.worker_url)
    await connection.execute(_DUE_AGAIN)
    await connection.execute("UPDATE hosts SET next_free_at = 0, in_flight = '[]'")
    await connection.execute("VACUUM feed_schedules")
    await connection.execute("VACUUM hosts")
    await connection.close()


async def _plan(databases: Databases) -> str:
    database = await open_database(DatabaseURL.parse(databases.worker_url), worker=True)
    found = await database.write(WORKER, claim_plan)
    await database.close()
    return found


def claim_plan() -> Script[str]:
    """Say how PostgreSQL finds what is due: the statement is the queue's own."""
    query = next(due_rows(SCHEDULES, "host_key", 64))
    assert isinstance(query, Query)
    rows = yield sql(f"EXPLAIN (COSTS OFF) {query.text}", **query.params)
    return "\n".join(row["QUERY PLAN"] for row in rows)


def _measure(
    server: postgres.PostgresServer,
    databases: Databases,
    *,
    feeds: int,
    workers: int,
    seconds: float,
) -> tuple[float | int | str, ...]:
    few = feeds < _MANY
    if few:
        asyncio.run(_due_again(databases))
    limit = _together("bare", databases.worker_url, workers, seconds / 2)
    if few:
        asyncio.run(_due_again(databases))
    before = _server_cpu_s(server)
    ours = _together("ours", databases.worker_url, workers, seconds)
    # A connection's time is its parent's once it has ended.
    time.sleep(0.2)
    used_s = _server_cpu_s(server) - before
    if few:
        asyncio.run(_due_again(databases))
    every_s = BATCH * workers / PACE
    paced = _together("ours", databases.worker_url, workers, seconds / 2, every_s)
    return (
        round(ours.per_s),
        ours.percentile(0.5),
        ours.percentile(0.99),
        paced.percentile(0.99),
        f"{ours.per_s / limit.per_s:.0%}",
        ours.cpu_s,
        used_s,
        ours.peak_mb,
    )


def _server_cpu_s(server: postgres.PostgresServer) -> float:
    stat = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[13]) + int(stat[14])) / os.sysconf("SC_CLK_TCK")


def _together(who: str, url: str, workers: int, seconds: float, every_s: float = 0.0) -> Run:
    """Start processes, let them go at once, and add up what they did."""
    command = [sys.executable, "-m", "bench.claims", who, url, str(seconds)]
    processes = [
        subprocess.Popen(
            [*command, str(every_s)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(workers)
    ]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise RuntimeError("a claiming process failed")
    told = [json.loads(line) for line in said]
    return Run(
        claims=sum(each["claims"] for each in told),
        seconds=max(each["seconds"] for each in told),
        times_ms=[ms for each in told for ms in each["times_ms"]],
        cpu_s=sum(each["cpu_s"] for each in told),
        peak_mb=max(each["peak_mb"] for each in told),
    )


def _on_sqlite(sizes: tuple[int, ...], seconds: float) -> Table:
    table = Table(
        "claims, SQLite",
        ("feeds", "claims/s", "p50 ms", "p99 ms", "CPU s"),
        note="One process, as SQLite has one writer.",
    )
    for feeds in sizes:
        with tempfile.TemporaryDirectory() as folder:
            databases = sqlite_databases(Path(folder))
            asyncio.run(_fill(databases, Population(feeds)))
            done = _together("ours", databases.worker_url, 1, seconds)
            table.add(
                feeds, round(done.per_s), done.percentile(0.5), done.percentile(0.99), done.cpu_s
            )
    return table


async def _claim(who: str, url: str, seconds: float, every_s: float) -> None:
    database = await open_database(DatabaseURL.parse(url), worker=True)
    queue = FeedQueue(database, lease_s=600, politeness=Politeness(), worker=f"bench:{os.getpid()}")
    claimer = Claimer(seconds, every_s)

    async def ours(limit: int) -> int:
        return len(await queue.claim(limit))

    async def go() -> None:
        if who == "ours":
            await ours(1)
            _wait_for_the_others()
            await claimer.go_on(ours)
            return
        connection = await asyncpg.connect(url)
        _wait_for_the_others()
        await claimer.go_on(lambda limit: _bare(connection, limit))
        await connection.close()

    await go()
    await database.close()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    told = {
        "claims": claimer.claims,
        "seconds": sum(claimer.times_ms) / 1000,
        "times_ms": [round(ms, 3) for ms in claimer.times_ms],
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss // 1024,
    }
    print(json.dumps(told))


async def _bare(connection: asyncpg.Connection, limit: int) -> int:
    return len(await connection.fetch(_BARE, limit))


def _wait_for_the_others() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    import uvloop

    uvloop.run(_claim(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:])))
