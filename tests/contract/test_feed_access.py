"""What is sent along with a fetch keeps a feed apart, for those who send the same."""

from datetime import timedelta

import pytest

from feedloom.model.errors import Conflict
from feedloom.model.reader import Order, Wanted
from feedloom.store import RevivalStore
from tests.fakes import START
from tests.stores import Stores, article, refreshed

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

    changed = await stores.subscriptions.set_access(*ada, cookie=COOKIE, user_agent="Mine")

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

    changed = await stores.subscriptions.set_access(*ada, cookie="s=geheim", user_agent=None)

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


async def held(stores: Stores, user_id: int) -> list[tuple[int, str, bool, bool]]:
    """Tell of all articles their number, title and marks, in order of arrival."""
    wanted = Wanted(order=Order.ITEM_ASC, include_hidden=True, limit=100)
    page = await stores.reading.articles(user_id, wanted)
    return [(a.item_no, a.title, a.unread, a.starred) for a in page.articles]


@pytest.mark.parametrize("way", ["apart", "back", "another address"])
async def test_articles_both_have_keep_their_numbers_and_marks(stores: Stores, way: str):
    ada, bob = await two_readers(stores)
    await stores.deliver(FEED, "one", "two", "three")
    await stores.reading.mark(ada[0], [1, 2], "read")
    await stores.reading.mark(ada[0], [2], "starred")
    await stores.reading.tag(ada[0], [2], "later")
    before = await held(stores, ada[0])

    if way == "another address":
        new = "https://site.example/moved"
        await stores.subscriptions.change_url(*ada, new)
        await stores.deliver(new, "one", "two", "three", "four")
    else:
        await stores.subscriptions.set_access(*ada, cookie=COOKIE, user_agent=None)
        claimed = await stores.queue.claim(10)
        apart = next(feed for feed in claimed if feed.cookie == COOKIE)
        await stores.queue.release([feed for feed in claimed if feed is not apart])
        articles = tuple(map(article, ("one", "two", "three", "four")))
        await stores.refreshes.store(refreshed(apart, articles))
    if way == "back":
        await stores.subscriptions.set_access(*ada, cookie=None, user_agent=None)
        await stores.deliver(FEED, "one", "two", "three", "four")

    after = await held(stores, ada[0])
    assert after[:3] == before
    assert [title for _, title, _, _ in after[3:]] == ["four"]
    tagged = await stores.reading.articles(ada[0], Wanted(tag="later"))
    assert [found.item_no for found in tagged.articles] == [2]
    assert [title for _, title, _, _ in await held(stores, bob[0])][:3] == ["one", "two", "three"]


async def test_what_only_shares_a_guid_is_another_article(stores: Stores):
    ada, _ = await two_readers(stores)
    await stores.deliver(FEED, "one")
    other = "https://other.example/feed"
    await stores.subscriptions.change_url(*ada, other)

    feed = await stores.claim(other)
    await stores.refreshes.store(refreshed(feed, (article("unlike", guid="guid:one"),)))

    assert [title for _, title, _, _ in await held(stores, ada[0])] == ["one", "unlike"]


async def test_nobody_has_one_address_twice_whatever_they_send(stores: Stores):
    ada, _ = await two_readers(stores)
    await stores.subscriptions.set_access(*ada, cookie=COOKIE, user_agent="Mine")

    with pytest.raises(Conflict, match="already added"):
        await stores.subscriptions.subscribe(ada[0], FEED)
    second = await stores.subscriptions.subscribe(ada[0], "https://other.example/feed")
    with pytest.raises(Conflict, match="already exists"):
        await stores.subscriptions.change_url(ada[0], second.id, FEED)
    assert (await stores.subscriptions.subscription(ada[0], second.id)).url != FEED


async def test_what_comes_later_at_a_new_address_is_known_too(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    mine = await stores.subscriptions.subscribe(ada.id, FEED)
    other = "https://other.example/feed.xml"
    await stores.subscriptions.subscribe(bob.id, other)
    await stores.deliver(other, "one", "theirs")
    await stores.deliver(FEED, "one", "two", "three")
    everything = await stores.reading.articles(ada.id, Wanted(limit=100))
    await stores.reading.mark(ada.id, [one.item_no for one in everything.articles], "read")

    await stores.subscriptions.change_url(ada.id, mine.id, other)
    await stores.deliver(other, "one", "theirs", "two", "three", at=START + timedelta(hours=1))

    found = (await stores.reading.articles(ada.id, Wanted(limit=100))).articles
    assert sorted(one.title for one in found) == ["one", "theirs", "three", "two"]
    assert [one.title for one in found if one.unread] == ["theirs"]
