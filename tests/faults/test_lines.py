"""PostgreSQL behind a line that is slow, cut, half open or gone."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from feedloom.model.errors import StoreUnavailable
from feedloom.model.work import NewTask, TaskKind
from feedloom.store import DatabaseURL, TaskQueue, open_database, upgrade
from feedloom.store.engine.postgres import PostgresDatabase
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.databases import Databases
from tests.faults.lab.proxy import Fault, FaultProxy
from tests.postgres import PostgresServer

RECOVERY_S = 10.0


@pytest.fixture
async def line(postgres: PostgresServer, pg_database: Databases) -> AsyncIterator[FaultProxy]:
    await upgrade(DatabaseURL.parse(pg_database.web_url), DatabaseURL.parse(pg_database.worker_url))
    async with FaultProxy(postgres.port) as made:
        yield made


@pytest.fixture
async def database(
    line: FaultProxy, postgres: PostgresServer, pg_database: Databases
) -> AsyncIterator[PostgresDatabase]:
    """Open a database whose every connection goes over the line."""
    url = DatabaseURL.parse(pg_database.worker_url)
    text = url.text.replace(f":{postgres.port}/", f":{line.port}/")
    made = await open_database(replace(url, text=text), worker=True, size=4)
    assert isinstance(made, PostgresDatabase)
    yield made
    line.fault = Fault()
    await made.close()


def tasks(database: PostgresDatabase) -> TaskQueue:
    return TaskQueue(database, lease_s=60, worker="test")


def much() -> Script[int]:
    rows = yield sql("SELECT n, repeat('x', 100) AS x FROM generate_series(1, 2000) n")
    return len(rows)


async def within(database: PostgresDatabase, seconds: float) -> float:
    """Tell how long it takes until the database answers again."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            await database.read(WORKER, much)
        except StoreUnavailable:
            await asyncio.sleep(0.05)
        else:
            break
    return time.monotonic() - began


@pytest.mark.threat("D3")
@pytest.mark.parametrize(
    "fault", [Fault(latency_s=0.05), Fault(slice_bytes=1), Fault(slice_bytes=7)]
)
async def test_a_slow_line_only_takes_longer(line, database, fault):
    line.fault = fault

    assert await database.read(WORKER, much) == 2000


@pytest.mark.threat("D3")
@pytest.mark.parametrize("fault", [Fault(cut_after_bytes=300), Fault(down=True)])
async def test_a_line_that_is_cut_is_one_error_and_then_forgotten(line, database, fault):
    assert await database.read(WORKER, much) == 2000
    line.fault = fault
    line.reset_all()

    with pytest.raises(StoreUnavailable):
        await database.read(WORKER, much)

    line.fault = Fault()
    assert await within(database, RECOVERY_S) < RECOVERY_S


@pytest.mark.threat("D3")
async def test_a_half_open_line_is_given_up_at_the_deadline(line, database):
    assert await database.read(WORKER, much) == 2000
    database._timeout_s = 1.0
    await database.close()
    assert await database.read(WORKER, much) == 2000
    line.fault = Fault(silent=True)
    began = time.monotonic()

    with pytest.raises(StoreUnavailable):
        await database.read(WORKER, much)

    assert time.monotonic() - began < RECOVERY_S
    line.fault = Fault()
    line.reset_all()
    assert await within(database, RECOVERY_S) < RECOVERY_S


@pytest.mark.faults
@pytest.mark.threat("D2")
async def test_connections_ended_by_the_server_are_not_handed_out(
    postgres, pg_database, database, scaled, counts
):
    ended = failed = 0

    for _ in range(scaled(10, 300)):
        ended += await asyncio.to_thread(end_connections, postgres, pg_database)
        try:
            await database.read(WORKER, much)
        except StoreUnavailable:
            # One that was just being made; it must not be handed out again.
            failed += 1
            assert await within(database, RECOVERY_S) < RECOVERY_S

    counts("connections ended by the server", ended=ended, failed_reads=failed)
    assert ended >= scaled(10, 300)


def end_connections(postgres: PostgresServer, databases: Databases) -> int:
    """End all connections to this database; others use the server, too."""
    name = databases.worker_url.rpartition("/")[2]
    return int(
        postgres.sql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            f" WHERE datname = '{name}'"
        )
    )


@pytest.mark.faults
@pytest.mark.threat("D4")
async def test_a_commit_nobody_heard_of_is_neither_lost_nor_doubled(line, database, scaled, counts):
    queue = tasks(database)
    unheard = 0

    for number in range(scaled(8, 300)):
        wanted = NewTask(TaskKind.TOPIC, {"n": number}, unique_key=f"k{number}")
        line.fault = Fault(cut_after=b"COMMIT;")
        try:
            await queue.add(wanted)
        except StoreUnavailable:
            unheard += 1
        line.fault = Fault()
        await again(queue, wanted)

    def steps() -> Script[list[int]]:
        rows = yield sql("SELECT unique_key, count(*) AS n FROM tasks GROUP BY 1")
        return [row["n"] for row in rows]

    found = await database.read(WORKER, steps)
    counts("lines cut during COMMIT", cuts=line.cuts, rows=len(found), unheard=unheard)
    assert line.cuts == unheard == scaled(8, 300)
    assert found == [1] * scaled(8, 300)


async def again(queue: TaskQueue, wanted: NewTask) -> None:
    """Ask for the same once more, as whoever did not hear an answer does."""
    for _ in range(20):
        try:
            await queue.add(wanted)
        except StoreUnavailable:
            await asyncio.sleep(0.05)
        else:
            return
    raise AssertionError("the database did not come back")


@pytest.mark.threat("Q14")
async def test_a_listener_that_was_cut_off_hears_again(line, database):
    heard = asyncio.Event()
    stop = await database.nudges(heard.set)
    async with asyncio.timeout(5):
        await heard.wait()
    heard.clear()

    line.reset_all()
    async with asyncio.timeout(10):
        await heard.wait()  # it listens again, and looks once by itself
    heard.clear()
    assert await within(database, RECOVERY_S) < RECOVERY_S
    await again(tasks(database), NewTask(TaskKind.TOPIC, {}))

    async with asyncio.timeout(5):
        await heard.wait()
    await stop()
