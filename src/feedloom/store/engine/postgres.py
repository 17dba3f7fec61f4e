"""PostgreSQL through asyncpg: a pool that runs scripts under row-level security.

What people did is on the disk before they are told so; what workers fetched follows within a
second, and is fetched again should the server crash before. Deadlocks, serialization failures
and changed schemas run the script again, lost connections become one typed error.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress

import asyncpg

from feedloom.model.errors import StoreError, StoreUnavailable
from feedloom.store.engine.dialect import for_postgres
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

_SCOPE = """SELECT set_config('feedloom.user_id', $1, true),
    set_config('feedloom.credential', $2, true), set_config('feedloom.operator', $3, true)"""
_BECOME = "SELECT set_config('feedloom.user_id', $1, true)"
_COLUMN_TYPES = """SELECT attname, format_type(atttypid, NULL) AS type FROM pg_attribute
    WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped"""
_RETRIES = 5
_CHANNEL = "feedloom_work"
_RECONNECT_S = 1.0
_COMMAND_TIMEOUT_S = 60.0
_LOST = (
    ConnectionError,
    asyncpg.InterfaceError,
    # What the driver says when a connection ends while it is being made.
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)
"""The connection ended, perhaps while nobody used it."""
_GONE = (
    *(*_LOST, OSError, TimeoutError, asyncpg.CannotConnectNowError),
    *(asyncpg.TooManyConnectionsError, asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError),
    asyncpg.IdleInTransactionSessionTimeoutError,
)
_AGAIN = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    # A newer version changed the schema; the driver has forgotten its statements now.
    asyncpg.InvalidCachedStatementError,
)


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except (asyncpg.InvalidPasswordError, asyncpg.InvalidAuthorizationSpecificationError) as error:
        raise StoreUnavailable(
            "PostgreSQL refused the user name or password. Check"
            " FEEDLOOM_DATABASE_URL and DB_PASSWORD."
        ) from error
    except asyncpg.InvalidCatalogNameError as error:
        what = "That PostgreSQL database does not exist. Create it first (createdb)."
        raise StoreUnavailable(what) from error
    except (asyncpg.DiskFullError, asyncpg.ReadOnlySQLTransactionError) as error:
        raise StoreUnavailable(f"PostgreSQL cannot write: {error}.") from error
    except _GONE as error:
        raise StoreUnavailable(
            "PostgreSQL cannot be reached. Check that it is running and that"
            " FEEDLOOM_DATABASE_URL is right.",
            detail=f"{type(error).__name__}: {error}",
        ) from error
    except asyncpg.PostgresError as error:
        raise StoreError(f"The database refused this: {error}") from error


class PostgresDatabase:
    kind = "postgresql"

    def __init__(
        self, url: str, *, worker: bool, size: int = 8, patient: bool = False, keys: Keys = NO_KEYS
    ) -> None:
        self._url = url
        self.keys = keys
        self._worker = worker
        self._size = size
        self._timeout_s = None if patient else _COMMAND_TIMEOUT_S
        self._is_hasty = worker and not patient
        self._pool: asyncpg.Pool | None = None
        self._opening = asyncio.Lock()
        self._types: dict[str, dict[str, str]] = {}

    async def open(self) -> None:
        """Connect now, so that a wrong address is told at the start."""
        async with self._connection():
            pass

    async def write(
        self, scope: Scope, steps: Callable[P, Script[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._run(scope, lambda: steps(*args, **kwargs), read_only=False)

    async def read(
        self, scope: Scope, steps: Callable[P, Script[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._run(scope, lambda: steps(*args, **kwargs), read_only=True)

    async def close(self) -> None:
        """Close the pool; connections still busy after 5 s are cut."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            async with asyncio.timeout(5):
                await pool.close()
        except TimeoutError:
            pool.terminate()

    async def nudges(self, heard: Callable[[], None]) -> Callable[[], Awaitable[None]]:
        listening = asyncio.create_task(self._listen(heard))

        async def stop() -> None:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening

        return stop

    async def _listen(self, heard: Callable[[], None]) -> None:
        while True:
            cut = asyncio.Event()
            connection = None
            try:
                connection = await asyncpg.connect(self._url, timeout=5)
                connection.add_termination_listener(lambda _, cut=cut: cut.set())
                await connection.add_listener(_CHANNEL, lambda *_: heard())
                heard()
                await cut.wait()
            except (*_GONE, asyncpg.PostgresError):
                await asyncio.sleep(_RECONNECT_S)
            finally:
                if connection is not None:
                    connection.terminate()

    async def _run(self, scope: Scope, make: Callable[[], Script[T]], *, read_only: bool) -> T:
        for attempt in range(_RETRIES):
            try:
                async with self._connection() as connection:
                    with translated():
                        return await self._transact(connection, scope, make(), read_only=read_only)
            except StoreError as error:
                # Reading twice does no harm, so a dead connection is no reason to fail.
                is_dead = read_only and not attempt and isinstance(error.__cause__, _LOST)
                is_clash = isinstance(error.__cause__, _AGAIN)
                if not (is_dead or is_clash) or attempt == _RETRIES - 1:
                    raise
                await asyncio.sleep(random.uniform(0.01, 0.05) * 2**attempt)  # noqa: S311 - jitter
        raise AssertionError

    async def _transact(
        self, connection: asyncpg.Connection, scope: Scope, script: Script[T], *, read_only: bool
    ) -> T:
        isolation = "repeatable_read" if read_only else None
        async with connection.transaction(readonly=read_only, isolation=isolation):
            if not self._worker:
                user = "" if scope.user_id is None else str(scope.user_id)
                operator = "on" if scope.operator else ""
                await connection.fetchrow(_SCOPE, user, scope.credential or "", operator)
            elif self._is_hasty and not read_only and scope != WORKER:
                await connection.execute("SET LOCAL synchronous_commit = on")
            try:
                statement = next(script)
                while True:
                    rows = await self._step(connection, self.keys.sealed(statement))
                    statement = script.send(self.keys.opened(rows))
            except StopIteration as stop:
                result: T = stop.value
                return result

    async def _step(self, connection: asyncpg.Connection, statement: Statement) -> Sequence[Row]:
        if isinstance(statement, Search):
            text = statement.text.replace("{match}", statement.match.postgresql)
            statement = Query(text, statement.params)
        match statement:
            case Query(text, params):
                compiled, names = for_postgres(text)
                values = [params[name] for name in names]
                found: Sequence[Row] = await connection.fetch(compiled, *values)
                return found
            case Many(text, rows):
                compiled, names = for_postgres(text)
                every = [[row[name] for name in names] for row in rows]
                await connection.executemany(compiled, every)
            case Insert():
                return await self._insert(connection, statement)
            case SetUser(user_id):
                await connection.execute(_BECOME, str(user_id))
            case NotifyWorkers():
                await connection.execute(f"NOTIFY {_CHANNEL}")
            case ForceCustomPlan():
                await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        return ()

    async def _insert(self, connection: asyncpg.Connection, insert: Insert) -> Sequence[Row]:
        if not insert.rows:
            return ()
        if insert.table not in self._types:
            rows = await connection.fetch(_COLUMN_TYPES, insert.table)
            self._types[insert.table] = {row["attname"]: row["type"] for row in rows}
        types = self._types[insert.table]
        arrays = ", ".join(
            f"${place}::{types[column]}[]" for place, column in enumerate(insert.columns, 1)
        )
        names = ", ".join(insert.columns)
        text = f"INSERT INTO {insert.table} ({names}) SELECT * FROM unnest({arrays}) {insert.tail}"
        if insert.returning:
            text += f" RETURNING {', '.join(insert.returning)}"
        columns = [list(values) for values in zip(*insert.rows, strict=True)]
        found: Sequence[Row] = await connection.fetch(text, *columns)
        return found

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[asyncpg.Connection]:
        with translated():
            pool = self._pool or await self._open_pool()
            connection = await pool.acquire(timeout=10)
        try:
            yield connection
        finally:
            with translated():
                await pool.release(connection, timeout=5)

    async def _open_pool(self) -> asyncpg.Pool:
        async with self._opening:
            if self._pool is None:
                self._pool = await asyncpg.create_pool(
                    self._url,
                    min_size=1,
                    max_size=self._size,
                    command_timeout=self._timeout_s,
                    timeout=5,
                    server_settings=self._server_settings(),
                    # Settings are local to each transaction: nothing to undo.
                    reset=_keep,
                )
        return self._pool

    def _server_settings(self) -> dict[str, str]:
        # With one role for web and worker the policies tell them apart by the first;
        # with two roles the worker has its own policy.
        settings = {
            "feedloom.worker": "on" if self._worker else "",
            # PostgreSQL's default is for spinning disks: a page of a list would be looked up
            # by reading all articles.
            "random_page_cost": "1.1",
        }
        if self._timeout_s is not None:
            settings["statement_timeout"] = f"{self._timeout_s:.0f}s"
            # A process that stops in the middle of a transaction holds its locks no longer.
            settings["idle_in_transaction_session_timeout"] = "60s"
        if self._is_hasty:
            settings["synchronous_commit"] = "off"
        return settings


async def _keep(_connection: object) -> None:
    """Return a connection to the pool as it is."""
