"""What is sent along with a fetch keeps a feed apart, for those who send the same."""

from feedloom.store import RevivalStore
from tests.stores import Stores

FEED = "https://site.example/feed"
COOKIE = "session=1"


async def sent(stores: Stores) -> set[tuple[str | None, str | None]]:
    """Claim everything and tell what is sent with each fetch."""
    await stores.operations.make_due(None, everything=True)
    # Feeds of one host come one by one.
    claimed = [feed for _ in range(4) for feed in await stores.queue.claim(10)]
    await stores.queue.release(claimed)
    return {(feed.cookie, feed.user_agent) for feed in claimed}


async def two_readers(stores: Stores) -> tuple[tuple[int, int], tuple[int, int]]:
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    of_ada = await stores.subscriptions.subscribe(ada.id, FEED)
    of_bob = await stores.subscriptions.subscribe(bob.id, FEED)
    return (ada.id, of_ada.id), (bob.id, of_bob.id)


async def test_one_feed_becomes_two_and_each_is_fetched_its_own_way(stores: Stores):
    ada, bob = await two_readers(stores)

    changed = await stores.subscriptions.set_access(
        *ada, cookie=COOKIE, user_agent="Mine"
    )

    other = await stores.subscriptions.subscription(*bob)
    assert changed.url == other.url == FEED
    assert changed.feed_id != other.feed_id
    assert await sent(stores) == {(None, None), (COOKIE, "Mine")}


async def test_those_who_send_the_same_share_and_nobody_else(stores: Stores):
    ada, bob = await two_readers(stores)

    first = await stores.subscriptions.set_access(*ada, cookie=COOKIE, user_agent=None)
    same = await stores.subscriptions.set_access(*bob, cookie=COOKIE, user_agent=None)
    another = await stores.subscriptions.set_access(*bob, cookie="s=2", user_agent=None)

    assert first.feed_id == same.feed_id
    assert first.feed_id != another.feed_id
    assert await sent(stores) == {(COOKIE, None), ("s=2", None)}


async def test_sending_nothing_any_more_leads_back_to_everybodys_feed(stores: Stores):
    ada, bob = await two_readers(stores)
    await stores.subscriptions.set_access(*ada, cookie=COOKIE, user_agent="Mine")

    back = await stores.subscriptions.set_access(*ada, cookie=None, user_agent=None)

    assert back.feed_id == (await stores.subscriptions.subscription(*bob)).feed_id
    assert await sent(stores) == {(None, None)}


async def test_marks_of_earlier_articles_stay(stores: Stores):
    ada, _ = await two_readers(stores)
    await stores.deliver(FEED, "one", "two")
    await stores.reading.mark(ada[0], [1], "starred")

    await stores.subscriptions.set_access(*ada, cookie=COOKIE, user_agent=None)

    assert (await stores.reading.article(ada[0], 1)).starred
    assert (await stores.reading.counts(ada[0])).total == 2


async def test_a_dead_feed_that_is_kept_apart_says_so(stores: Stores):
    ada, bob = await two_readers(stores)
    apart = await stores.subscriptions.set_access(*ada, cookie=COOKIE, user_agent=None)
    shared = await stores.subscriptions.subscription(*bob)
    store = RevivalStore(stores.work)

    assert (await store.dead_feed(apart.feed_id or 0)).is_apart
    assert not (await store.dead_feed(shared.feed_id or 0)).is_apart


async def test_a_cookie_is_no_part_of_what_is_printed(stores: Stores):
    ada, _ = await two_readers(stores)

    changed = await stores.subscriptions.set_access(
        *ada, cookie="s=geheim", user_agent=None
    )

    assert changed.cookie == "s=geheim"
    assert "geheim" not in repr(changed)


async def test_one_who_leaves_stops_a_feed_for_nobody_else(stores: Stores):
    ada, bob = await two_readers(stores)

    await stores.subscriptions.unsubscribe(*ada)
    others = await stores.rows("SELECT next_run_at FROM feed_schedules")
    await stores.subscriptions.unsubscribe(*bob)
    nobody = await stores.rows("SELECT next_run_at FROM feed_schedules")

    assert others[0]["next_run_at"] is not None
    assert nobody[0]["next_run_at"] is None
