"""A file that another program holds, and a feed that thousands read."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from feedloom.model.errors import StoreUnavailable
from feedloom.store.engine.scripts import WORKER, Scope, Script, sql
from feedloom.store.engine.sqlite import SQLiteDatabase
from feedloom.store.ingest import arrivals
from tests.stores import Stores

URL = "https://site.example/feed.xml"
READERS = 600
ARTICLES = 20


def note() -> Script[None]:
    yield sql("CREATE TABLE IF NOT EXISTS t (a TEXT)")
    yield sql("INSERT INTO t (a) VALUES ('x')")


def count() -> Script[int]:
    rows = yield sql("SELECT count(*) AS n FROM t")
    found: int = rows[0]["n"]
    return found


@pytest.mark.threat("D10", "D9")
async def test_a_lock_of_another_program_is_waited_for_and_reads_go_on(tmp_path: Path):
    path = tmp_path / "f.db"
    database = SQLiteDatabase(path)
    await database.write(WORKER, note)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(database.write(Scope(user_id=1), note))
        await asyncio.sleep(0.5)
        read = await database.read(WORKER, count)
        is_waiting = not waiting.done()
        other.execute("ROLLBACK")
        await waiting

    assert is_waiting
    assert read == 1
    assert await database.read(WORKER, count) == 2
    await database.close()


@pytest.mark.threat("D10")
async def test_a_lock_that_does_not_end_is_one_error_with_a_reason(tmp_path: Path):
    path = tmp_path / "f.db"
    database = SQLiteDatabase(path)
    await database.write(WORKER, note)
    database._write_connection.execute("PRAGMA busy_timeout = 100")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreUnavailable, match="locked by another program"):
            await database.write(WORKER, note)

    await database.write(WORKER, note)
    assert await database.read(WORKER, count) == 2
    await database.close()


@pytest.mark.threat("W5")
async def test_a_feed_that_hundreds_read_is_given_out_in_pieces(stores: Stores):
    def people() -> Script[None]:
        for n in range(READERS):
            rows = yield sql(
                "INSERT INTO users (email, created_at) VALUES (:email, now_us()) RETURNING id",
                email=f"r{n}@example.org",
            )
            user = rows[0]["id"]
            rows = yield sql(
                "INSERT INTO folders (user_id, name, is_root)"
                " VALUES (:user, '', true) RETURNING id",
                user=user,
            )
            yield sql(
                "INSERT INTO subscriptions (user_id, feed_id, folder_id, seeded, added_at)"
                " SELECT :user, id, :folder, true, now_us() FROM feeds",
                user=user,
                folder=rows[0]["id"],
            )

    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.work.write(WORKER, people)
    began = time.monotonic()

    stored = await stores.deliver(URL, *(f"{n}" for n in range(ARTICLES)))

    [given] = await stores.rows("SELECT count(*) AS n FROM article_states")
    assert stored.new_articles == ARTICLES
    assert given["n"] == (READERS + 1) * ARTICLES > arrivals._FAN_OUT_CHUNK
    assert time.monotonic() - began < 30
