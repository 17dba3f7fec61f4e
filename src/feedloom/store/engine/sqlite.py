"""SQLite: one file, one writing thread, one reading thread.

Writers start ``BEGIN IMMEDIATE``, so that a transaction never finds out half-way that it may
not write. When the machine loses power, what people did is kept (``synchronous = FULL`` waits
for the disk); what workers fetched in the last moments may be gone and is fetched again.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from urllib.parse import quote

import structlog

from feedloom.model.errors import StoreError, StoreUnavailable
from feedloom.store.engine.dialect import for_sqlite, sqlite_rows, sqlite_values
from feedloom.store.engine.encryption import NO_KEYS, Keys
from feedloom.store.engine.scripts import (
    WORKER,
    ForceCustomPlan,
    Insert,
    Many,
    NotifyWorkers,
    P,
    Query,
    Row,
    Scope,
    Script,
    Search,
    SetUser,
    Statement,
    T,
)

log = structlog.get_logger()

LOG_BYTES = 32_000_000
"""A commit that finds a longer log copies the rest of it; then the log starts over."""


class Checkpoints:
    """Makes a checkpoint of one file every few seconds until it is closed."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        every_s: float = 2.0,
        large: int = 512 * 1024 * 1024,
    ) -> None:
        self._path = path.resolve()
        self._connection = connection
        self._page = connection.execute("PRAGMA page_size").fetchone()[0]
        self._every_s = every_s
        self._large = large
        self._is_alarmed = False
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feedloom-checkpoint", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while not self._closing.wait(self._every_s):
            # A full disk, or a file that is locked: what is committed is in the log, and
            # the next checkpoint tries again.
            with suppress(sqlite3.DatabaseError):
                self.make()

    def make(self) -> None:
        """Copy what may be copied without making anybody wait."""
        found = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        size = found[1] * self._page
        if size > self._large and not self._is_alarmed:
            log.critical(
                "write_ahead_log_large",
                megabytes=size // 1_048_576,
                why=f"{self._path}-wal grows because another program has been reading"
                " the file for a long time. Stop that program and the log shrinks again.",
            )
        self._is_alarmed = size > self._large


APPLICATION_ID = 0x464C4F4D  # "FLOM"
MINIMUM_VERSION = (3, 40, 0)
_MAX_VARIABLES = 30_000
_BUSY_S = 30
_PAGE = 8_192
"""Four articles fit, where the usual size has room for two: storing them takes four
fifths of the time. Files that are older keep theirs."""
_PRAGMAS = (
    f"PRAGMA page_size = {_PAGE}",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA busy_timeout = {_BUSY_S * 1000}",
    "PRAGMA synchronous = NORMAL",  # for workers; see ``_write``
    "PRAGMA cache_size = -16000",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_size_limit = 67108864",
)


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < MINIMUM_VERSION:
        raise StoreUnavailable(
            f"SQLite {sqlite3.sqlite_version} is too old: 3.40 or newer is needed."
        )
    mode = "ro" if read_only else "rwc"
    with translated(path):
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
        )
        try:
            _prepare(connection, path, read_only=read_only)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, *, read_only: bool) -> None:
    connection.row_factory = sqlite3.Row
    # Deterministic in SQLite's sense: within a statement. So it is called once for all rows.
    connection.create_function("now_us", 0, lambda: time.time_ns() // 1000, deterministic=True)
    # There is one writer anyway.
    connection.create_function("pg_advisory_xact_lock", 1, lambda _: None)
    connection.create_function("pg_advisory_xact_lock_shared", 1, lambda _: None)
    for pragma in _PRAGMAS:
        connection.execute(pragma)
    if connection.execute("PRAGMA foreign_keys").fetchone()[0] != 1:
        raise StoreUnavailable("SQLite was built without foreign keys.")
    # In this order: another process may be making and marking them at this moment.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    marked = connection.execute("PRAGMA application_id").fetchone()[0]
    if tables and marked != APPLICATION_ID:
        raise StoreUnavailable(
            f"{path} belongs to another program. Choose another file with FEEDLOOM_DATABASE_URL."
        )
    page = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_BYTES // page}")
    if not read_only:
        connection.execute("PRAGMA journal_mode = WAL")


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _translated(error, path) from error
    except (sqlite3.InterfaceError, UnicodeEncodeError, OverflowError) as error:
        # A value that no column takes: half a surrogate, a number of 70 bits.
        raise StoreError(f"The database refused this: {error}") from error


def _translated(error: sqlite3.DatabaseError, path: Path | str) -> StoreError:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            text = f"{path} is locked by another program. Try again in a moment."
        case sqlite3.SQLITE_FULL:
            text = f"The disk that holds {path} is full. Free up some space."
        case sqlite3.SQLITE_READONLY:
            text = f"{path} is read-only. Make the file and its folder writable."
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            text = f"{path} cannot be opened. Check that you may access it and its folder."
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            text = (
                f"{path} is damaged or is not a Feedloom database. Restore a backup"
                " with `feedloom db restore`, or move the file away to start over."
            )
        case sqlite3.SQLITE_IOERR:
            text = f"Reading or writing {path} failed. Check the disk."
        case _:
            return StoreError(f"The database refused this: {error}", detail=str(error))
    return StoreUnavailable(text, detail=str(error))


def drive(
    connection: sqlite3.Connection,
    script: Script[T],
    nudge: Callable[[], None] = lambda: None,
    keys: Keys = NO_KEYS,
) -> T:
    try:
        statement = next(script)
        while True:
            if isinstance(statement, NotifyWorkers):
                nudge()
            rows = _run(connection, keys.sealed(statement))
            statement = script.send(keys.opened(rows))
    except StopIteration as stop:
        result: T = stop.value
        return result


def _run(connection: sqlite3.Connection, statement: Statement) -> Sequence[Row]:
    match statement:
        case Query(text, params):
            compiled, names = for_sqlite(text)
            return connection.execute(compiled, sqlite_values(names, params)).fetchall()
        case Search(text, params, match):
            return _run(connection, Query(text.replace("{match}", match.sqlite), params))
        case Many(text, rows):
            compiled, names = for_sqlite(text)
            connection.executemany(compiled, sqlite_rows(names, rows))
            return ()
        case Insert():
            return _insert(connection, statement)
        case SetUser() | NotifyWorkers() | ForceCustomPlan():
            return ()


def _insert(connection: sqlite3.Connection, insert: Insert) -> Sequence[Row]:
    width = len(insert.columns)
    chunk = _MAX_VARIABLES // width
    place = f"({','.join('?' * width)})"
    head = f"INSERT INTO {insert.table} ({','.join(insert.columns)}) VALUES "
    newest, found = 0, list[Row]()
    if insert.returning:
        # RETURNING takes a third of the whole; nobody else writes meanwhile.
        last = connection.execute(f"SELECT max(id) FROM {insert.table}").fetchone()
        newest = last[0] or 0
    for start in range(0, len(insert.rows), chunk):
        rows = insert.rows[start : start + chunk]
        text = f"{head}{','.join([place] * len(rows))} {insert.tail}"
        values = list(chain.from_iterable(rows))
        found += connection.execute(text, values).fetchall()
    if not insert.returning:
        return found
    columns = ", ".join(insert.returning)
    return connection.execute(
        f"SELECT {columns} FROM {insert.table} WHERE id > ?", (newest,)
    ).fetchall()


class SQLiteDatabase:
    kind = "sqlite"

    def __init__(self, path: Path, keys: Keys = NO_KEYS) -> None:
        self.path = path
        self.keys = keys
        self._writer = ThreadPoolExecutor(1, "feedloom-write")
        self._reader = ThreadPoolExecutor(1, "feedloom-read")
        self._write_connection = connect(path)
        self._read_connection = connect(path)
        self._read_connection.execute("PRAGMA query_only = ON")
        self._listeners: list[Callable[[], None]] = []
        self._is_durable = False
        self._checkpoints = Checkpoints(path, connect(path))

    async def write(
        self, scope: Scope, steps: Callable[P, Script[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        loop = asyncio.get_running_loop()
        result, nudged = await loop.run_in_executor(
            self._writer, self._write, lambda: steps(*args, **kwargs), scope != WORKER
        )
        if nudged:
            for heard in self._listeners:
                heard()
        return result

    async def nudges(self, heard: Callable[[], None]) -> Callable[[], Awaitable[None]]:
        self._listeners.append(heard)

        async def stop() -> None:
            self._listeners.remove(heard)

        return stop

    async def read(
        self,
        scope: Scope,  # noqa: ARG002 - rows are guarded by each query's user filter
        steps: Callable[P, Script[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader, self._read, lambda: steps(*args, **kwargs))

    async def close(self) -> None:
        await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._reader.shutdown)
        await asyncio.to_thread(self._checkpoints.close)
        self._read_connection.close()
        self._write_connection.close()

    def _write(
        self,
        make: Callable[[], Script[T]],
        durable: bool,  # noqa: FBT001 - by an executor
    ) -> tuple[T, bool]:
        connection = self._write_connection
        nudges: list[None] = []
        with translated(self.path):
            if durable != self._is_durable:
                mode = "FULL" if durable else "NORMAL"
                connection.execute(f"PRAGMA synchronous = {mode}")
                self._is_durable = durable
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = drive(connection, make(), lambda: nudges.append(None), self.keys)
                connection.execute("COMMIT")
            except BaseException:
                # A failed COMMIT (disk full) leaves the transaction open.
                with suppress(sqlite3.OperationalError):
                    connection.execute("ROLLBACK")
                raise
        return result, bool(nudges)

    def _read(self, make: Callable[[], Script[T]]) -> T:
        connection = self._read_connection
        with translated(self.path):
            connection.execute("BEGIN")
            try:
                return drive(connection, make(), keys=self.keys)
            finally:
                with suppress(sqlite3.OperationalError):
                    connection.execute("ROLLBACK")
