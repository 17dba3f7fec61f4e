"""Row-level security on PostgreSQL, with the real web role."""

import pytest

from feedloom.model.distilled.requests import ModelPurpose, PlannedCall
from feedloom.model.errors import BudgetSpent
from feedloom.model.reader import User
from feedloom.store import DatabaseURL, SpendStore, open_database, upgrade
from feedloom.store.engine.policies import PERSONAL_TABLES
from feedloom.store.engine.scripts import Row, Scope, Script, sql
from tests.databases import Databases
from tests.stores import Stores

pytestmark = pytest.mark.threat("A7", "A8")

URL = "https://site.example/feed.xml"


async def two_people(pg_database: Databases) -> tuple[Stores, User, User]:
    web = DatabaseURL.parse(pg_database.web_url)
    worker = DatabaseURL.parse(pg_database.worker_url)
    await upgrade(web, worker)
    front = await open_database(web, worker=False, size=1)
    work = await open_database(worker, worker=True)
    stores = Stores(front, work)
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    for person in (ada, bob):
        await stores.subscriptions.subscribe(person.id, URL)
    await stores.deliver(URL, "one", "two")
    for person in (ada, bob):
        await stores.reading.tag(person.id, [1], "later")
    return stores, ada, bob


def everything(table: str) -> Script[list[Row]]:
    return list((yield sql(f"SELECT * FROM {table}")))


async def test_a_query_that_forgets_its_user_filter_returns_only_own_rows(pg_database):
    stores, ada, _ = await two_people(pg_database)

    for table in PERSONAL_TABLES:
        rows = await stores.front.read(Scope(user_id=ada.id), everything, table)
        assert {row["user_id"] for row in rows} <= {ada.id}, table

    filled = ("folders", "subscriptions", "article_states", "tags", "article_tags", "events")
    for table in filled:
        assert await stores.front.read(Scope(user_id=ada.id), everything, table), table
    await stores.front.close()
    await stores.work.close()


async def test_a_transaction_for_nobody_sees_nobodys_rows(pg_database):
    stores, ada, _ = await two_people(pg_database)
    # The pool has one connection: it just served somebody.
    await stores.reading.counts(ada.id)

    for table in (*PERSONAL_TABLES, "users"):
        assert await stores.front.read(Scope(), everything, table) == [], table
    await stores.front.close()
    await stores.work.close()


async def test_one_person_cannot_change_anothers_rows(pg_database):
    stores, ada, bob = await two_people(pg_database)

    def steal() -> Script[int]:
        rows = yield sql("UPDATE article_states SET unread = false RETURNING user_id")
        return len(rows)

    changed = await stores.front.write(Scope(user_id=ada.id), steal)

    assert changed == 2
    assert (await stores.reading.counts(bob.id)).unread == 2
    await stores.front.close()
    await stores.work.close()


async def test_calls_of_others_to_models_are_counted_and_not_seen(pg_database):
    stores, ada, bob = await two_people(pg_database)
    ledger = SpendStore(stores.front, budget=1.0)
    for user_id in (ada.id, bob.id, None):
        call = PlannedCall(ModelPurpose.DIGEST, user_id, "m", 1_000, 300_000)
        await ledger.reserve(call)

    seen = await stores.front.read(Scope(user_id=ada.id), everything, "ai_calls")
    nobody = await stores.front.read(Scope(), everything, "ai_calls")

    assert sorted(row["user_id"] or 0 for row in seen) == [0, ada.id]
    assert [row["user_id"] for row in nobody] == [None]
    assert (await ledger.overview()).spent_micros == 900_000, "operators see all"
    with pytest.raises(BudgetSpent):
        await ledger.reserve(PlannedCall(ModelPurpose.DIGEST, ada.id, "m", 1, 300_000))
    await stores.front.close()
    await stores.work.close()


async def test_the_web_role_is_neither_superuser_nor_owner(pg_database):
    stores, _, _ = await two_people(pg_database)

    def who() -> Script[Row]:
        rows = yield sql(
            "SELECT rolsuper, rolbypassrls, (SELECT count(*) FROM pg_tables"
            " WHERE schemaname = 'public' AND tableowner = current_user) AS owned"
            " FROM pg_roles WHERE rolname = current_user"
        )
        return rows[0]

    row = await stores.front.read(Scope(), who)

    assert (row["rolsuper"], row["rolbypassrls"], row["owned"]) == (False, False, 0)
    await stores.front.close()
    await stores.work.close()


async def test_with_one_role_for_both_the_web_still_sees_only_own_rows(pg_database):
    url = DatabaseURL.parse(pg_database.worker_url)
    await upgrade(url, url)
    front = await open_database(url, worker=False, size=1)
    work = await open_database(url, worker=True)
    stores = Stores(front, work)
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(bob.id, URL)

    ledger = SpendStore(front, budget=1.0)
    await ledger.reserve(PlannedCall(ModelPurpose.DIGEST, bob.id, "m", 1, 600_000))

    rows = await front.read(Scope(user_id=ada.id), everything, "subscriptions")
    calls = await front.read(Scope(user_id=ada.id), everything, "ai_calls")

    assert rows == calls == []
    with pytest.raises(BudgetSpent):
        await ledger.reserve(PlannedCall(ModelPurpose.DIGEST, ada.id, "m", 1, 600_000))
    assert len(await stores.rows("SELECT id FROM subscriptions")) == 1
    await front.close()
    await work.close()
