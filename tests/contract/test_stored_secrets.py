"""What opens somebody's feed is encrypted in the database, and nothing else is lost."""

from dataclasses import replace
from pathlib import Path

import pytest

from feedloom.model.errors import ConfigError
from feedloom.model.urls import url_key
from feedloom.model.work import HubSubscription, NewTask, TaskKind
from feedloom.store import (
    DatabaseURL,
    HubStore,
    Keys,
    check_key,
    copy_database,
    find_faults,
    forget_secrets,
    open_database,
    upgrade,
)
from feedloom.store.engine.copies import snapshot, tables
from tests.databases import Databases, sqlite_databases
from tests.stores import KEYS, Stores

URL = "https://ada:hunter2@paid.example/feed"
OPEN_URL = "https://open.example/feed"
COOKIE = "session=hunter2"
PASTED = 'see https://ada:hunter2@paid.example/ and "https://x.example/@ada"'
OTHER_KEYS = Keys(lambda: [b"o" * 32])

pytestmark = pytest.mark.threat("C3", "D16")


async def everything(url: DatabaseURL) -> str:
    """All that the database holds, as text."""
    found = []
    async with snapshot(url) as moment:
        for table in tables(url.kind):
            async for columns, rows in moment.batches(table):
                found.append(f"{table} {columns} {rows}")
    return "\n".join(found)


def worker_url(databases: Databases) -> DatabaseURL:
    return DatabaseURL.parse(databases.worker_url)


async def fill(stores: Stores) -> tuple[int, int, int]:
    """Let a person read two feeds with secrets, and ask for a third."""
    ada = await stores.person()
    paid = await stores.subscriptions.subscribe(ada.id, URL)
    mine = await stores.subscriptions.subscribe(ada.id, OPEN_URL)
    await stores.subscriptions.set_access(ada.id, mine.id, cookie=COOKIE, user_agent=None)
    await stores.tasks.add(NewTask(TaskKind.DISCOVER, {"text": PASTED}, user_id=ada.id))
    return ada.id, paid.id, mine.id


async def told(databases: Databases, ids: tuple[int, int, int], keys: Keys) -> list[str]:
    """What programs with these keys are told of the secrets."""
    database = await open_database(worker_url(databases), worker=True, keys=keys)
    try:
        stores = Stores(database, database)
        user_id, *subscriptions = ids
        found = [await stores.subscriptions.subscription(user_id, n) for n in subscriptions]
        claimed = {feed.url: feed.cookie for feed in await stores.queue.claim(10)}
        tasks = await stores.tasks.claim(10, for_people=True)
        await stores.queue.release(await stores.queue.claim(0))
        return [
            found[0].url,
            str(found[1].cookie),
            str(claimed.get(OPEN_URL)),
            *(str(task.payload["text"]) for task in tasks),
        ]
    finally:
        await database.close()


ALL = [URL, COOKIE, COOKIE, PASTED]


async def make_plain(stores: Stores) -> None:
    """Store secrets as 0.1.0 did."""
    await stores.execute(
        "UPDATE feeds SET url = :url WHERE url_key = :key", url=URL, key=url_key(URL)
    )
    await stores.execute(
        "UPDATE subscriptions SET cookie = :cookie WHERE cookie IS NOT NULL", cookie=COOKIE
    )


async def test_no_password_or_cookie_is_in_the_database(stores: Stores, engine_url: Databases):
    ids = await fill(stores)

    held = await everything(worker_url(engine_url))

    assert "hunter2" not in held
    assert "https://x.example/@ada" in held
    assert await told(engine_url, ids, KEYS) == ALL


async def test_what_an_earlier_version_stored_is_encrypted_at_start(
    stores: Stores, engine_url: Databases
):
    ids = await fill(stores)
    await make_plain(stores)
    assert "hunter2" in await everything(worker_url(engine_url))

    await upgrade(DatabaseURL.parse(engine_url.web_url), worker_url(engine_url), KEYS)

    assert "hunter2" not in await everything(worker_url(engine_url))
    assert await told(engine_url, ids, KEYS) == ALL


async def test_nothing_is_left_in_a_file_whose_secrets_were_encrypted(
    stores: Stores, engine_url: Databases, tmp_path: Path
):
    if engine_url.kind != "sqlite":
        return
    await fill(stores)
    await make_plain(stores)
    url = worker_url(engine_url)
    await upgrade(url, url, KEYS)
    await stores.work.close()

    assert b"hunter2" not in (tmp_path / "feedloom.db").read_bytes()


@pytest.mark.threat("U12")
async def test_a_new_key_replaces_the_old_one(stores: Stores, engine_url: Databases):
    ids = await fill(stores)
    both = Keys(lambda: [b"o" * 32, b"k" * 32])

    await upgrade(DatabaseURL.parse(engine_url.web_url), worker_url(engine_url), both)

    assert await find_faults(worker_url(engine_url), OTHER_KEYS) == []
    assert await told(engine_url, ids, OTHER_KEYS) == ALL


@pytest.mark.threat("U12")
async def test_with_a_lost_key_nothing_starts_until_its_passwords_are_given_up(
    stores: Stores, engine_url: Databases
):
    ids = await fill(stores)
    web, worker = DatabaseURL.parse(engine_url.web_url), worker_url(engine_url)

    with pytest.raises(ConfigError, match=r"FEEDLOOM_SECRET_KEY .* forget-passwords"):
        await upgrade(web, worker, OTHER_KEYS)
    assert "cannot be decrypted" in " ".join(await find_faults(worker, OTHER_KEYS))
    assert await forget_secrets(worker, OTHER_KEYS) == 3
    await upgrade(web, worker, OTHER_KEYS)

    assert await find_faults(worker, OTHER_KEYS) == []
    assert await told(engine_url, ids, OTHER_KEYS) == [
        "https://paid.example/feed",
        "None",
        "None",
        PASTED.replace("ada:hunter2@", ""),
    ]


async def test_a_password_that_was_given_up_can_be_entered_again(
    stores: Stores, engine_url: Databases
):
    user_id, paid, _ = await fill(stores)
    await forget_secrets(worker_url(engine_url), OTHER_KEYS)
    assert (await stores.subscriptions.subscription(user_id, paid)).url != URL

    changed = await stores.subscriptions.change_url(user_id, paid, URL)

    assert (changed.id, changed.url) == (paid, URL)


async def test_a_damaged_secret_costs_its_own_feed_only(stores: Stores, engine_url: Databases):
    ids = await fill(stores)
    await stores.execute(
        "UPDATE subscriptions SET cookie = replace(cookie, ':', ':AAAA') WHERE cookie IS NOT NULL"
    )

    assert await told(engine_url, ids, KEYS) == [URL, "", "", PASTED]
    assert len(await find_faults(worker_url(engine_url), KEYS)) == 2


async def test_copies_carry_secrets_and_no_key(
    stores: Stores, engine_url: Databases, tmp_path: Path
):
    ids = await fill(stores)
    (folder := tmp_path / "copy").mkdir()
    target = sqlite_databases(folder)

    await copy_database(worker_url(engine_url), worker_url(target), lambda *_: None)

    assert "hunter2" not in await everything(worker_url(target))
    assert b"hunter2" not in (folder / "feedloom.db").read_bytes()
    assert await told(target, ids, KEYS) == ALL


@pytest.mark.threat("U12")
async def test_the_web_encrypts_nothing_with_a_key_that_workers_lack(
    stores: Stores, engine_url: Databases
):
    await fill(stores)
    keys = Keys(lambda: [b"o" * 32])

    await check_key(stores.front, keys)

    assert not keys.may_encrypt


async def hub_of(stores: Stores) -> HubSubscription:
    """Ask a hub to tell of a feed."""
    ada = await stores.person()
    mine = await stores.subscriptions.subscribe(ada.id, OPEN_URL)
    assert mine.feed_id is not None
    asked = HubSubscription(mine.feed_id, "https://hub.example/", OPEN_URL, "token", "hunter2")
    return await HubStore(stores.work).save(asked)


async def test_what_hubs_sign_with_is_encrypted(stores: Stores, engine_url: Databases):
    hubs, url = HubStore(stores.front), worker_url(engine_url)
    made = await hub_of(stores)
    renewed = await HubStore(stores.work).save(replace(made, secret="another"))
    assert (made.secret, renewed.secret) == ("hunter2", "hunter2")
    assert "hunter2" not in await everything(url)

    await stores.execute("UPDATE websub SET secret = 'hunter2'")
    await upgrade(DatabaseURL.parse(engine_url.web_url), url, KEYS)

    assert "hunter2" not in await everything(url)
    assert (found := await hubs.by_token("token"))
    assert found.secret == "hunter2"


@pytest.mark.threat("U12")
async def test_a_hub_whose_secret_is_lost_is_asked_anew(stores: Stores, engine_url: Databases):
    made = await hub_of(stores)
    await stores.execute("UPDATE feeds SET hub_url = 'https://hub.example/'")
    worker, keys = worker_url(engine_url), Keys(lambda: [b"o" * 32])
    assert "cannot be decrypted" in " ".join(await find_faults(worker, OTHER_KEYS))
    await check_key(stores.front, keys)
    assert not keys.may_encrypt

    assert await forget_secrets(worker, OTHER_KEYS) == 1

    assert await find_faults(worker, OTHER_KEYS) == []
    assert await HubStore(stores.work).ending() == [made.feed_id]
