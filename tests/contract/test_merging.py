"""Two feeds become one: nothing is lost, mixed up, or poured over anybody."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import structs

from feedloom.model.reader import Order, User, Wanted
from feedloom.model.rules import NewRule
from feedloom.model.stages import NewArticle, Refreshed
from feedloom.model.urls import url_hash
from feedloom.store import RevivalStore, RuleStore
from feedloom.store.engine.scripts import WORKER
from feedloom.store.ingest.refreshes import store_group
from tests.fakes import START
from tests.stores import Stores, article, refreshed

OLD = "https://old.example/feed.xml"
NEW = "https://new.example/feed.xml"
ALL = Wanted(limit=1000, order=Order.ITEM_ASC)


async def titles(stores: Stores, person: User) -> list[str]:
    found = await stores.reading.articles(person.id, ALL)
    return [one.title for one in found.articles]


async def unread(stores: Stores, person: User) -> list[str]:
    found = await stores.reading.articles(person.id, ALL)
    return [one.title for one in found.articles if one.unread]


async def readers(stores: Stores) -> tuple[User, User]:
    """Let one person read the old feed and one the new."""
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, OLD)
    await stores.subscriptions.subscribe(bob.id, NEW)
    return ada, bob


async def publish(stores: Stores, url: str, articles: Sequence[NewArticle]) -> None:
    feed = await stores.claim(url)
    await stores.refreshes.store(refreshed(feed, tuple(articles)))


async def redirected(stores: Stores, *new: str, listed: tuple[str, ...] = ()) -> Refreshed:
    """Fetch the old feed, which is at the new one's address for good now."""
    feed = await stores.claim(OLD)
    articles = tuple(article(title) for title in new)
    return structs.replace(refreshed(feed, articles, listed=listed), new_url=NEW)


async def swap(stores: Stores) -> None:
    """Find out that the old feed, which is dead, goes on as the new one."""
    [row] = await stores.rows("SELECT id FROM feeds WHERE url = :url", url=OLD)
    await RevivalStore(stores.work).swap(row["id"], NEW, "The same entries.")


def at(url: str, *articles: NewArticle) -> list[NewArticle]:
    """Give all articles one address."""
    return [one._replace(url=url, url_hash=url_hash(url)) for one in articles]


@pytest.mark.threat("R4")
@pytest.mark.parametrize("address", ["https://pod.example/all", NEW])
async def test_articles_without_a_page_of_their_own_stay_themselves(stores: Stores, address: str):
    ada, bob = await readers(stores)
    episodes = at(address, *(article(f"Episode {n}") for n in range(5)))
    await publish(stores, OLD, episodes)
    await publish(stores, NEW, episodes)
    await stores.reading.mark(ada.id, [4], "starred")
    await stores.reading.mark(ada.id, [5], "read")

    await stores.refreshes.store(await redirected(stores))

    found = (await stores.reading.articles(ada.id, ALL)).articles
    assert [one.title for one in found] == [f"Episode {n}" for n in range(5)]
    assert [one.title for one in found if one.starred] == ["Episode 3"]
    assert [one.title for one in found if not one.unread] == ["Episode 4"]
    assert await titles(stores, bob) == [f"Episode {n}" for n in range(5)]


async def test_the_only_articles_of_two_feeds_are_not_one_for_their_site(stores: Stores):
    ada, bob = await readers(stores)
    await publish(stores, OLD, at(NEW, article("Monday")))
    await publish(stores, NEW, at(NEW, article("Tuesday")))

    await stores.refreshes.store(await redirected(stores, listed=("guid:Monday",)))

    assert await titles(stores, ada) == ["Monday", "Tuesday"]
    assert await titles(stores, bob) == ["Tuesday", "Monday"]


async def test_an_address_of_its_own_makes_one_article_of_two_guids(stores: Stores):
    ada, bob = await readers(stores)
    await publish(stores, OLD, [article("one", guid="old:one"), article("two")])
    await publish(stores, NEW, [article("one", guid="new:one"), article("two")])
    await stores.reading.mark(ada.id, [1], "starred")

    await stores.refreshes.store(await redirected(stores))

    assert await titles(stores, ada) == await titles(stores, bob) == ["one", "two"]
    [starred] = (await stores.reading.articles(ada.id, replace(ALL, starred=True))).articles
    assert starred.guid == "new:one"


CROSSED = at("https://site.example/two", article("one"))
BOTH = [article("one"), article("two")]


@pytest.mark.parametrize(("old", "new"), [(CROSSED, BOTH), (BOTH, CROSSED)])
async def test_who_has_a_partner_by_guid_gets_no_other_by_address(
    stores: Stores, old: list[NewArticle], new: list[NewArticle]
):
    ada, _ = await readers(stores)
    await publish(stores, OLD, old)
    await publish(stores, NEW, new)

    await stores.refreshes.store(await redirected(stores))

    assert await titles(stores, ada) == ["one", "two"]


@pytest.mark.threat("R4")
async def test_readers_of_the_feed_that_stays_get_what_the_other_brought(stores: Stores):
    ada, bob = await readers(stores)
    await stores.deliver(OLD, "one")
    await stores.deliver(NEW, "one")
    await stores.reading.mark(bob.id, [1], "read")

    await stores.refreshes.store(await redirected(stores, "two", listed=("guid:one",)))

    assert await titles(stores, ada) == await titles(stores, bob) == ["one", "two"]
    assert await unread(stores, bob) == ["two"]
    assert [one.item_no for one in (await stores.reading.articles(bob.id, ALL)).articles] == [1, 2]


@pytest.mark.threat("R4")
async def test_readers_of_a_dead_feed_get_what_its_successor_lists(stores: Stores):
    ada, bob = await readers(stores)
    await stores.deliver(OLD, "one")
    await stores.deliver(OLD, "old only", listed=("guid:one",))
    await stores.deliver(NEW, "one")
    await stores.deliver(NEW, "gone by now", listed=("guid:one",))
    await stores.deliver(NEW, "two", "three", listed=("guid:one",))
    await stores.reading.mark(ada.id, [1, 2], "read")

    await swap(stores)

    assert await titles(stores, ada) == ["one", "old only", "two", "three"]
    assert await unread(stores, ada) == ["two", "three"]
    # What only the dead feed listed is no news to those who read the living one.
    assert await titles(stores, bob) == ["one", "gone by now", "two", "three"]


async def test_nobody_gets_a_whole_history_nor_what_their_own_feed_had(stores: Stores):
    ada, bob = await readers(stores)
    long = [article(f"t{n}", published_at=START + timedelta(minutes=n)) for n in range(80)]
    await publish(stores, OLD, long[:5])
    await publish(stores, NEW, long)
    late = await stores.person("late@example.org")
    await stores.subscriptions.subscribe(late.id, OLD)
    await stores.execute(
        "DELETE FROM article_states WHERE user_id = :user AND item_no < 3", user=late.id
    )

    await swap(stores)

    newest = [f"t{n}" for n in range(30, 80)]
    assert await titles(stores, ada) == [*(f"t{n}" for n in range(5)), *newest]
    assert await titles(stores, late) == ["t2", "t3", "t4", *newest]
    assert len(await titles(stores, bob)) == 80


async def test_what_was_deleted_for_readers_does_not_come_back_by_a_merge(stores: Stores):
    ada, _ = await readers(stores)
    await stores.deliver(OLD, "one", "two")
    await stores.deliver(NEW, "one", "two")
    [row] = await stores.rows("SELECT id FROM feeds WHERE url = :url", url=OLD)
    await stores.execute(
        "INSERT INTO article_tombstones (feed_id, guid_hash, deleted_at)"
        " SELECT feed_id, guid_hash, now_us() FROM articles"
        " WHERE feed_id = :feed AND title = 'one'",
        feed=row["id"],
    )
    await stores.execute(
        "DELETE FROM articles WHERE feed_id = :feed AND title = 'one'", feed=row["id"]
    )

    await swap(stores)

    assert await titles(stores, ada) == ["two"]


async def test_who_reads_both_feeds_reads_one(stores: Stores):
    ada, _ = await readers(stores)
    await stores.subscriptions.subscribe(ada.id, NEW)
    await stores.deliver(OLD, "one", "two")
    await stores.deliver(NEW, "two", "three")

    await stores.refreshes.store(await redirected(stores, listed=("guid:one", "guid:two")))

    assert sorted(await titles(stores, ada)) == ["one", "three", "two"]
    assert len(await stores.subscriptions.subscriptions(ada.id)) == 1


@pytest.mark.parametrize("first", [OLD, NEW])
async def test_both_feeds_may_be_stored_together(stores: Stores, first: str):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    second = NEW if first == OLD else OLD
    for person, url in ((ada, first), (bob, second)):
        await stores.subscriptions.subscribe(person.id, url)
    for url in (OLD, NEW):
        await stores.deliver(url, "one")
    await stores.operations.make_due(None, everything=True)
    feeds = {feed.url: feed for feed in await stores.queue.claim(10)}
    moved = refreshed(feeds[OLD], (article("two"),), listed=("guid:one",))
    other = refreshed(feeds[NEW], (article("three"),), listed=("guid:one",))

    stored = await stores.work.write(
        WORKER, store_group, [structs.replace(moved, new_url=NEW), other]
    )

    assert [one.merged_into for one in stored] == [feeds[NEW].feed_id, None]
    for person in (ada, bob):
        assert sorted(await titles(stores, person)) == ["one", "three", "two"]
        assert sorted(await unread(stores, person)) == ["one", "three", "two"]


async def test_rules_hear_of_what_a_merge_brought(stores: Stores):
    _, bob = await readers(stores)
    await stores.deliver(OLD, "one")
    await stores.deliver(NEW, "one")
    rule = NewRule(name="No ads", field="title", pattern="ad", action="hide")
    await RuleStore(stores.front).add(bob.id, rule)

    await stores.refreshes.store(await redirected(stores, "ad", listed=("guid:one",)))

    tasks = [t for t in await stores.tasks.claim(10) if t.kind == "apply_rules"]
    [kept] = await stores.rows("SELECT id FROM feeds")
    [ad] = await stores.rows("SELECT id FROM articles WHERE title = 'ad'")
    assert [task.payload for task in tasks] == [{"feed_id": kept["id"], "article_ids": [ad["id"]]}]


@pytest.mark.parametrize("is_read", [OLD, NEW])
async def test_what_somebody_starred_long_ago_comes_to_nobody_by_a_merge(
    stores: Stores, is_read: str
):
    """A feed nobody reads keeps an old star, and lists other things by now."""
    left, read = (OLD, NEW) if is_read == NEW else (NEW, OLD)
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    place = await stores.subscriptions.subscribe(ada.id, left)
    await stores.deliver(left, "starred long ago")
    await stores.reading.mark(ada.id, [1], "starred")
    await stores.execute("UPDATE feeds SET in_directory = true")
    await stores.subscriptions.unsubscribe(ada.id, place.id)
    await stores.subscriptions.subscribe(bob.id, read)
    await stores.deliver(read, "new")
    await stores.deliver(left, "of today", at=START + timedelta(days=1))

    feed = await stores.claim(OLD)
    moved = refreshed(feed, (article("last"),), at=START + timedelta(days=2))
    await stores.refreshes.store(structs.replace(moved, new_url=NEW))

    assert "starred long ago" not in await titles(stores, bob)
    assert await titles(stores, ada) == ["starred long ago"]
