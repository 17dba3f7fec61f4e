"""Bursts of discovery: paid for afterwards, refused to hosts that were asked enough.

The first fetch of a feed that somebody added by itself is the last request of one.
"""

import pytest

from feedloom.model.work import Politeness, TaskKind
from feedloom.store import HostRateLimit
from tests.stores import Stores, article, refreshed

pytestmark = pytest.mark.threat("S25")

HOST = "a.example"
POLITE = Politeness(delay_s=3.0)


async def found(stores: Stores, requests: int = 6) -> HostRateLimit:
    """Have a discovery ask the host so many times."""
    gate = HostRateLimit(stores.front, POLITE)
    for _ in range(requests):
        assert await gate.enter(HOST, "", burst=True) == 0
    return gate


async def added(stores: Stores, *paths: str, alone: bool = True) -> None:
    person = await stores.accounts.by_email("ada@example.org")
    user = person[0] if person else await stores.person()
    for path in paths:
        await stores.subscriptions.subscribe(user.id, f"https://{HOST}/{path}", alone=alone)


async def waiting_s(stores: Stores, path: str) -> float:
    [row] = await stores.rows(
        "SELECT s.due_at - now_us() AS us FROM feed_schedules s"
        " JOIN feeds f ON f.id = s.feed_id WHERE f.url = :url",
        url=f"https://{HOST}/{path}",
    )
    return float(row["us"]) / 1e6


async def test_a_burst_goes_at_once_until_the_account_is_overdrawn(stores: Stores):
    gate = HostRateLimit(stores.front, Politeness(delay_s=3.0))

    waits = [await gate.enter(HOST, "", burst=True) for _ in range(60)]

    assert waits[:40] == [0.0] * 40
    assert all(wait > 0 for wait in waits[-10:])
    assert await gate.enter(HOST, "feed") > 60


async def test_a_host_that_asked_for_patience_is_spared_by_bursts_too(stores: Stores):
    gate = HostRateLimit(stores.front, Politeness(delay_s=3.0))
    await gate.enter(HOST, "", burst=True)
    await stores.execute("UPDATE hosts SET cooldown_until = now_us() + 60000000")

    assert 40 < await gate.enter(HOST, "", burst=True) <= 60


@pytest.mark.parametrize("alone", [True, False])
async def test_only_the_icon_of_a_feed_added_by_itself_is_asked_for_ahead(
    stores: Stores, alone: bool
):
    await added(stores, "feed", alone=alone)

    [feed] = await stores.queue.claim(10)
    await stores.refreshes.store(refreshed(feed, (article("one"),)))

    [task] = [t for t in await stores.tasks.claim(10) if t.kind == TaskKind.FAVICON]
    assert task.payload["alone"] is alone


async def test_a_feed_added_by_itself_is_fetched_with_the_burst_that_found_it(stores: Stores):
    gate = await found(stores)
    await added(stores, "one")

    claimed = await stores.make_queue(delay_s=3.0, at_once=2).claim(8)

    assert [feed.url for feed in claimed] == [f"https://{HOST}/one"]
    assert 15 < await gate.enter(HOST, "another") <= 21


async def test_feeds_of_a_list_wait_for_their_hosts_turn(stores: Stores):
    await found(stores)
    await added(stores, "one", "two", alone=False)

    claimed = await stores.make_queue(delay_s=3.0, at_once=2).claim(8)

    assert claimed == []
    assert await waiting_s(stores, "one") > 12
    assert await waiting_s(stores, "two") > 15


async def test_a_feed_added_by_itself_passes_those_of_a_list(stores: Stores):
    await added(stores, *(f"listed{n}" for n in range(20)), alone=False)
    queue = stores.make_queue(delay_s=3.0, at_once=2)
    assert len(await queue.claim(32)) == 1
    await added(stores, "one")

    claimed = await queue.claim(32)

    assert [feed.url for feed in claimed] == [f"https://{HOST}/one"]


async def test_first_fetches_of_single_feeds_overdraw_no_more_than_bursts(stores: Stores):
    await found(stores, 10)
    paths = [f"feed{n}" for n in range(20)]
    await added(stores, *paths)

    claimed = await stores.make_queue(delay_s=3.0).claim(64)

    assert 5 <= len(claimed) <= 8
    assert await waiting_s(stores, paths[-1]) > 30


async def test_single_feeds_too_are_asked_for_two_at_once(stores: Stores):
    await found(stores)
    await added(stores, *(f"feed{n}" for n in range(4)))
    queue = stores.make_queue(delay_s=3.0, at_once=2)

    claimed = await queue.claim(8)

    assert len(claimed) == 2
    left = {f"feed{n}" for n in range(4)} - {f.url.rsplit("/", 1)[1] for f in claimed}
    for path in left:
        assert 0 < await waiting_s(stores, path) <= 3
    await queue.release(claimed[:1])
    assert len(await queue.claim(8)) == 1


async def test_a_single_feed_spares_a_host_that_asked_for_patience(stores: Stores):
    await found(stores)
    await stores.execute("UPDATE hosts SET cooldown_until = now_us() + 60000000")
    await added(stores, "one")

    assert await stores.make_queue(delay_s=3.0, at_once=2).claim(8) == []
    assert await waiting_s(stores, "one") > 40


async def test_only_the_first_try_of_a_single_feed_goes_ahead(stores: Stores):
    await found(stores)
    await added(stores, "one")
    await stores.make_queue(delay_s=3.0, lease_s=0).claim(1)

    again = await stores.make_queue(delay_s=3.0).claim(1)

    assert again == []
    assert await waiting_s(stores, "one") > 12
