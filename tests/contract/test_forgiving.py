"""Our own outage is charged to nobody: failures are taken back, feeds come soon."""

from datetime import timedelta

from feedloom.model.reasons import scheduled_at
from tests.stores import Stores, failed

URL = "https://site.example/feed.xml"


async def test_a_charged_feed_is_as_before_and_tried_in_five_minutes(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one")
    feed = await stores.claim(URL)
    await stores.refreshes.store(failed(feed))

    await stores.operations.forgive([feed.feed_id])

    [mine] = await stores.subscriptions.subscriptions(ada.id)
    assert (mine.state, mine.consecutive_failures) == ("healthy", 0)
    assert (mine.last_fetch_status, mine.last_fetch_error) == ("success", None)
    now = await stores.operations.database_time()
    assert mine.next_run_at is not None
    assert abs(mine.next_run_at - now - timedelta(minutes=5)) < timedelta(minutes=1)
    assert scheduled_at(mine.reason) == mine.next_run_at


async def test_failures_of_its_own_stay(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    feed = await stores.claim(URL)
    await stores.refreshes.store(failed(feed, failures=3))

    await stores.operations.forgive([feed.feed_id])

    [mine] = await stores.subscriptions.subscriptions(ada.id)
    assert (mine.state, mine.consecutive_failures) == ("degraded", 2)
    assert mine.last_fetch_error == "The server could not be reached."
