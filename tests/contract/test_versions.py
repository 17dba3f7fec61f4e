"""Versions of the store: the same while nothing is committed, another after any commit."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Awaitable

import pytest

from feedloom.model.errors import NotFound, StoreUnavailable
from feedloom.model.ports import Sight, watch
from feedloom.store import DatabaseURL, open_database, upgrade
from feedloom.store.engine.steps import Scope, Steps, sql
from tests.postgres import PostgresServer
from tests.stores import Stores

URL = "https://site.example/feed.xml"
WRITES = 100
TRIES = 50
"""Transactions are numbered for a whole server, and others may use it meanwhile."""


async def look(stores: Stores, user_id: int) -> Sight:
    sight = watch()
    await stores.folders.folders(user_id)
    return sight


async def test_all_reads_of_an_unchanged_store_are_of_one_version(stores: Stores):
    ada, eve = await stores.person(), await stores.person("eve@example.org")

    seen: list[object] = []
    for _ in range(TRIES):
        seen = [(await look(stores, user.id)).version for user in (ada, eve, ada)]
        if len(set(seen)) == 1:
            break

    assert seen[0] is not None
    assert len(set(seen)) == 1


async def test_every_commit_makes_another_version_whoever_it_is_by(stores: Stores):
    ada = await stores.person()
    versions = [(await look(stores, ada.id)).version]

    async def then(change: Awaitable[object]) -> None:
        await change
        versions.append((await look(stores, ada.id)).version)

    await then(stores.subscriptions.subscribe(ada.id, URL))
    await then(stores.deliver(URL, "One"))
    await then(stores.reading.mark(ada.id, [1], "read"))
    await then(stores.reading.mark(ada.id, [1], "starred"))
    await then(stores.reading.tag(ada.id, [1], "later"))
    await then(stores.folders.create(ada.id, "Maths"))
    await then(stores.person("eve@example.org"))
    await then(stores.execute("UPDATE feeds SET title = 'Renamed'"))

    assert None not in versions
    assert len(set(versions)) == 9


async def test_what_was_read_before_and_after_a_commit_has_no_version(stores: Stores):
    ada = await stores.person()

    sight = await look(stores, ada.id)
    before = sight.version
    await stores.execute("UPDATE users SET email = 'ada@another.example'")
    await stores.folders.folders(ada.id)

    assert before is not None
    assert sight.version is None


async def test_what_is_not_committed_is_no_new_version(stores: Stores):
    ada = await stores.person()

    def refused() -> Steps[None]:
        yield sql("SELECT 1")
        raise NotFound

    async def before_and_after() -> tuple[object, object]:
        before = (await look(stores, ada.id)).version
        with pytest.raises(NotFound):
            await stores.front.write(Scope(user_id=ada.id), refused)
        return before, (await look(stores, ada.id)).version

    seen = [await before_and_after() for _ in range(TRIES)]

    assert any(before == after for before, after in seen)


async def test_reads_in_tasks_of_their_own_are_seen(stores: Stores):
    ada = await stores.person()
    sight = await look(stores, ada.id)

    await stores.execute("UPDATE users SET email = 'ada@another.example'")
    await asyncio.gather(stores.folders.folders(ada.id), stores.folders.root(ada.id))

    assert sight.version is None


async def test_a_glance_sees_what_reads_see(stores: Stores):
    ada = await stores.person()

    def email() -> Steps[str]:
        rows = yield sql("SELECT email FROM users WHERE id = :id", id=ada.id)
        return str(rows[0]["email"])

    versions: list[object] = []
    for _ in range(TRIES):
        sight = watch()
        glanced = await stores.front.glance(Scope(user_id=ada.id), email)
        assert sight.version is not None
        read = await stores.front.read(Scope(user_id=ada.id), email)
        assert glanced == read == "ada@example.org"
        versions.append(sight.version)

    assert any(version is not None for version in versions)


async def test_a_glance_is_remembered_until_something_is_committed(stores: Stores):
    ada = await stores.person()
    scope = Scope(user_id=ada.id)
    asked: list[int] = []

    def email(number: int) -> Steps[str]:
        asked.append(number)
        rows = yield sql("SELECT email FROM users WHERE id = :id", id=ada.id)
        return f"{number} {rows[0]['email']}"

    async def glances() -> list[str]:
        return [await stores.front.glance(scope, email, n) for n in (1, 2, 1, 2)]

    before = await glances()
    await stores.execute("UPDATE users SET email = 'ada@another.example'")
    after = await glances()

    assert before == ["1 ada@example.org", "2 ada@example.org"] * 2
    assert after == ["1 ada@another.example", "2 ada@another.example"] * 2
    if stores.front.kind == "sqlite":
        assert asked == [1, 2, 1, 2]


async def test_a_glance_that_fails_is_taken_again_as_a_read(stores: Stores):
    tries: list[str] = []

    def unavailable_at_once() -> Steps[str]:
        tries.append(threading.current_thread().name)
        yield sql("SELECT 1")
        if stores.front.kind == "sqlite" and len(tries) == 1:
            raise StoreUnavailable
        return "here"

    found = await stores.front.glance(Scope(), unavailable_at_once)

    assert found == "here"
    assert tries[1:] == (["feedloom-read_0"] if stores.front.kind == "sqlite" else [])


async def test_equal_versions_saw_equal_rows_while_somebody_writes(stores: Stores):
    ada = await stores.person()
    scope = Scope(user_id=ada.id)
    seen: dict[object, set[str]] = defaultdict(set)
    is_over = False

    def email() -> Steps[str]:
        rows = yield sql("SELECT email FROM users WHERE id = :id", id=ada.id)
        return str(rows[0]["email"])

    async def write() -> None:
        nonlocal is_over
        for number in range(WRITES):
            await stores.execute("UPDATE users SET email = :email", email=f"{number}@a")
            await asyncio.sleep(0.001 * (number % 5))
        is_over = True

    async def read() -> None:
        while not is_over:
            sight = watch()
            found = {
                await stores.front.glance(scope, email),
                await stores.front.read(scope, email),
            }
            if sight.version is not None:
                seen[sight.version] |= found

    await asyncio.gather(write(), *(read() for _ in range(4)))

    assert all(len(found) == 1 for found in seen.values())
    assert len(seen) > WRITES // 10


@pytest.mark.faults
async def test_no_version_comes_back_after_a_crash(private_postgres: PostgresServer):
    """Not even where the server gives out the same numbers again."""
    databases = private_postgres.create_database("versions")
    web = DatabaseURL.parse(databases.web_url)
    await upgrade(web, DatabaseURL.parse(databases.worker_url))
    database = await open_database(web, worker=False)

    def snapshot() -> Steps[str]:
        rows = yield sql("SELECT CAST(pg_current_snapshot() AS TEXT) AS now")
        return str(rows[0]["now"])

    async def look() -> tuple[str, object]:
        sight = watch()
        return await database.read(Scope(), snapshot), sight.version

    before, unchanged = await look(), await look()
    private_postgres.restart(immediate=True)
    after = await look()
    await database.close()

    assert before == unchanged
    assert before[0] == after[0]
    assert before[1] != after[1]
