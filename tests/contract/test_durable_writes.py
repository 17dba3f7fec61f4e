"""What people did waits for the disk on both engines; SQLite's log is watched."""

from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from feedloom.model.distilled.requests import CallOutcome, CallRecord, ModelPurpose, PlannedCall
from feedloom.store import DirectoryStore, SpendStore, TenantStore
from feedloom.store.engine.postgres import PostgresDatabase
from feedloom.store.engine.scripts import WORKER, Database, Scope, Script, sql
from feedloom.store.engine.sqlite import SQLiteDatabase
from tests.databases import Databases
from tests.stores import Stores

SCOPES = [WORKER, Scope(user_id=1), WORKER, Scope(operator=True), Scope(credential="x")]
FULL, NORMAL = 2, 1


def synchronous() -> Script[int]:
    rows = yield sql("PRAGMA synchronous")
    found: int = rows[0]["synchronous"]
    return found


def synchronous_commit() -> Script[str]:
    rows = yield sql("SELECT current_setting('synchronous_commit') AS found")
    found: str = rows[0]["found"]
    return found


def fill(letters: int) -> Script[None]:
    yield sql("CREATE TABLE IF NOT EXISTS t (a TEXT)")
    yield sql("INSERT INTO t (a) VALUES (:a)", a="x" * letters)


@pytest.mark.threat("D8", "D13")
async def test_people_wait_for_the_disk_and_workers_do_not(tmp_path: Path):
    database = SQLiteDatabase(tmp_path / "f.db")

    found = [await database.write(scope, synchronous) for scope in SCOPES]

    await database.close()
    assert found == [NORMAL, FULL, NORMAL, FULL, FULL]


@pytest.mark.threat("D8", "D13")
@pytest.mark.parametrize(
    ("worker", "patient", "promised"),
    [
        pytest.param(True, False, ["off", "on", "off", "on", "on"], id="worker"),
        pytest.param(False, False, ["on"] * 5, id="web"),
        pytest.param(True, True, ["on"] * 5, id="a migration or a copy"),
    ],
)
async def test_on_postgresql_only_workers_do_not_wait_for_the_disk(
    pg_database: Databases, worker: bool, patient: bool, promised: list[str]
):
    url = pg_database.worker_url
    # One connection: what one transaction was promised must not outlive it.
    database = PostgresDatabase(url, worker=worker, size=1, patient=patient)

    found = [await database.write(scope, synchronous_commit) for scope in SCOPES]

    await database.close()
    assert found == promised


class Noting:
    """A real database that notes for whom it is written to."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.kind = database.kind
        self.scopes: list[Scope] = []

    async def write(self, scope: Scope, *args: Any, **kwargs: Any) -> Any:
        self.scopes.append(scope)
        return await self._database.write(scope, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


@pytest.mark.threat("D8")
async def test_money_and_what_operators_decide_wait_for_the_disk(stores: Stores):
    ada = await stores.person()
    mine = await stores.subscriptions.subscribe(ada.id, "https://a.example/feed")
    feed_id = mine.feed_id
    assert feed_id is not None
    work = Noting(stores.work)
    call = PlannedCall(ModelPurpose.DEFRAME, None, "m", 1_000, 100)
    done = CallRecord(ModelPurpose.DEFRAME, None, "m", CallOutcome.OK, 600, 200, 50, ms=1)
    ledger, tenants, directory = (
        SpendStore(work, budget=1.0),
        TenantStore(work),
        DirectoryStore(work),
    )

    await ledger.record(await ledger.reserve(call), done)
    await tenants.add("one", "One")
    await directory.set_topic(feed_id, "news", 1.0, status="approved", actor="ada")
    await directory.hide(feed_id, "ada")

    assert len(work.scopes) == 5
    assert WORKER not in work.scopes


async def test_a_log_of_ordinary_size_is_not_told(tmp_path: Path):
    database = SQLiteDatabase(tmp_path / "f.db")

    with capture_logs() as logs:
        for _ in range(250):
            await database.write(WORKER, fill, 4_000)

    await database.close()
    assert logs == []
