"""From every earlier schema to this one, with people's rows, killed on the way.

Whatever was killed when, and however many start afterwards: the schema is the one a new
installation has, and every row says what it said before.
"""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from feedloom import __version__
from feedloom.store import DatabaseURL, find_faults, open_database, upgrade
from feedloom.store.engine import copies, migrate
from feedloom.store.engine.scripts import WORKER
from tests import databases
from tests.databases import KINDS, Databases
from tests.faults.lab import revisions

pytestmark = pytest.mark.both_engines

ROOT = Path(__file__).parents[2]
*EARLIER, LATEST = [step.version for step in migrate.migrations("sqlite")]
STARTERS = 10


async def look(url: str, named: dict[str, list[str]]) -> tuple[str, dict[str, str]]:
    """Tell the schema's digest and that of the rows."""
    database = await open_database(DatabaseURL.parse(url), worker=True, size=1)
    try:
        schema = await database.read(WORKER, databases.schema_hash, database.kind)
        return schema, await database.read(WORKER, revisions.digest, named)
    finally:
        await database.close()


async def at_revision(url: str, revision: int) -> dict[str, list[str]]:
    """Make an old database with rows; name the columns it had."""
    database = await open_database(DatabaseURL.parse(url), worker=True, size=1)
    try:
        kind = database.kind
        await database.write(WORKER, revisions.at_revision, kind, revision)
        await database.write(WORKER, revisions.fill)
        return await database.read(WORKER, revisions.all_columns, kind)
    finally:
        await database.close()


async def kill_upgrade(url: str, statements: int) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.faults.lab.revisions",
        url,
        str(statements),
        cwd=ROOT,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await process.wait()


def changes(kind: str, revision: int) -> int:
    """Count the statements of an upgrade from a revision, bookkeeping included."""
    pending = [step for step in migrate.migrations(kind) if step.version > revision]
    return sum(len(step.statements) + 1 for step in pending)


@pytest.mark.sampled(6)
@pytest.mark.faults
@pytest.mark.threat("U1", "U2", "U5")
@pytest.mark.parametrize("revision", EARLIER)
async def test_every_earlier_schema_is_brought_here_however_often_it_is_killed(
    empty_engine_url: Databases, other: Databases, revision, scaled, counts
):
    web, worker = (
        DatabaseURL.parse(empty_engine_url.web_url),
        DatabaseURL.parse(empty_engine_url.worker_url),
    )
    named = await at_revision(empty_engine_url.worker_url, revision)
    before = await look(empty_engine_url.worker_url, named)
    total = changes(worker.kind, revision)
    kills = 0

    for statements in range(scaled(max(1, total // 2), 1), total, scaled(total, 1)):
        ended = await kill_upgrade(empty_engine_url.worker_url, statements)
        assert ended == -signal.SIGKILL
        kills += 1
        assert await look(empty_engine_url.worker_url, named) == before
    applied = await asyncio.gather(*(upgrade(web, worker) for _ in range(STARTERS)))

    after = await look(empty_engine_url.worker_url, named)
    rows = sum(int(line.split()[0]) for line in after[1].values())
    counts(
        f"upgrade from revision {revision} on {worker.kind}",
        kills=kills,
        starters=STARTERS,
        rows=rows,
        rows_changed=sum(after[1][t] != before[1][t] for t in named),
    )
    assert sorted(map(bool, applied)) == [False] * (STARTERS - 1) + [True]
    assert after[1] == before[1]
    await upgrade(DatabaseURL.parse(other.web_url), DatabaseURL.parse(other.worker_url))
    assert after[0] == (await look(other.worker_url, {}))[0]
    assert await find_faults(worker) == []


def test_databases_of_every_released_version_are_among_those_upgraded():
    assert __version__ in revisions.RELEASED
    assert set(revisions.RELEASED.values()) <= {*EARLIER, LATEST}


def test_every_table_of_a_released_version_has_rows_to_lose():
    tables = copies.tables("sqlite", revisions.RELEASED["0.1.0"])

    assert {*tables} == {*revisions.DIGESTED} | revisions.UNSTABLE | revisions.UNUSED


def test_both_engines_have_the_same_revisions():
    found = {tuple(step.version for step in migrate.migrations(kind)) for kind in KINDS}

    assert len(found) == 1
