"""Migrations: killed anywhere, started by many, refused when newer."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from feedloom.model.errors import SchemaTooNew, StoreError, StoreUnavailable
from feedloom.store import DatabaseURL, open_database, require_current, upgrade
from feedloom.store.engine import migrate
from feedloom.store.engine.scripts import WORKER, Database, Script, sql
from tests import databases
from tests.databases import Databases
from tests.faults.lab.revisions import at_revision

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
        return await database.read(WORKER, databases.schema_hash, database.kind)
    finally:
        await database.close()


@pytest.mark.threat("U1")
async def test_a_migration_that_fails_at_any_statement_leaves_nothing(
    empty_engine_url: Databases, scaled: Callable[[int, int], int]
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
    empty = await database.read(WORKER, databases.schema_hash, database.kind)
    total = sum(len(step.statements) for step in migrate.migrations(database.kind))

    for statements in range(2, total, scaled(41, 1)):
        with pytest.raises(Stop):
            await database.write(WORKER, until, database.kind, statements)
        assert await database.read(WORKER, databases.schema_hash, database.kind) == empty
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
            "INSERT INTO schema_migrations (version, checksum, applied_at) VALUES (9999, 'x', 0)"
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


WRONG = {
    "a feed's state": "UPDATE feeds SET state = 'lost'",
    "a feed's format": "UPDATE feeds SET format = 'html'",
    "a topic's status": "UPDATE feeds SET topic_status = 'maybe'",
    "a topic's confidence": "UPDATE feeds SET topic_confidence = 1.5",
    "a hub's state": "UPDATE websub SET state = 'lost'",
    "a candidate's origin": "UPDATE feed_candidates SET discovered_from = 'dream'",
    "a candidate's status": "UPDATE feed_candidates SET validation_status = 'maybe'",
}
ROWS = (
    (
        "INSERT INTO feeds (url, url_key, host_key, created_at, updated_at)"
        " VALUES ('https://a.example/', 'a.example', 'a.example', 0, 0)"
    ),
    (
        "INSERT INTO sites (input_url, url_key, canonical_url, domain, last_discovered_at)"
        " VALUES ('a.example', 'a.example', 'https://a.example/', 'a.example', 0)"
    ),
    (
        "INSERT INTO feed_candidates (site_id, candidate_url, discovered_from, score,"
        " score_reasons, validation_status, seen_at)"
        " SELECT id, 'https://a.example/f', 'html', 1, '{}', 'valid', 0 FROM sites"
    ),
    (
        "INSERT INTO websub (feed_id, hub, topic, callback_token, secret, state)"
        " SELECT id, 'h', 't', 'c', 's', 'active' FROM feeds"
    ),
)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
async def test_a_value_outside_a_closed_set_is_refused(engine_url: Databases, text):
    database = await opened(engine_url.worker_url)
    await database.write(WORKER, _run, *ROWS)

    with pytest.raises(StoreError, match="refused"):
        await database.write(WORKER, _run, text)
    await database.close()


def _run(*texts: str) -> Script[None]:
    for text in texts:
        yield sql(text)


async def test_values_nobody_wrote_are_mended_by_the_upgrade(empty_engine_url: Databases):
    def before(kind: str) -> Script[None]:
        yield from at_revision(kind, 13)
        for text in (*ROWS, *WRONG.values()):
            yield sql(text)

    def mended() -> Script[dict[str, object]]:
        found: dict[str, object] = {}
        for table in ("feed_candidates", "websub", "feeds"):
            rows = yield sql(f"SELECT * FROM {table}")
            found |= {f"{table}.{name}": rows[0][name] for name in rows[0].keys()}  # noqa: SIM118 - sqlite3.Row
        return found

    web, worker = (
        DatabaseURL.parse(empty_engine_url.web_url),
        DatabaseURL.parse(empty_engine_url.worker_url),
    )
    database = await opened(empty_engine_url.worker_url)
    await database.write(WORKER, before, database.kind)
    await upgrade(web, worker)

    found = await database.read(WORKER, mended)

    assert found["feeds.state"] == "unchecked"
    assert found["feeds.format"] is None
    assert found["feeds.topic_status"] == "pending"
    assert found["feeds.topic_confidence"] is None
    assert found["feed_candidates.discovered_from"] == "guess"
    assert found["feed_candidates.validation_status"] == "invalid"
    assert found["websub.state"] == "pending"
    await database.close()
