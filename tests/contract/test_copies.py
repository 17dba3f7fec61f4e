"""Copies between engines and backups under load: equal, consistent, without leases."""

import asyncio
import shutil
from pathlib import Path

import pytest

from feedloom.model.errors import SchemaTooNew, StoreError
from feedloom.store import DatabaseURL, copy_database, find_faults, open_database, upgrade
from feedloom.store.engine import migrate
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.databases import Databases, sqlite_databases
from tests.faults.lab import revisions
from tests.stores import Stores

URL = "https://site.example/feed.xml"
EARLIER = [migration.version for migration in migrate.migrations("sqlite")][:-1]


def quietly(_table: str, _rows: int) -> None:
    pass


async def filled(stores: Stores) -> None:
    ada = await stores.person("ada@example.org")
    bob = await stores.person("bob@example.org")
    news = await stores.folders.create(ada.id, "News")
    world = await stores.folders.create(ada.id, "World")
    await stores.folders.move(ada.id, news.id, world.id)
    await stores.subscriptions.subscribe(ada.id, URL, folder_id=news.id)
    await stores.subscriptions.subscribe(bob.id, URL, title="Ünïcode ☃")
    await stores.deliver(URL, *(f"título {n}" for n in range(30)))
    await stores.reading.mark(ada.id, [1, 2, 3], "starred")
    await stores.reading.tag(ada.id, [4], "später")
    await stores.operations.make_due(URL, everything=False)
    await stores.queue.claim(1)


@pytest.mark.threat("U9")
async def test_there_and_back_again_is_equal(
    stores: Stores, engine_url: Databases, tmp_path: Path, empty_pg_database: Databases
):
    await filled(stores)
    other = (
        empty_pg_database.worker_url
        if engine_url.kind == "sqlite"
        else sqlite_databases(tmp_path).worker_url
    )
    there = tmp_path / "back.db"

    first = await copy_database(
        DatabaseURL.parse(engine_url.worker_url), DatabaseURL.parse(other), quietly
    )
    second = await copy_database(
        DatabaseURL.parse(other), DatabaseURL.parse(f"sqlite:///{there}"), quietly
    )

    rows = {table.table: table.rows for table in first}
    assert rows["articles"] == 30
    assert rows["article_states"] == 60
    same = {t.table: (t.rows, t.digest) for t in first}
    moved = {t.table: (t.rows, t.digest) for t in second}
    leased = {"feed_schedules", "hosts", "installation"}
    assert {n: v for n, v in same.items() if n not in leased} == {
        n: v for n, v in moved.items() if n not in leased
    }


@pytest.mark.threat("U9")
async def test_new_rows_after_a_copy_get_new_ids(
    stores: Stores, engine_url: Databases, tmp_path: Path, empty_pg_database: Databases
):
    await filled(stores)
    other = empty_pg_database if engine_url.kind == "sqlite" else sqlite_databases(tmp_path)
    await copy_database(
        DatabaseURL.parse(engine_url.worker_url), DatabaseURL.parse(other.worker_url), quietly
    )
    await upgrade(DatabaseURL.parse(other.web_url), DatabaseURL.parse(other.worker_url))
    work = await open_database(DatabaseURL.parse(other.worker_url), worker=True)

    copied = Stores(work, work)
    carl = await copied.person("carl@example.org")
    await copied.subscriptions.subscribe(carl.id, "https://other.example/feed")
    stored = await copied.deliver(URL, "brand new")

    assert carl.id == 3
    assert stored.new_articles == 1
    assert await find_faults(DatabaseURL.parse(other.worker_url)) == []
    await work.close()


@pytest.mark.threat("U8")
async def test_leases_do_not_travel(stores: Stores, engine_url: Databases, tmp_path: Path):
    await filled(stores)
    target = f"sqlite:///{tmp_path / 'backup.db'}"

    await copy_database(
        DatabaseURL.parse(engine_url.worker_url), DatabaseURL.parse(target), quietly
    )

    work = await open_database(DatabaseURL.parse(target), worker=True)
    [feed] = await Stores(work, work).queue.claim(10)
    assert feed.url == URL
    await work.close()


async def test_a_target_that_holds_data_is_refused(
    stores: Stores, engine_url: Databases, tmp_path: Path
):
    await filled(stores)
    source = DatabaseURL.parse(engine_url.worker_url)
    target = DatabaseURL.parse(f"sqlite:///{tmp_path / 'backup.db'}")
    await copy_database(source, target, quietly)

    with pytest.raises(StoreError, match="already contains data"):
        await copy_database(source, target, quietly)


@pytest.mark.threat("U7")
async def test_a_backup_under_write_load_is_consistent(
    stores: Stores, engine_url: Databases, tmp_path: Path
):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    begun, stop = asyncio.Event(), asyncio.Event()

    async def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            await stores.deliver(URL, *(f"{number}-{n}" for n in range(10)))
            begun.set()

    writing = asyncio.create_task(write())
    await begun.wait()
    target = DatabaseURL.parse(f"sqlite:///{tmp_path / 'backup.db'}")

    copied = await copy_database(DatabaseURL.parse(engine_url.worker_url), target, quietly)

    stop.set()
    await writing
    rows = {table.table: table.rows for table in copied}
    assert rows["articles"] > 0
    assert rows["articles"] == rows["article_states"]
    assert rows["articles"] % 10 == 0
    assert await find_faults(target) == []


async def change(url: DatabaseURL, *statements: str) -> None:
    def script() -> Script[None]:
        for statement in statements:
            yield sql(statement)

    database = await open_database(url, worker=True, size=1)
    await database.write(WORKER, script)
    await database.close()


async def left_at(url: DatabaseURL, revision: int) -> None:
    """Make a database as an earlier version left it, with rows."""
    database = await open_database(url, worker=True, size=1)
    await database.write(WORKER, revisions.at_revision, database.kind, revision)
    await database.write(WORKER, revisions.fill)
    await database.close()


async def rows_of(url: DatabaseURL) -> dict[str, str]:
    database = await open_database(url, worker=True, size=1)
    try:
        named = await database.read(WORKER, revisions.all_columns, database.kind)
        return await database.read(WORKER, revisions.digest, named)
    finally:
        await database.close()


def leftovers(folder: Path) -> list[Path]:
    return list(folder.glob("feedloom-*"))


def file(path: Path) -> DatabaseURL:
    return DatabaseURL.parse(f"sqlite:///{path}")


@pytest.mark.threat("U8")
@pytest.mark.sampled(14)
@pytest.mark.parametrize("revision", EARLIER)
async def test_a_backup_of_every_earlier_version_is_restored_as_if_upgraded(
    empty_engine_url: Databases, tmp_path: Path, revision
):
    backup, upgraded = file(tmp_path / "backup.db"), file(tmp_path / "upgraded.db")
    target = DatabaseURL.parse(empty_engine_url.worker_url)
    await left_at(backup, revision)
    shutil.copy(tmp_path / "backup.db", tmp_path / "upgraded.db")
    await upgrade(upgraded, upgraded)
    before = (tmp_path / "backup.db").read_bytes()

    copied = await copy_database(backup, target, quietly)

    assert {t.table: t.rows for t in copied}["bookmarks"] == 20
    assert await rows_of(target) == await rows_of(upgraded)
    assert await find_faults(target) == []
    assert (tmp_path / "backup.db").read_bytes() == before
    assert leftovers(tmp_path) == []


@pytest.mark.threat("U8")
@pytest.mark.sampled(8)
@pytest.mark.parametrize("revision", EARLIER)
async def test_a_database_that_waits_for_its_upgrade_is_backed_up(
    empty_pg_database: Databases, tmp_path: Path, revision
):
    source, target = (DatabaseURL.parse(empty_pg_database.worker_url), file(tmp_path / "b.db"))
    await left_at(source, revision)

    await copy_database(source, target, quietly)

    await upgrade(source, source)
    assert await rows_of(target) == await rows_of(source)
    assert await find_faults(target) == []


@pytest.mark.threat("U4")
async def test_a_backup_of_a_newer_version_is_refused(empty_engine_url: Databases, tmp_path: Path):
    backup = file(tmp_path / "backup.db")
    await upgrade(backup, backup)
    await change(backup, "INSERT INTO schema_migrations VALUES (9999, 'x', 0)")

    with pytest.raises(SchemaTooNew):
        await copy_database(backup, DatabaseURL.parse(empty_engine_url.worker_url), quietly)


async def test_an_empty_source_is_told(empty_engine_url: Databases, tmp_path: Path):
    source = DatabaseURL.parse(empty_engine_url.worker_url)
    await (await open_database(source, worker=True, size=1)).close()

    with pytest.raises(StoreError, match="The source is empty"):
        await copy_database(source, file(tmp_path / "backup.db"), quietly)


async def test_a_copy_that_fails_leaves_its_target_empty_for_the_next(
    stores: Stores, engine_url: Databases, tmp_path: Path
):
    await filled(stores)
    source = DatabaseURL.parse(engine_url.worker_url)
    target = file(tmp_path / "backup.db")

    def fail(table: str, _rows: int) -> None:
        if table == "article_states":
            raise StoreError("The disk is full.")

    with pytest.raises(StoreError, match="disk is full"):
        await copy_database(source, target, fail)
    again = await copy_database(source, target, quietly)

    assert {table.table: table.rows for table in again}["articles"] == 30
    assert await find_faults(target) == []
