"""PostgreSQL databases that serve one test after another.

In: a server and the name of a template. Out: databases that look like fresh copies of
it. Never: a database whose schema a test changed, or that a test has made large: those
are dropped. Recycling takes a tenth of the time of ``CREATE DATABASE``.
"""

import asyncio
import io
import uuid
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import asyncpg

from tests.postgres import PostgresServer

GROWTH_BYTES = 4_000_000

# Every change of a schema leaves rows of newer transactions in these catalogs.
CATALOGS = (
    *("pg_class", "pg_attribute", "pg_attrdef", "pg_constraint", "pg_index"),
    *("pg_policy", "pg_proc", "pg_trigger", "pg_namespace", "pg_type"),
    *("pg_extension", "pg_event_trigger", "pg_publication", "pg_default_acl"),
)
FINGERPRINT = (
    "SELECT concat_ws(' ', "
    + ", ".join(
        f"(SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM {catalog})"
        for catalog in CATALOGS
    )
    + ", (SELECT count(*) FROM pg_statistic WHERE starelid >= 16384)"
    ", (SELECT count(*) FROM pg_db_role_setting s JOIN pg_database d"
    " ON d.oid = s.setdatabase WHERE d.datname = current_database())"
    ", (SELECT concat(datacl, datconnlimit) FROM pg_database"
    " WHERE datname = current_database()))"
)
TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n"
    " ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND c.oid >= 16384"
)
SEQUENCES = "SELECT schemaname, sequencename, start_value, last_value FROM pg_sequences"
CUT_OTHERS = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)

SIZE = "SELECT pg_database_size(current_database())"

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
T = TypeVar("T")
Rows = dict[tuple[str, str], bytes]


@dataclass(frozen=True, slots=True)
class Used:
    """A database and what it was like when it was new."""

    name: str
    fingerprint: str
    size: int
    rows: Rows
    reset: str
    """The statements that empty every table and rewind every sequence."""


_waiting: dict[tuple[Path, int, str], list[Used]] = {}


def take(server: PostgresServer, template: str) -> Used:
    """Take a waiting database, or copy ``template``."""
    waiting = _waiting.setdefault((server.home, server.port, template), [])
    if waiting:
        return waiting.pop()
    name = f"{template}_{uuid.uuid4().hex}"
    server.create_database(name, template=template)
    return _run(_look_at(server, name))


def give_back(server: PostgresServer, used: Used) -> None:
    """Empty a database for the next test, or drop it."""
    if _run(_empty(server, used)):
        template = used.name.rpartition("_")[0]
        _waiting[server.home, server.port, template].append(used)
    else:
        server.drop_database(used.name)


async def _look_at(server: PostgresServer, name: str) -> Used:
    connection = await _connect(server, name)
    try:
        tables = [tuple(row) for row in await connection.fetch(TABLES)]
        rows: Rows = {}
        for schema, table in tables:
            copy = io.BytesIO()
            await connection.copy_from_table(table, schema_name=schema, output=copy)
            if copy.getvalue():
                rows[schema, table] = copy.getvalue()
        reset = [f'DELETE FROM "{schema}"."{table}"' for schema, table in tables]
        reset += [
            f'SELECT setval(\'"{schema}"."{sequence}"\', {last or start},'
            f" {'true' if last else 'false'})"
            for schema, sequence, start, last in await connection.fetch(SEQUENCES)
        ]
        return Used(
            name=name,
            fingerprint=await connection.fetchval(FINGERPRINT),
            size=await _size(connection),
            rows=rows,
            reset="; ".join(reset),
        )
    finally:
        await connection.close()


async def _empty(server: PostgresServer, used: Used) -> bool:
    """Empty the database; tell whether it is as good as new."""
    try:
        connection = await _connect(server, used.name)
    except (OSError, asyncpg.PostgresError):
        return False  # the test dropped it, or stopped the server
    try:
        await connection.execute(CUT_OTHERS)
        if await connection.fetchval(FINGERPRINT) != used.fingerprint:
            return False
        # No trigger runs and no foreign key is looked at.
        await connection.execute("SET session_replication_role = replica")
        await connection.execute(used.reset)
        for (schema, table), rows in used.rows.items():
            await connection.copy_to_table(table, schema_name=schema, source=io.BytesIO(rows))
        return await _size(connection) < used.size + GROWTH_BYTES
    finally:
        await connection.close()


async def _size(connection: Connection) -> int:
    size: int = await connection.fetchval(SIZE)
    return size


async def _connect(server: PostgresServer, name: str) -> Connection:
    return await asyncpg.connect(
        host=str(server.home), port=server.port, user="postgres", database=name
    )


def _run(work: Coroutine[None, None, T]) -> T:  # a test may be running a loop here
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, work).result()
