"""The harness keeps its own promises: a lying harness makes every test lie."""

import asyncio
import os
import socket
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import asyncpg
import pytest

from tests.databases import Databases
from tests.fakes import FixedClock
from tests.lines import TidyLoop
from tests.postgres import PostgresServer
from tests.templates import migrated_postgres


async def test_web_and_worker_sign_in_as_plain_roles(empty_pg_database: Databases):
    for url, role in (
        (empty_pg_database.web_url, "feedloom_web"),
        (empty_pg_database.worker_url, "feedloom_worker"),
    ):
        connection = await asyncpg.connect(url)
        row = await connection.fetchrow(
            "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        )
        await connection.close()

        assert tuple(row) == (role, False, False)


async def test_worker_role_owns_its_database_and_web_role_may_not_create(
    empty_pg_database: Databases,
):
    worker = await asyncpg.connect(empty_pg_database.worker_url)
    await worker.execute("CREATE TABLE planted (id int)")
    await worker.close()
    web = await asyncpg.connect(empty_pg_database.web_url)

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await web.execute("CREATE TABLE weed (id int)")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await web.fetch("SELECT * FROM planted")
    await web.close()


async def test_a_wrong_password_is_refused(empty_pg_database: Databases):
    wrong = empty_pg_database.web_url.replace("web-password", "guess")

    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(wrong)


@pytest.mark.parametrize("_", range(2))
async def test_every_test_gets_an_empty_database(empty_pg_database: Databases, _: int):
    connection = await asyncpg.connect(empty_pg_database.worker_url)
    await connection.execute("CREATE TABLE once (id int)")
    tables = await connection.fetch("SELECT 1 FROM pg_tables WHERE tablename = 'once'")
    await connection.close()

    assert len(tables) == 1


async def test_a_template_is_filled_once_and_copied(postgres: PostgresServer):
    fills = []

    def fill(databases: Databases) -> None:
        fills.append(databases)
        postgres.sql("CREATE TABLE stamped AS SELECT 42 AS n", database="house_tpl")

    for copy in ("house_copy_1", "house_copy_2"):
        name = postgres.ensure_template("house_tpl", fill)
        postgres.create_database(copy, template=name)
    answers = [
        postgres.sql("SELECT n FROM stamped", database=copy)
        for copy in ("house_copy_1", "house_copy_2")
    ]
    postgres.drop_database("house_copy_1")
    postgres.drop_database("house_copy_2")

    assert answers == ["42", "42"]
    assert len(fills) == 1


def _changed(server: PostgresServer, *statements: str) -> tuple[str, str]:
    """Change a migrated database; name it and the one the next test would get."""
    with migrated_postgres(server) as databases:
        name = databases.web_url.rpartition("/")[2]
        for statement in statements:
            server.sql(statement, database=name)
    with migrated_postgres(server) as databases:
        return name, databases.web_url.rpartition("/")[2]


def test_a_used_database_is_emptied_for_the_next_test(postgres: PostgresServer):
    rows = "SELECT count(*) FROM tenants"
    versions = "SELECT count(*), max(version) FROM schema_migrations"
    with migrated_postgres(postgres) as databases:
        name = databases.web_url.rpartition("/")[2]
        before = [postgres.sql(q, database=name) for q in (rows, versions)]

    same, next_name = _changed(
        postgres,
        "DELETE FROM schema_migrations WHERE version > 1",
        "INSERT INTO tenants (slug, name, created_at) VALUES ('weed', 'Weed', 0)",
    )
    after = [postgres.sql(q, database=next_name) for q in (rows, versions)]

    assert name == same == next_name
    assert after == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE weed (id int)",
        "ALTER TABLE tasks ADD CHECK (id IS NOT NULL)",
        "DROP POLICY {policy}",
        "ALTER TABLE folders DISABLE ROW LEVEL SECURITY",
        "GRANT DELETE ON schema_migrations TO feedloom_web",
        "TRUNCATE tasks CASCADE",
        "ANALYZE",
        "DROP OWNED BY feedloom_web",
    ],
)
def test_a_database_whose_schema_changed_serves_no_other_test(
    postgres: PostgresServer, statement: str
):
    with migrated_postgres(postgres) as databases:
        policy = postgres.sql(
            "SELECT format('%I ON %I', policyname, tablename) FROM pg_policies LIMIT 1",
            database=databases.web_url.rpartition("/")[2],
        )
    used, next_name = _changed(postgres, statement.format(policy=policy))

    assert used != next_name


@pytest.mark.faults
async def test_a_crashed_server_comes_back_with_what_was_committed(
    private_postgres: PostgresServer,
):
    databases = private_postgres.create_database("crash")
    connection = await asyncpg.connect(databases.worker_url)
    await connection.execute("CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)")
    port, pid = private_postgres.port, private_postgres.pid

    private_postgres.restart(immediate=True)
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
        await connection.fetchval("SELECT 1")
    connection.terminate()
    again = await asyncpg.connect(databases.worker_url)
    kept = await again.fetchval("SELECT n FROM kept")
    await again.close()

    assert kept == 7
    assert private_postgres.port == port
    assert private_postgres.pid != pid


def test_both_engines_are_offered(empty_engine_url: Databases):
    if empty_engine_url.kind == "sqlite":
        path = empty_engine_url.worker_url.removeprefix("sqlite:///")
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE fresh (id int)")
        connection.close()

        assert Path(path).exists()
    else:
        assert empty_engine_url.web_url != empty_engine_url.worker_url


@pytest.mark.faults
def test_the_server_ends_with_the_process_that_started_it():
    script = (
        "import os, sys; from tests import postgres as pg\n"
        "with pg.private_server() as server:\n"
        "    print(server.home, server.pid, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, check=False, capture_output=True, text=True
    )
    home, pid = done.stdout.split()

    deadline = time.monotonic() + 15
    while (_is_alive(int(pid)) or Path(home).exists()) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not _is_alive(int(pid))
    assert not Path(home).exists()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_clock_stands_still_until_moved():
    clock = FixedClock(datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2))))
    before = clock.now()
    clock.advance(90)
    clock.advance(timedelta(minutes=1))

    assert before == datetime(2025, 12, 31, 22, tzinfo=UTC)
    assert clock.now() - before == timedelta(seconds=150)
    assert clock.now().tzinfo is UTC


def test_the_clock_refuses_naive_times_and_negative_steps():
    with pytest.raises(ValueError, match="aware"):
        FixedClock(datetime(2026, 1, 1))  # noqa: DTZ001 -- the error under test
    with pytest.raises(ValueError, match="backwards"):
        FixedClock().advance(-1)


def _half_a_talk(*, closed: bool) -> bool:
    """Send more than anybody takes, end the loop, and tell whether the line is open."""
    near, far = socket.socketpair()
    loop = TidyLoop()
    line, _ = loop.run_until_complete(loop.create_connection(asyncio.Protocol, sock=near))
    line.write(b"x" * 20_000_000)
    if closed:
        line.close()
    loop.close()
    is_open = near.fileno() >= 0
    far.close()
    near.close()
    line._sock = None  # type: ignore[attr-defined] # else it tells of a leak, rightly
    return is_open


def test_a_line_that_was_closed_ends_with_its_loop():
    assert not _half_a_talk(closed=True)


def test_a_line_that_nobody_closed_stays_open_and_is_a_leak():
    assert _half_a_talk(closed=False)


def test_a_loop_ends_with_lines_that_sent_all_they_had_after_they_were_closed():
    near, far = socket.socketpair()
    far.setblocking(False)  # noqa: FBT003 -- as the standard library has it
    loop = TidyLoop()
    line, _ = loop.run_until_complete(loop.create_connection(asyncio.Protocol, sock=near))
    line.write(b"x" * 20_000_000)
    line.close()
    while loop.run_until_complete(loop.sock_recv(far, 1_000_000)):
        pass

    loop.close()

    assert line in loop._transports.values()
    assert near.fileno() < 0
    far.close()
