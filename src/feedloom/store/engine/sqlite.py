"""SQLite: one file, one writing thread, one reading thread.

Scripts go in, their results come out. Writers start ``BEGIN IMMEDIATE``, so that a
transaction never finds out half-way that it may not write. Nothing here knows tables.

A third connection is for glances: a row or two by their keys, and whether anything was
committed since. They take less time than the way to a thread and back, so they happen
where they are asked for, and not again until something is committed. They wait for no
lock: then it is the thread that reads. A third thread empties the write-ahead log.

No write that returned is lost when a process ends. When the machine loses power, what
people did is kept too (``synchronous = FULL`` waits for the disk); what workers fetched
in the last moments may be gone and is fetched again.
"""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from feedloom.model.errors import StoreError, StoreUnavailable
from feedloom.model.ports import Sight, watching
from feedloom.store.engine.dialect import for_sqlite, sqlite_rows, sqlite_values
from feedloom.store.engine.log_keeping import LOG_BYTES, LogKeeper
from feedloom.store.engine.steps import (
    WORKER,
    Become,
    Insert,
    Many,
    Nudge,
    P,
    PlanAfresh,
    Query,
    Row,
    Scope,
    Statement,
    Steps,
    T,
)

APPLICATION_ID = 0x464C4F4D  # "FLOM"
MINIMUM_VERSION = (3, 40, 0)
_MAX_VARIABLES = 30_000
_BUSY_S = 30
_PAGE = 8_192
"""Four articles fit, where the usual size has room for two: storing them takes four
fifths of the time. Files that are older keep theirs."""
_LAST_RESORT = 4
"""A log that is so many times as long as it should be is emptied by any commit."""
_MOST_GLANCES = 1_000
_VERSION = "PRAGMA data_version"
_AUTOMATIC = "PRAGMA wal_autocheckpoint"
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
    """Open a file with every pragma set and checked; raise a sentence otherwise."""
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
    connection.create_function("now_us", 0, _now_us, deterministic=True)
    for pragma in _PRAGMAS:
        connection.execute(pragma)
    if connection.execute("PRAGMA foreign_keys").fetchone()[0] != 1:
        raise StoreUnavailable("SQLite was built without foreign keys.")
    # In this order: another process may be making and marking them at this moment.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    marked = connection.execute("PRAGMA application_id").fetchone()[0]
    if tables and marked != APPLICATION_ID:
        raise StoreUnavailable(
            f"{path} is a database of another program. Choose another file with"
            " FEEDLOOM_DATABASE_URL."
        )
    page = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.execute(f"{_AUTOMATIC} = {LOG_BYTES // page}")
    if not read_only:
        connection.execute("PRAGMA journal_mode = WAL")


def _now_us() -> int:
    return time.time_ns() // 1000


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """Turn the driver's errors into ours, each with what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _translate(error, path) from error
    except (sqlite3.InterfaceError, UnicodeEncodeError, OverflowError) as error:
        # A value that no column takes: half a surrogate, a number of 70 bits.
        raise StoreError(f"The database refused this: {error}") from error


def _translate(error: sqlite3.DatabaseError, path: Path | str) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    base = code & 0xFF if code is not None else None
    match base:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            text = f"{path} is locked by another program. Try again in a moment."
        case sqlite3.SQLITE_FULL:
            text = f"The disk that holds {path} is full. Free some space."
        case sqlite3.SQLITE_READONLY:
            text = f"{path} is read-only. Make the file and its folder writable."
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            text = (
                f"{path} cannot be opened. Check that its folder exists and is yours."
            )
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            text = (
                f"{path} is damaged or is not a Feedloom database. Restore a backup"
                " with `feedloom db restore`, or move the file away to start anew."
            )
        case sqlite3.SQLITE_IOERR:
            text = f"Reading or writing {path} failed. Check the disk."
        case _:
            return StoreError(f"The database refused this: {error}", detail=str(error))
    return StoreUnavailable(text, detail=str(error))


def drive(
    connection: sqlite3.Connection,
    script: Steps[T],
    nudge: Callable[[], None] = lambda: None,
) -> T:
    """Run a script's statements until it returns."""
    try:
        statement = next(script)
        while True:
            if isinstance(statement, Nudge):
                nudge()
            statement = script.send(_run(connection, statement))
    except StopIteration as stop:
        result: T = stop.value
        return result


def _run(connection: sqlite3.Connection, statement: Statement) -> Sequence[Row]:
    match statement:
        case Query(text, params):
            compiled, names = for_sqlite(text)
            return connection.execute(compiled, sqlite_values(names, params)).fetchall()
        case Many(text, rows):
            compiled, names = for_sqlite(text)
            connection.executemany(compiled, sqlite_rows(names, rows))
            return ()
        case Insert():
            return _insert(connection, statement)
        case Become() | Nudge() | PlanAfresh():
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
    """A file and the two threads that use it."""

    kind = "sqlite"

    def __init__(self, path: Path, **log_sizes: int) -> None:
        """Open a file; sizes of its log (see ``LogKeeper``) are for tests."""
        self.path = path
        self._writer = ThreadPoolExecutor(1, "feedloom-write")
        self._reader = ThreadPoolExecutor(1, "feedloom-read")
        self._write_connection = connect(path)
        self._read_connection = connect(path)
        self._glance_connection = connect(path)
        self._glance_connection.execute("PRAGMA busy_timeout = 0")
        self._glance_connection.execute("PRAGMA cache_size = -1000")
        for connection in (self._read_connection, self._glance_connection):
            connection.execute("PRAGMA query_only = ON")
        self._glanced: dict[tuple[object, ...], Any] = {}
        self._glanced_at: int | None = None
        self._listeners: list[Callable[[], None]] = []
        self._is_durable = False
        self._log = LogKeeper(path, connect(path), **log_sizes)
        [pages] = self._write_connection.execute(_AUTOMATIC).fetchone()
        self._write_connection.execute(f"{_AUTOMATIC} = {_LAST_RESORT * pages}")

    async def write(
        self,
        scope: Scope,
        steps: Callable[P, Steps[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a script in one IMMEDIATE transaction."""
        loop = asyncio.get_running_loop()
        result, nudged = await loop.run_in_executor(
            self._writer, self._write, lambda: steps(*args, **kwargs), scope != WORKER
        )
        if nudged:
            for heard in self._listeners:
                heard()
        return result

    async def nudges(self, heard: Callable[[], None]) -> Callable[[], Awaitable[None]]:
        """Hear the nudges of this process."""
        self._listeners.append(heard)

        async def stop() -> None:
            self._listeners.remove(heard)

        return stop

    async def read(
        self,
        scope: Scope,  # noqa: ARG002 - rows are guarded by each query's user filter
        steps: Callable[P, Steps[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a script on a snapshot of the file."""
        sight = watching()
        if sight is not None:
            sight.note(self._version())
        loop = asyncio.get_running_loop()
        result = await loop.run_in_executor(
            self._reader,
            self._read,
            self._read_connection,
            lambda: steps(*args, **kwargs),
        )
        if sight is not None:
            # Versions are a connection's own, so it is the glancing one that tells
            # that nothing was committed while another one read.
            sight.note(self._version())
        return result

    async def glance(
        self,
        scope: Scope,
        steps: Callable[P, Steps[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a script of a few quick statements without a thread, or remember it."""
        seen, key = Sight(), (steps, args, *kwargs.items())
        version = self._version()
        if version != self._glanced_at or len(self._glanced) >= _MOST_GLANCES:
            self._glanced, self._glanced_at = {}, version
        if version is not None and key in self._glanced:
            found: T = self._glanced[key]
            seen.note(version)
        else:
            try:
                found = self._read(
                    self._glance_connection, lambda: steps(*args, **kwargs), seen
                )
            except StoreUnavailable:
                return await self.read(scope, steps, *args, **kwargs)
            if seen.version == version:
                self._glanced[key] = found
        sight = watching()
        if sight is not None:
            sight.note(seen.version)
        return found

    async def close(self) -> None:
        """Let running scripts finish, then close the file."""
        await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._reader.shutdown)
        await asyncio.to_thread(self._log.close)
        self._glance_connection.close()
        self._read_connection.close()
        self._write_connection.close()

    def _version(self) -> int | None:
        """Tell what grows with each commit of any other connection, in any process."""
        try:
            found: int = self._glance_connection.execute(_VERSION).fetchone()[0]
        except sqlite3.OperationalError:
            return None
        return found

    def _write(
        self,
        make: Callable[[], Steps[T]],
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
                result = drive(connection, make(), lambda: nudges.append(None))
                connection.execute("COMMIT")
            except BaseException:
                # A failed COMMIT (disk full) leaves the transaction open.
                with suppress(sqlite3.OperationalError):
                    connection.execute("ROLLBACK")
                raise
            self._log.note_commit(connection, patient=durable)
        return result, bool(nudges)

    def _read(
        self,
        connection: sqlite3.Connection,
        make: Callable[[], Steps[T]],
        sight: Sight | None = None,
    ) -> T:
        with translated(self.path):
            connection.execute("BEGIN")
            try:
                if sight is not None:
                    sight.note(connection.execute(_VERSION).fetchone()[0])
                return drive(connection, make())
            finally:
                with suppress(sqlite3.OperationalError):
                    connection.execute("ROLLBACK")
