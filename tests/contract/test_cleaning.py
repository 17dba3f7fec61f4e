"""Clean-up: what may go goes, what somebody holds or is listed stays."""

from datetime import timedelta

import pytest

from feedloom.flow.worker.maintenance import Pruner
from feedloom.model.reader import Retention, Wanted
from feedloom.model.stages import Stored
from tests.stores import Stores, refreshed

URL = "https://site.example/feed.xml"
DAY_US = 86_400_000_000


async def age(stores: Stores, days: int) -> None:
    """Let everything stored so far be older."""
    for table, column in (
        ("articles", "published_at"),
        ("articles", "fetched_at"),
        ("article_states", "arrived_at"),
    ):
        await stores.execute(f"UPDATE {table} SET {column} = now_us() - {days * DAY_US}")


async def titles(stores: Stores) -> list[str]:
    return [r["title"] for r in await stores.rows("SELECT title FROM articles ORDER BY id")]


@pytest.mark.threat("R1", "R2")
async def test_a_refresh_prunes_what_is_old_read_and_unlisted(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "read", "unread", "starred", "listed")
    await stores.reading.mark(ada.id, [1, 3, 4], "read")
    await stores.reading.mark(ada.id, [3], "starred")
    await age(stores, 91)
    await stores.deliver(URL, "new", listed=("guid:listed",))
    feed = await stores.claim(URL)
    pruner = Pruner(stores.cleanup)

    await pruner.after_refresh(refreshed(feed, ()), Stored(feed.feed_id))

    assert await titles(stores) == ["unread", "starred", "listed", "new"]


async def test_a_feed_is_pruned_once_a_day(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one", "two")
    await stores.deliver(URL, "three")
    await stores.reading.mark(ada.id, [1], "read")
    await age(stores, 91)
    feed = await stores.claim(URL)
    done = refreshed(feed, ())
    pruner = Pruner(stores.cleanup)

    await pruner.after_refresh(done, Stored(feed.feed_id))
    await stores.reading.mark(ada.id, [2], "read")
    await pruner.after_refresh(done, Stored(feed.feed_id))

    assert await titles(stores) == ["two", "three"]
    later = refreshed(feed, (), at=done.at + timedelta(days=1))
    await pruner.after_refresh(later, Stored(feed.feed_id))
    assert await titles(stores) == ["three"]


@pytest.mark.threat("R8")
async def test_the_hourly_look_prunes_feeds_that_bring_nothing_new(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "old")
    await stores.deliver(URL, "new")
    await stores.reading.mark(ada.id, [1, 2], "read")
    await age(stores, 91)

    dropped = await stores.cleanup.drop_orphans()

    assert dropped == 1
    assert await titles(stores) == ["new"]


async def test_a_proxy_keeps_its_newest_articles_however_old(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "oldest", "older", "old")
    await stores.deliver(URL, "listed")
    await stores.reading.mark(ada.id, [1, 2, 3, 4], "read")
    await stores.execute(
        "UPDATE articles SET fetched_at = now_us() - :us, published_at = now_us() - :us + id",
        us=100 * DAY_US,
    )
    await stores.execute(
        "INSERT INTO proxies (feed_id, max_items, created_at) SELECT id, 3, 0 FROM feeds"
    )

    await stores.cleanup.prune_feed(1)

    assert await titles(stores) == ["older", "old", "listed"]


@pytest.mark.threat("R1")
async def test_a_day_subscription_hides_after_a_day_and_keeps_stars(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, URL, retention=Retention.DAY)
    await stores.subscriptions.subscribe(bob.id, URL)
    await stores.deliver(URL, "one", "two")
    await stores.reading.mark(ada.id, [2], "starred")
    before = await stores.reading.article(ada.id, 1)
    await age(stores, 2)

    hidden = await stores.cleanup.expire_day_subscriptions()

    assert hidden == 1
    mine = await stores.reading.articles(ada.id, Wanted())
    assert [one.title for one in mine.articles] == ["two"]
    assert (await stores.reading.article(ada.id, 1)).last_modified > before.last_modified
    assert (await stores.reading.counts(bob.id)).unread == 2


async def test_unread_articles_count_as_read_after_the_days_of_their_feed_or_folder(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(bob.id, URL)
    news = (await stores.folders.create(ada.id, "News")).id
    inner = (await stores.folders.create(ada.id, "Local", parent_id=news)).id
    feed = await stores.subscriptions.subscribe(ada.id, URL, folder_id=inner)
    await stores.deliver(URL, "one", "two")
    await stores.reading.mark(ada.id, [2], "starred")
    await age(stores, 5)

    nobody_asked = await stores.cleanup.read_old_articles()
    await stores.folders.change(ada.id, news, {"read_after_days": 4})
    await stores.subscriptions.change(ada.id, feed.id, {"read_after_days": 6})
    too_soon = await stores.cleanup.read_old_articles()
    await stores.subscriptions.change(ada.id, feed.id, {"read_after_days": None})
    read = await stores.cleanup.read_old_articles()

    assert (nobody_asked, too_soon, read) == (0, 0, 2)
    assert (await stores.reading.counts(ada.id)).unread == 0
    assert (await stores.reading.article(ada.id, 2)).starred
    assert (await stores.reading.counts(bob.id)).unread == 2


async def test_only_the_newest_fifty_lines_of_a_log_are_kept(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    for number in range(60):
        await stores.execute(
            "INSERT INTO fetch_log (feed_id, at, outcome) SELECT id, :at, 'new' FROM feeds",
            at=number,
        )

    await stores.cleanup.drop_orphans()

    lines = await stores.rows("SELECT min(at) AS first, count(*) AS n FROM fetch_log")
    assert (lines[0]["first"], lines[0]["n"]) == (10, 50)


@pytest.mark.threat("Q8")
@pytest.mark.parametrize(("ahead_us", "is_due"), [(DAY_US, True), (0, False)])
async def test_a_feed_is_not_put_off_by_a_clock_that_was_ahead(
    stores: Stores, ahead_us: int, is_due
):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one")
    await stores.execute("UPDATE feeds SET last_attempt_at = now_us() + :ahead", ahead=ahead_us)
    await stores.execute(
        "UPDATE feed_schedules SET due_at = now_us() + :later, next_run_at = 0", later=2 * DAY_US
    )

    await stores.cleanup.drop_orphans()

    rows = await stores.rows("SELECT due_at <= now_us() AS due FROM feed_schedules")
    assert bool(rows[0]["due"]) is is_due


@pytest.mark.threat("Q8")
@pytest.mark.parametrize(("days", "is_over"), [(3, True), (1, False)])
async def test_a_lease_that_a_clock_ahead_gave_is_over(stores: Stores, days: int, is_over):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    [feed] = await stores.queue.claim(1)
    await stores.execute(
        "UPDATE feed_schedules SET due_at = now_us() + :us, locked_until = now_us() + :us",
        us=days * DAY_US,
    )

    await stores.cleanup.drop_orphans()

    again = await stores.queue.claim(1)
    assert [one.feed_id for one in again] == ([feed.feed_id] if is_over else [])


@pytest.mark.parametrize(
    ("days", "with_feed", "kept"),
    [(8, False, 0), (6, False, 1), (8, True, 1)],
    ids=["old", "recent", "with a feed"],
)
async def test_a_site_without_a_feed_is_forgotten_after_a_week(
    stores: Stores, days: int, with_feed: bool, kept: int
):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.execute(
        "INSERT INTO sites (input_url, url_key, canonical_url, domain, last_discovered_at)"
        " VALUES ('https://pasted.example/', 'k', 'https://pasted.example/',"
        " 'pasted.example', now_us() - :us)",
        us=days * DAY_US,
    )
    if with_feed:
        await stores.execute("UPDATE feeds SET site_id = (SELECT id FROM sites)")

    await stores.cleanup.drop_orphans()

    assert len(await stores.rows("SELECT id FROM sites")) == kept
