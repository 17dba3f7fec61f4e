"""Copies: one consistent snapshot of a database, row by row into an empty one.

Counts and content hashes of both sides are compared in the end. Leases do not travel. A source
of an older version becomes a temporary file first, which is brought up to date.
"""

import hashlib
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import asyncpg

from feedloom.model.errors import SchemaTooNew, StoreError
from feedloom.store.engine import migrate
from feedloom.store.engine.database import DatabaseURL, open_database, upgrade
from feedloom.store.engine.postgres import translated as translated_postgres
from feedloom.store.engine.scripts import WORKER, Database, Insert, Query, Script, sql
from feedloom.store.engine.sqlite import APPLICATION_ID, connect, drive, translated

_BATCH = 1_000
_CHANGE = re.compile(r"(CREATE|DROP|ALTER) TABLE (\w+)(?: RENAME TO (\w+))?")
_NOT_COPIED = {"workers", "story_lease", "index_queue", "article_index", "feed_index"}
Values = tuple[object, ...]
Told = Callable[[str, int], None]
RowBatches = AsyncIterator[tuple[tuple[str, ...], list[Values]]]


@dataclass(frozen=True, slots=True)
class TableCopy:
    table: str
    rows: int
    digest: str


class Snapshot(Protocol):
    async def version(self) -> int: ...

    def batches(self, table: str) -> RowBatches: ...


def tables(kind: str, version: int | None = None) -> list[str]:
    found: dict[str, bool] = {}
    for step in migrate.migrations(kind):
        if version is not None and step.version > version:
            break
        for match in filter(None, map(_CHANGE.match, step.statements)):
            verb, table, new_name = match.groups()
            if new_name:
                del found[table]
                found[new_name] = True
            elif verb != "ALTER":
                # A table that is built anew keeps its place before those that refer to it.
                found[table] = verb == "CREATE"
    return [t for t, exists in found.items() if exists and t not in _NOT_COPIED]


async def copy_database(source: DatabaseURL, target: DatabaseURL, told: Told) -> list[TableCopy]:
    """Copy all of ``source`` into the empty ``target``; raise when they then differ."""
    await upgrade(target, target)
    database = await open_database(target, worker=True, size=2, patient=True)
    try:
        if await database.read(WORKER, _is_filled, database.kind):
            raise StoreError("The target already contains data. Choose an empty database.")
        await database.write(WORKER, _clear, ["installation"])
        try:
            async with snapshot(source) as given, _up_to_date(given, target) as moment:
                copied = [
                    await _copy_table(moment, database, table, told)
                    for table in tables(source.kind)
                ]
            await database.write(WORKER, _settle_down, database.kind)
            await _compare(copied, target)
        except BaseException:
            # Why it failed is what matters, also where nothing can be written any more.
            with suppress(StoreError):
                names = ["index_queue", *reversed(tables(database.kind))]
                await database.write(WORKER, _clear, names)
            raise
    finally:
        await database.close()
    return copied


def _is_filled(kind: str) -> Script[bool]:
    held = [name for name in tables(kind) if name != "installation"]
    some = " OR ".join(f"EXISTS (SELECT 1 FROM {table})" for table in held)
    rows = yield sql(f"SELECT 1 AS x WHERE {some}")
    return bool(rows)


def _clear(names: list[str]) -> Script[None]:
    for table in names:
        yield sql(f"DELETE FROM {table}")


@asynccontextmanager
async def _up_to_date(moment: Snapshot, target: DatabaseURL) -> AsyncIterator[Snapshot]:
    version = await moment.version()
    current = migrate.migrations("sqlite")[-1].version
    if version > current:
        raise SchemaTooNew
    if not version:
        raise StoreError("The source is empty: it contains no Feedloom data.")
    if version == current:
        yield moment
        return
    # Beside the target there is room for all of it anyway; /tmp may be in memory.
    beside = None if target.path is None else target.path.parent
    with TemporaryDirectory(prefix="feedloom-", dir=beside) as folder:
        renewed = DatabaseURL("sqlite", "", path=Path(folder) / "renewed.db")
        await _copy_as_of(version, moment, renewed)
        await upgrade(renewed, renewed)
        async with snapshot(renewed) as later:
            yield later


async def _copy_as_of(version: int, moment: Snapshot, target: DatabaseURL) -> None:
    def make_schema() -> Script[None]:
        steps = migrate.migrate("sqlite")
        statement = next(steps)
        while not (isinstance(statement, Query) and statement.params.get("version") == version):
            statement = steps.send((yield statement))
        yield statement
        yield sql(f"PRAGMA application_id = {APPLICATION_ID}")

    database = await open_database(target, worker=True)
    try:
        await database.write(WORKER, make_schema)
        copied = [
            await _copy_table(moment, database, table, lambda _table, _rows: None)
            for table in tables("sqlite", version)
        ]
    finally:
        await database.close()
    await _compare(copied, target)


async def _copy_table(moment: Snapshot, database: Database, table: str, told: Told) -> TableCopy:
    digest, count = hashlib.sha256(), 0
    kept: list[Values] = []
    columns: tuple[str, ...] = ()
    async for columns, rows in moment.batches(table):
        _digest(digest, rows)
        count += len(rows)
        told(table, count)
        if table == "folders":
            kept += rows
        else:
            await database.write(WORKER, _insert, database.kind, table, columns, rows)
    if kept:
        # Each folder comes after the one it lies in.
        own, parent = columns.index("id"), columns.index("parent_id")
        children: dict[object, list[Values]] = {}
        for row in kept:
            children.setdefault(row[parent], []).append(row)
        ordered = children.get(None, [])
        for row in ordered:
            ordered += children.get(row[own], [])
        await database.write(WORKER, _insert, database.kind, table, columns, ordered)
    return TableCopy(table, count, digest.hexdigest())


def _insert(kind: str, table: str, columns: tuple[str, ...], rows: list[Values]) -> Script[None]:
    if kind == "postgresql":
        # SQLite's 0 and 1 become booleans where PostgreSQL's columns are such.
        text = """SELECT column_name FROM information_schema.columns WHERE table_name = :table
            AND table_schema = current_schema() AND data_type = 'boolean'"""
        found = yield sql(text, table=table)
        booleans = {row["column_name"] for row in found}
        places = {place for place, name in enumerate(columns) if name in booleans}
        if places:
            rows = [
                tuple(
                    bool(value) if place in places and value is not None else value
                    for place, value in enumerate(row)
                )
                for row in rows
            ]
    yield Insert(table, columns, rows)


def _settle_down(kind: str) -> Script[None]:
    """Void leases, and let new ids follow the copied ones."""
    for table, due in (("feed_schedules", "due_at"), ("tasks", "run_at")):
        yield sql(f"""UPDATE {table} SET lease_token = NULL, locked_until = NULL,
            locked_by = NULL, {due} = LEAST({due}, now_us()) WHERE lease_token IS NOT NULL""")
    yield sql("UPDATE hosts SET in_flight = '[]'")
    # The copy's own index is made anew from its rows.
    for name in ("article", "feed"):
        yield sql(f"""INSERT INTO index_queue (kind, id) SELECT '{name}', id FROM {name}s
            WHERE true ON CONFLICT DO NOTHING""")
    if kind == "sqlite":
        return
    found = yield sql("""SELECT table_name FROM information_schema.columns WHERE column_name = 'id'
        AND is_identity = 'YES' AND table_schema = current_schema()""")
    for row in found:
        table = row["table_name"]
        yield sql(f"""SELECT setval(pg_get_serial_sequence('{table}', 'id'),
            GREATEST((SELECT coalesce(max(id), 1) FROM {table}), 1))""")


async def _compare(copied: Sequence[TableCopy], target: DatabaseURL) -> None:
    leased = {"feed_schedules", "tasks", "hosts", "installation"}
    async with snapshot(target) as moment:
        for table in copied:
            digest, count = hashlib.sha256(), 0
            async for _, rows in moment.batches(table.table):
                _digest(digest, rows)
                count += len(rows)
            same = digest.hexdigest() == table.digest or table.table in leased
            if count != table.rows or not same:
                raise StoreError(f"The copy of {table.table} differs from its source.")


def _digest(digest: Any, rows: list[Values]) -> None:
    for row in rows:
        plain = [int(value) if isinstance(value, bool) else value for value in row]
        digest.update(repr(plain).encode())


@asynccontextmanager
async def snapshot(url: DatabaseURL) -> AsyncIterator[Snapshot]:
    if url.path is None:
        with translated_postgres():
            settings = {"feedloom.worker": "on"}
            connection = await asyncpg.connect(url.text, server_settings=settings)
            try:
                async with connection.transaction(isolation="repeatable_read", readonly=True):
                    yield _PostgresSnapshot(connection)
            finally:
                await connection.close()
        return
    is_file = False
    with suppress(OSError):  # A name that is too long.
        is_file = url.path.is_file()
    if not is_file:
        raise StoreError(f"There is no database at {url.path}.")
    with translated(url.path), closing(connect(url.path, read_only=True)) as file:
        file.execute("BEGIN")
        file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield _SQLiteSnapshot(file)


class _SQLiteSnapshot:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def version(self) -> int:
        return drive(self._connection, migrate.current_version("sqlite"))

    async def batches(self, table: str) -> RowBatches:
        info = self._connection.execute(f"PRAGMA table_info({table})").fetchall()
        columns = tuple(sorted(row["name"] for row in info))
        key = [row["name"] for row in sorted(info, key=lambda r: r["pk"]) if row["pk"]]
        cursor = self._connection.execute(
            f"SELECT {', '.join(columns)} FROM {table} ORDER BY {_order(key)}"
        )
        while rows := cursor.fetchmany(_BATCH):
            yield columns, [tuple(row) for row in rows]


class _PostgresSnapshot:
    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def version(self) -> int:
        if await self._connection.fetchval("SELECT to_regclass('schema_migrations')") is None:
            return 0
        text = "SELECT coalesce(max(version), 0) FROM schema_migrations"
        found: int = await self._connection.fetchval(text)
        return found

    async def batches(self, table: str) -> RowBatches:
        info = await self._connection.fetch(
            "SELECT attname, coalesce(array_position(i.indkey::int2[], attnum), -1)"
            " AS place FROM pg_attribute LEFT JOIN pg_index i"
            " ON i.indrelid = attrelid AND i.indisprimary"
            " WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped",
            table,
        )
        columns = tuple(sorted(row["attname"] for row in info))
        keyed = sorted((row["place"], row["attname"]) for row in info if row["place"] >= 0)
        order = _order([name for _, name in keyed], collate=True)
        text = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"
        batch: list[Values] = []
        async for row in self._connection.cursor(text, prefetch=_BATCH):
            batch.append(tuple(row.values()))
            if len(batch) == _BATCH:
                yield columns, batch
                batch = []
        if batch:
            yield columns, batch


_TEXT_KEYS = {"token_hash", "bucket", "host_key", "key", "provider", "subject", "guid_hash"}


def _order(key: list[str], *, collate: bool = False) -> str:
    return ", ".join(
        f'{name} COLLATE "C"' if collate and name in _TEXT_KEYS else name for name in key
    )
