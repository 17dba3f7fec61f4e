"""Migrations: killed anywhere, started by many, refused when newer."""

import asyncio
import sys
from pathlib import Path

import pytest

from feedloom.model.errors import SchemaTooNew, StoreUnavailable
from feedloom.store import DatabaseURL, open_database, require_current, upgrade
from feedloom.store.engine import migrate
from feedloom.store.engine.scripts import WORKER, Database, Script, sql
from tests.databases import Databases

ROOT = Path(__file__).parents[2]
KILLED_AT = """
import asyncio, os, signal, sys
from feedloom.store import DatabaseURL, open_database
from feedloom.store.engine import migrate
from feedloom.store.engine.scripts import WORKER

def until(kind, statements):
    steps, rows = migrate.migrate(kind), None
    for _ in range(statements):
        rows = yield steps.send(rows)
    os.kill(os.getpid(), signal.SIGKILL)

async def main(url, statements):
    database = await open_database(DatabaseURL.parse(url), worker=True, size=1)
    await database.write(WORKER, until, database.kind, statements)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


async def opened(url: str) -> Database:
    return await open_database(DatabaseURL.parse(url), worker=True, size=1)


async def schema_hash(url: str) -> str:
    database = await opened(url)
    try:
        return await database.read(WORKER, migrate.schema_hash, database.kind)
    finally:
        await database.close()


@pytest.mark.threat("U1")
async def test_a_migration_that_fails_at_any_statement_leaves_nothing(
    empty_engine_url: Databases,
):
    class Stop(Exception):
        pass

    def until(kind: str, statements: int) -> Script[None]:
        steps = migrate.migrate(kind)
        statement = next(steps)
        for _ in range(statements):
            statement = steps.send((yield statement))
        raise Stop

    database = await opened(empty_engine_url.worker_url)
    empty = await database.read(WORKER, migrate.schema_hash, database.kind)
    total = sum(len(step.statements) for step in migrate.migrations(database.kind))

    for statements in range(2, total):
        with pytest.raises(Stop):
            await database.write(WORKER, until, database.kind, statements)
        assert await database.read(WORKER, migrate.schema_hash, database.kind) == empty
    await database.close()


@pytest.mark.threat("U1", "U3")
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
async def test_a_killed_migration_run_again_reaches_the_same_schema(
    empty_engine_url: Databases, tmp_path: Path, share
):
    url = DatabaseURL.parse(empty_engine_url.worker_url)
    total = sum(len(step.statements) for step in migrate.migrations(url.kind))
    killed = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        KILLED_AT,
        empty_engine_url.worker_url,
        str(int(total * share)),
        cwd=ROOT,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert await killed.wait() == -9

    applied = await upgrade(DatabaseURL.parse(empty_engine_url.web_url), url)

    assert applied == [step.version for step in migrate.migrations(url.kind)]
    first = await schema_hash(empty_engine_url.worker_url)
    assert await upgrade(DatabaseURL.parse(empty_engine_url.web_url), url) == []
    assert await schema_hash(empty_engine_url.worker_url) == first


@pytest.mark.threat("U2")
async def test_of_ten_starters_one_migrates(empty_engine_url: Databases):
    web, worker = (
        DatabaseURL.parse(empty_engine_url.web_url),
        DatabaseURL.parse(empty_engine_url.worker_url),
    )

    applied = await asyncio.gather(*(upgrade(web, worker) for _ in range(10)))

    assert sorted(map(bool, applied)) == [False] * 9 + [True]


@pytest.mark.threat("U4")
async def test_a_newer_schema_is_refused_and_left_alone(empty_engine_url: Databases):
    web, worker = (
        DatabaseURL.parse(empty_engine_url.web_url),
        DatabaseURL.parse(empty_engine_url.worker_url),
    )
    await upgrade(web, worker)
    database = await opened(empty_engine_url.worker_url)

    def from_the_future() -> Script[None]:
        yield sql(
            "INSERT INTO schema_migrations (version, checksum, applied_at)"
            " VALUES (9999, 'x', 0)"
        )

    await database.write(WORKER, from_the_future)

    with pytest.raises(SchemaTooNew):
        await upgrade(web, worker)
    with pytest.raises(SchemaTooNew):
        await require_current(database)
    await database.close()


@pytest.mark.threat("U4")
async def test_an_older_schema_is_not_worked_with(empty_engine_url: Databases):
    database = await opened(empty_engine_url.worker_url)

    with pytest.raises(StoreUnavailable, match="feedloom db upgrade"):
        await require_current(database)
    await database.close()
