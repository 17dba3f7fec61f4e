"""Overviews as rows: the sidebar, the river, counts for charts, sweeps and their undo."""

from datetime import UTC, datetime, timedelta

import pytest

from feedloom.model.reader import Order, Wanted
from feedloom.store import OverviewStore
from tests.stores import Stores, failed, refreshed

ONE = "https://one.example/feed"
TWO = "https://two.example/feed"
DAY = timedelta(days=1)


def now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the database's time is the wall's


async def subscribed(stores: Stores, *urls: str, email: str = "ada@example.org") -> int:
    """Make somebody who reads these feeds; return their id."""
    person = await stores.person(email)
    for url in urls:
        await stores.subscriptions.subscribe(person.id, url)
    return person.id


async def test_the_shelf_has_feeds_by_title_with_their_counts(stores: Stores):
    ada = await subscribed(stores, ONE)
    folder = await stores.folders.ensure(ada, ("News", "Local"))
    await stores.subscriptions.subscribe(ada, TWO, title="A first", folder_id=folder)
    await stores.deliver(ONE, "x", "y", at=now())

    sidebar = await OverviewStore(stores.front).sidebar(ada)

    assert [(f.title, f.url, f.unread) for f in sidebar.feeds] == [
        ("A feed", ONE, 2),
        ("A first", TWO, 0),
    ]
    assert [f.in_root for f in sidebar.feeds] == [True, False]
    assert [f.last_fetch_status for f in sidebar.feeds] == ["success", None]
    assert sorted(f.name for f in sidebar.folders) == ["Local", "News"]
    assert (sidebar.starred, sidebar.newest_item) == (0, 2)


async def test_a_feed_without_a_title_is_called_by_its_host(stores: Stores):
    ada = await subscribed(stores, ONE)

    (feed,) = (await OverviewStore(stores.front).sidebar(ada)).feeds

    assert feed.title == "one.example"


async def test_the_shelf_tells_failures_stars_and_tags(stores: Stores):
    ada = await subscribed(stores, ONE, TWO)
    await stores.deliver(ONE, "x", at=now())
    feed = await stores.claim(TWO)
    await stores.refreshes.store(failed(feed, at=now(), failures=3))
    await stores.reading.mark(ada, [1], "starred")
    await stores.reading.tag(ada, [1], "keep")

    sidebar = await OverviewStore(stores.front).sidebar(ada)

    broken = next(f for f in sidebar.feeds if f.url == TWO)
    assert broken.consecutive_failures == 3
    assert broken.last_fetch_error == "The server could not be reached."
    assert (sidebar.starred, sidebar.tags) == (1, (("keep", 1),))


@pytest.mark.threat("A7")
async def test_the_sidebar_is_ones_own(stores: Stores):
    await subscribed(stores, ONE, TWO)
    bob = await subscribed(stores, email="bob@example.org")

    sidebar = await OverviewStore(stores.front).sidebar(bob)

    assert (sidebar.feeds, sidebar.newest_item) == ((), None)


async def test_the_river_takes_the_freshest_sources_and_some_of_each(stores: Stores):
    ada = await subscribed(stores, ONE, TWO)
    await stores.deliver(ONE, "a", "b", "c", at=now() - timedelta(hours=2))
    await stores.deliver(TWO, "d", at=now())
    store = OverviewStore(stores.front)

    first = await store.river(ada, now() - DAY, per_feed=2, sources=1, skip=0)
    second = await store.river(ada, now() - DAY, per_feed=2, sources=1, skip=1)

    assert ([a.title for a in first.articles], first.has_more) == (["d"], True)
    assert [a.title for a in second.articles] == ["c", "b"]
    assert (list(second.totals.values()), second.has_more) == ([3], False)


async def test_of_what_a_new_feed_brings_the_river_takes_what_was_published_lately(stores: Stores):
    ada = await subscribed(stores, ONE)
    await stores.deliver(ONE, "old", at=now() - timedelta(days=3))
    await stores.deliver(ONE, "fresh", at=now())
    store = OverviewStore(stores.front)

    river = await store.river(ada, now() - DAY, per_feed=9, sources=9, skip=0)
    fresh = await store.fresh(ada, now() - DAY, per_feed=9, most=9)

    assert [a.title for a in river.articles] == ["fresh"]
    # What GET /feeds answers goes by arrival, as it always did.
    assert sorted(a.title for a in fresh.articles) == ["fresh", "old"]


async def test_the_river_leaves_out_what_is_old_or_dismissed(stores: Stores):
    ada = await subscribed(stores, ONE)
    await stores.deliver(ONE, "old", at=now())
    await stores.execute("UPDATE article_states SET arrived_at = arrived_at - 90000000000")
    await stores.deliver(ONE, "fresh", "gone", at=now())
    await stores.reading.mark(ada, [3], "hidden")
    store = OverviewStore(stores.front)

    river = await store.river(ada, now() - DAY, per_feed=9, sources=9, skip=0)
    fresh = await store.fresh(ada, now() - DAY, per_feed=9, most=9)

    assert [a.title for a in river.articles] == ["fresh"]
    assert [a.title for a in fresh.articles] == ["fresh"]


async def test_a_sweep_marks_what_is_wanted_and_its_undo_brings_that_back(stores: Stores):
    ada = await subscribed(stores, ONE, TWO)
    await stores.deliver(ONE, "a", "b", at=now())
    await stores.deliver(TWO, "c", at=now())
    await stores.reading.mark(ada, [1], "read")
    store = OverviewStore(stores.front)

    swept = await store.sweep(ada, Wanted())
    undone = await store.undo_sweep(ada, swept.token)

    assert (swept.count, undone) == (2, 2)
    counts = await stores.reading.counts(ada)
    assert counts.unread == 2
    assert await store.undo_sweep(ada, swept.token) == 0


@pytest.mark.threat("C10")
async def test_a_sweep_leaves_what_is_newer_than_what_was_seen(stores: Stores):
    ada = await subscribed(stores, ONE)
    await stores.deliver(ONE, "a", "b", at=now())

    swept = await OverviewStore(stores.front).sweep(ada, Wanted(before_item=2))

    assert swept.count == 1
    assert (await stores.reading.counts(ada)).unread == 1


async def test_undo_leaves_alone_what_was_read_again_or_dismissed_since(stores: Stores):
    ada = await subscribed(stores, ONE)
    await stores.deliver(ONE, "a", "b", "c", at=now())
    store = OverviewStore(stores.front)
    swept = await store.sweep(ada, Wanted())
    await stores.reading.mark(ada, [1], "unread")
    await stores.reading.mark(ada, [1], "read")
    await stores.reading.mark(ada, [2], "hidden")

    assert await store.undo_sweep(ada, swept.token) == 1


@pytest.mark.threat("A8")
async def test_another_persons_sweep_cannot_be_undone(stores: Stores):
    ada = await subscribed(stores, ONE)
    bob = await subscribed(stores, ONE, email="bob@example.org")
    await stores.deliver(ONE, "a", at=now())
    store = OverviewStore(stores.front)
    swept = await store.sweep(ada, Wanted())

    assert await store.undo_sweep(bob, swept.token) == 0
    assert (await stores.reading.counts(ada)).unread == 0


async def test_a_sweep_tells_other_devices(stores: Stores):
    ada = await subscribed(stores, ONE)
    await stores.deliver(ONE, "a", at=now())
    before = (await stores.reading.article(ada, 1)).last_modified

    await OverviewStore(stores.front).sweep(ada, Wanted())

    assert (await stores.reading.article(ada, 1)).last_modified > before


async def test_articles_are_counted_by_feed_and_day(stores: Stores):
    ada = await subscribed(stores, ONE, TWO)
    await stores.deliver(ONE, "a", "b", at=now())
    await stores.deliver(ONE, "c", at=now() - 3 * DAY)
    ids = [s.id for s in await stores.subscriptions.subscriptions(ada)]

    found = await OverviewStore(stores.front).arrivals_per_feed(ada, ids, 5)

    totals = sorted(sum(days) for days in found.values())
    assert totals == [0, 3]
    assert {len(days) for days in found.values()} == {5}


async def test_outcomes_are_those_of_ones_own_feeds(stores: Stores):
    ada = await subscribed(stores, ONE)
    await subscribed(stores, TWO, email="bob@example.org")
    await stores.deliver(ONE, "a", at=now())
    await stores.deliver(TWO, "b", at=now())
    feed = await stores.claim(ONE)
    await stores.refreshes.store(failed(feed, at=now()))

    found = await OverviewStore(stores.front).outcomes(ada, 7)

    assert sorted((line.outcome, line.count) for line in found) == [("new", 1), ("temporary", 1)]


@pytest.mark.parametrize(
    ("order", "shown"),
    [
        (Order.ITEM_DESC, list(range(14, 1, -1))),
        (Order.ITEM_ASC, [1, 2, 3, 4, 5, 6]),
        (Order.OLDEST, [1, 2, 3, 4, 5, 6]),
    ],
)
async def test_an_article_is_listed_with_what_is_around_it(
    stores: Stores, order: Order, shown: list[int]
):
    ada = await subscribed(stores, ONE)
    await stores.deliver(ONE, *(f"g{n}" for n in range(14)), at=now())
    await stores.reading.mark(ada, [1, 2, 3], "unread")
    await stores.reading.mark(ada, [4], "read")
    wanted = Wanted(unread=True, order=order, limit=2)

    page = await stores.reading.articles_around(ada, wanted, 4)

    assert [article.item_no for article in page.articles] == shown
    assert page.next_cursor is not None or shown[-1] == 1
    assert page.has_earlier is False


async def test_an_article_of_another_list_leaves_it_as_it_is(stores: Stores):
    ada = await subscribed(stores, ONE, TWO)
    await stores.deliver(ONE, "x", at=now())
    await stores.deliver(TWO, "y", at=now())
    sidebar = await OverviewStore(stores.front).sidebar(ada)
    other = next(feed for feed in sidebar.feeds if feed.url == TWO)

    page = await stores.reading.articles_around(ada, Wanted(subscription_id=other.id), 1)

    assert [article.item_no for article in page.articles] == [2]


async def test_statistics_tell_what_was_published_and_read_but_not_put_away(stores: Stores):
    ada = await subscribed(stores, ONE, TWO)
    await stores.deliver(ONE, "a", "b", "c", at=now())
    await stores.deliver(TWO, *(f"t{number}" for number in range(30)), at=now())
    page = await stores.reading.articles(ada, Wanted(limit=50))
    ones = [one.item_no for one in page.articles if one.title in {"a", "b", "c"}]
    overviews = OverviewStore(stores.front)

    await stores.reading.mark(ada, ones[:1], "read")
    await stores.reading.mark(ada, ones[1:2], "starred")
    await stores.execute("UPDATE article_states SET read_at = read_at - 60000000")
    await overviews.sweep(ada, Wanted(subscription_id=page.articles[0].subscription_id))
    found = await overviews.statistics(ada, 12)

    assert len(found.weeks) == 12
    assert sum(week.published for week in found.weeks) == 33
    assert sum(week.read for week in found.weeks) == 1
    assert all(week.start.weekday() == 0 for week in found.weeks)
    assert sorted((feed.published, feed.read, feed.weeks) for feed in found.feeds) == [
        (3, 1, 1.0),
        (30, 0, 1.0),
    ]


async def test_awaited_fetches_are_counted_until_they_are_over(stores: Stores):
    ada = await subscribed(stores, ONE, TWO)
    bob = await subscribed(stores, email="bob@example.org")
    overviews = OverviewStore(stores.front)
    since = now() - timedelta(seconds=1)

    before = await overviews.fetching(ada, since)
    feed = await stores.claim(ONE)
    during = await overviews.fetching(ada, since)
    await stores.refreshes.store(refreshed(feed, (), at=now()))
    after = await overviews.fetching(ada, since)
    await stores.execute("UPDATE hosts SET cooldown_until = now_us() + 60000000")
    patient = await overviews.fetching(ada, since)

    assert (before.waiting, before.running, before.done) == (2, 0, 0)
    assert (during.waiting, during.running, during.done) == (2, 1, 0)
    assert (after.waiting, after.running, after.done, after.failed) == (1, 0, 1, 0)
    assert [(host.host, host.feeds) for host in patient.hosts] == [("two.example", 1)]
    assert (await overviews.fetching(bob, since)).waiting == 0
