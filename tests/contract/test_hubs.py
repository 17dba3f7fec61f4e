"""Hubs: asked when they are declared, again when it is time, not at every document."""

from dataclasses import replace

import pytest
from msgspec import structs

from feedloom.model.work import HubSubscription
from feedloom.store import HubStore
from tests.stores import Stores, refreshed

URL = "https://site.example/feed.xml"
HUB = "https://hub.example/"


async def deliver(stores: Stores) -> int:
    feed = await stores.claim(URL)
    document = refreshed(feed, ())
    assert document.parsed is not None
    parsed = replace(document.parsed, hub_url=HUB)
    await stores.refreshes.store(structs.replace(document, parsed=parsed))
    return feed.feed_id


async def websub_tasks(stores: Stores) -> int:
    rows = await stores.rows("SELECT count(*) AS n FROM tasks WHERE kind = 'websub'")
    count: int = rows[0]["n"]
    return count


async def test_a_declared_hub_is_asked_once_and_not_at_every_document(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await deliver(stores)
    for task in await stores.tasks.claim(10):
        await stores.tasks.finish(task, {"asked": False})

    await deliver(stores)

    assert await websub_tasks(stores) == 1


async def test_hubs_never_asked_refused_long_ago_or_ending_are_asked(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    feed_id = await deliver(stores)
    hubs = HubStore(stores.work)
    asked = HubSubscription(feed_id, HUB, URL, "token", "secret")

    assert await hubs.ending() == [feed_id]
    await hubs.save(asked)
    assert await hubs.ending() == []
    await hubs.drop(feed_id, "refused")
    assert await hubs.ending() == []
    await stores.execute("UPDATE websub SET lease_until = now_us() - 1")
    assert await hubs.ending() == [feed_id]
    await hubs.activate(feed_id, 10 * 86_400)
    assert await hubs.ending() == []
    await stores.execute("UPDATE websub SET lease_until = now_us() + 3600000000")
    assert await hubs.ending() == [feed_id]


async def test_a_renewal_keeps_the_callback_the_hub_knows(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    feed_id = await deliver(stores)
    hubs = HubStore(stores.work)
    first = await hubs.save(HubSubscription(feed_id, HUB, URL, "token", "secret"))
    await hubs.activate(feed_id, 3_600)

    again = await hubs.save(HubSubscription(feed_id, HUB, URL, "other", "other"))

    assert (first.callback_token, first.secret) == ("token", "secret")
    assert (again.callback_token, again.secret) == ("token", "secret")
    assert await hubs.by_token("token") is not None
    assert await hubs.by_token("other") is None


async def test_another_hub_or_topic_gets_a_callback_of_its_own(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    feed_id = await deliver(stores)
    hubs = HubStore(stores.work)
    await hubs.save(HubSubscription(feed_id, HUB, URL, "token", "secret"))

    moved = await hubs.save(HubSubscription(feed_id, f"{HUB}2", URL, "t2", "s2"))

    assert (moved.callback_token, moved.secret) == ("t2", "s2")
    assert await hubs.by_token("token") is None


@pytest.mark.threat("C11")
async def test_announcements_without_end_do_not_hammer_the_publisher(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    feed_id = await deliver(stores)
    hubs = HubStore(stores.work)

    async def due_in_s() -> float:
        [row] = await stores.rows("SELECT due_at - now_us() AS us FROM feed_schedules")
        return float(row["us"]) / 1_000_000

    await stores.execute("UPDATE feed_schedules SET due_at = now_us() + 3600000000")
    await stores.execute("UPDATE feeds SET last_attempt_at = now_us()")
    for _ in range(5):
        await hubs.announce(feed_id)
    soon = await due_in_s()
    await stores.execute("UPDATE feeds SET last_attempt_at = now_us() - 61000000")
    await hubs.announce(feed_id)

    assert 50 < soon <= 60
    assert await due_in_s() <= 0
