"""People who come late: what is stored, what was deleted, what is being fetched."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Order, Wanted
from feedloom.model.stages import Outcome, Refreshed, Stored
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.scripts import WORKER, Insert, Script
from feedloom.store.ingest.refreshes import store_group
from feedloom.store.reader.subscriptions import MOST_SUBSCRIPTIONS
from tests.fakes import START
from tests.stores import Stores, article, refreshed

URL = "https://site.example/feed.xml"
ALL = Wanted(limit=1000, order=Order.ITEM_ASC, include_hidden=True)


async def titles(stores: Stores, user_id: int) -> list[str]:
    page = await stores.reading.articles(user_id, ALL)
    return [one.title for one in page.articles]


async def bury(stores: Stores, *names: str) -> None:
    """Delete articles as clean-up does: with a tombstone each."""
    await stores.execute(
        "INSERT INTO article_tombstones (feed_id, guid_hash, deleted_at)"
        " SELECT feed_id, guid_hash, now_us() FROM articles WHERE title = ANY(:names)",
        names=list(names),
    )
    await stores.execute("DELETE FROM articles WHERE title = ANY(:names)", names=list(names))


async def test_deleted_entries_still_listed_come_back_for_the_newcomer_only(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "old", "kept")
    await bury(stores, "old")

    await stores.subscriptions.subscribe(bob.id, URL)
    feed = await stores.claim(URL)
    known = await stores.refreshes.known(feed.feed_id)
    stored = await stores.refreshes.store(refreshed(feed, (article("old"),), listed=("guid:kept",)))

    assert (feed.etag, feed.body_hash) == (None, None)
    assert known.tombstones == frozenset()
    assert stored.new_articles == 0
    assert await titles(stores, ada.id) == ["kept"]
    assert await titles(stores, bob.id) == ["kept", "old"]
    assert await stores.rows("SELECT feed_id FROM article_tombstones") == []


@pytest.mark.threat("R2")
async def test_after_that_a_tombstone_holds_for_the_newcomer_too(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "old", "kept")
    await bury(stores, "old")
    await stores.subscriptions.subscribe(bob.id, URL)
    await stores.deliver(URL, "kept", listed=("guid:old",))

    feed = await stores.claim(URL)
    await stores.refreshes.store(refreshed(feed, (article("old"), article("kept"))))

    known = await stores.refreshes.known(feed.feed_id)
    assert len(known.tombstones) == 1
    assert await titles(stores, bob.id) == ["kept"]


async def test_what_comes_back_is_unread_only_among_the_ten_freshest(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, URL)
    old = tuple(article(f"old{n}", published_at=START - timedelta(days=200 - n)) for n in range(5))
    await stores.refreshes.store(refreshed(await stores.claim(URL), old))
    await stores.deliver(URL, *(f"t{n}" for n in range(8)), listed=tuple(a.guid for a in old))
    await bury(stores, *(a.title for a in old))

    await stores.subscriptions.subscribe(bob.id, URL)
    await stores.refreshes.store(
        refreshed(await stores.claim(URL), old, listed=tuple(f"guid:t{n}" for n in range(8)))
    )

    page = await stores.reading.articles(bob.id, ALL)
    unread = [one.title for one in page.articles if one.unread]
    assert len(page.articles) == 13
    assert unread == [*(f"t{n}" for n in range(8)), "old3", "old4"]


async def test_a_feed_nobody_read_is_fetched_whole_for_its_first_reader(stores: Stores):
    ada = await stores.person()
    first = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.unsubscribe(ada.id, first.id)
    listed_only = await stores.claim(URL)
    await stores.refreshes.store(replace(refreshed(listed_only, (article("one"),)), etag='"v1"'))
    assert await stores.rows("SELECT id FROM articles") == []

    await stores.subscriptions.subscribe(ada.id, URL)

    [feed] = await stores.queue.claim(10)
    assert (feed.etag, feed.body_hash) == (None, None)
    await stores.refreshes.store(refreshed(feed, (article("one"),)))
    assert await titles(stores, ada.id) == ["one"]


@pytest.mark.threat("Q13")
async def test_somebody_who_subscribes_while_it_is_fetched_misses_nothing(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one")
    feed = await stores.claim(URL)

    await stores.subscriptions.subscribe(bob.id, URL)
    await stores.refreshes.store(
        replace(refreshed(feed, ()), outcome=Outcome.NOT_MODIFIED, parsed=None, etag='"v1"')
    )

    [again] = await stores.queue.claim(10)
    assert again.etag is None
    assert again.subscriber_count == 2
    await stores.refreshes.store(refreshed(again, (article("two"),)))
    assert await titles(stores, bob.id) == ["one", "two"]
    assert not (await stores.rows("SELECT again FROM feed_schedules"))[0]["again"]


async def test_a_first_reader_who_comes_during_a_directory_fetch_gets_articles(stores: Stores):
    ada = await stores.person()
    first = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.unsubscribe(ada.id, first.id)
    feed = await stores.claim(URL)
    assert feed.subscriber_count == 0

    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.refreshes.store(refreshed(feed, (article("one"),)))

    assert await titles(stores, ada.id) == ["one"]


@pytest.mark.threat("Q13")
async def test_asking_for_a_running_task_lets_it_run_once_more(stores: Stores):
    wish = NewTask(TaskKind.FAVICON, {"feed_id": 1}, unique_key="favicon:1")
    first = await stores.tasks.add(wish)
    [running] = await stores.tasks.claim(10)

    second = await stores.tasks.add(wish)

    assert second == first
    assert await stores.tasks.claim(10) == []
    await stores.tasks.finish(running, {"found": True})
    [again] = await stores.tasks.claim(10)
    assert (again.id, again.attempts) == (first, 1)
    await stores.tasks.finish(again, {"found": True})
    assert await stores.tasks.claim(10) == []
    assert (await stores.rows("SELECT done_at FROM tasks"))[0]["done_at"] is not None


@pytest.mark.threat("D7")
async def test_two_groups_that_share_readers_do_not_deadlock(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    feeds = []
    for number in range(12):
        url = f"https://h{number}.example/feed.xml"
        reader = ada if number % 2 else bob
        await stores.subscriptions.subscribe(reader.id, url)
        feeds.append(url)
    claimed = {feed.url: feed for feed in await stores.queue.claim(100)}
    items = [refreshed(claimed[url], (article(url),)) for url in feeds]
    mixed = [items[0], items[3], items[4], items[7], items[8], items[11]]
    others = [items[1], items[2], items[5], items[6], items[9], items[10]]

    runs = []

    def counted(group: list[Refreshed]) -> Script[list[Stored]]:
        # A script that met a deadlock is run again from its start.
        runs.append(len(group))
        return (yield from store_group(group))

    results = await asyncio.gather(
        stores.work.write(WORKER, counted, mixed), stores.work.write(WORKER, counted, others)
    )

    assert runs == [6, 6]
    assert [one.new_articles for group in results for one in group] == [1] * 12


@pytest.mark.threat("W9")
async def test_nobody_has_more_feeds_than_the_quota(stores: Stores):
    ada = await stores.person()
    [root] = await stores.rows("SELECT id FROM folders WHERE user_id = :id", id=ada.id)

    def fill() -> Script[None]:
        yield Insert(
            "subscriptions",
            ("user_id", "folder_id", "title", "added_at"),
            [(ada.id, root["id"], "x", 0) for _ in range(MOST_SUBSCRIPTIONS)],
        )

    await stores.work.write(WORKER, fill)

    with pytest.raises(InvalidInput, match="10000 feeds"):
        await stores.subscriptions.subscribe(ada.id, URL)


@pytest.mark.threat("W4")
async def test_refreshing_all_spares_feeds_just_asked_and_failing_ones(stores: Stores):
    ada = await stores.person()
    for number in range(3):
        await stores.subscriptions.subscribe(ada.id, f"https://h{number}.example/feed.xml")
    await stores.execute(
        "UPDATE feed_schedules SET next_run_at = now_us() + 3600000000,"
        " due_at = now_us() + 3600000000"
    )
    ages = {"h0.example": ("healthy", 0), "h1.example": ("healthy", 400_000_000)}
    ages["h2.example"] = ("degraded", 400_000_000)
    for host, (state, age) in ages.items():
        await stores.execute(
            "UPDATE feeds SET state = :state, last_attempt_at = now_us() - :age"
            " WHERE host_key = :host",
            state=state,
            age=age,
            host=host,
        )

    count = await stores.subscriptions.refresh_all(ada.id)

    assert count == 1
    assert [feed.host_key for feed in await stores.queue.claim(10)] == ["h1.example"]
