"""What SQLite promises: people's writes wait for the disk, the log is watched."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from feedloom.store.engine.sqlite import SQLiteDatabase
from feedloom.store.engine.steps import WORKER, Scope, Steps, sql

FULL, NORMAL = 2, 1


def synchronous() -> Steps[int]:
    rows = yield sql("PRAGMA synchronous")
    found: int = rows[0]["synchronous"]
    return found


def fill(letters: int) -> Steps[None]:
    yield sql("CREATE TABLE IF NOT EXISTS t (a TEXT)")
    yield sql("INSERT INTO t (a) VALUES (:a)", a="x" * letters)


@pytest.mark.threat("D8", "D13")
async def test_people_wait_for_the_disk_and_workers_do_not(tmp_path: Path):
    database = SQLiteDatabase(tmp_path / "f.db")
    scopes = [
        WORKER,
        Scope(user_id=1),
        WORKER,
        Scope(operator=True),
        Scope(credential="x"),
    ]

    found = [await database.write(scope, synchronous) for scope in scopes]

    await database.close()
    assert found == [NORMAL, FULL, NORMAL, FULL, FULL]


@pytest.mark.threat("D11")
async def test_a_log_that_a_reader_keeps_from_being_emptied_is_told_once(
    tmp_path: Path,
):
    database = SQLiteDatabase(tmp_path / "f.db", large=300_000)
    await database.write(WORKER, fill, 10)
    with closing(sqlite3.connect(tmp_path / "f.db", isolation_level=None)) as reader:
        reader.execute("PRAGMA application_id = 1179406157")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM t").fetchall()

        with capture_logs() as logs:
            for _ in range(600):
                await database.write(WORKER, fill, 4_000)
        reader.execute("ROLLBACK")

    await database.close()
    told = [line for line in logs if line["event"] == "write_ahead_log_large"]
    assert [line["log_level"] for line in told] == ["critical"]


async def test_a_log_of_ordinary_size_is_not_told(tmp_path: Path):
    database = SQLiteDatabase(tmp_path / "f.db")

    with capture_logs() as logs:
        for _ in range(250):
            await database.write(WORKER, fill, 4_000)

    await database.close()
    assert logs == []
