"""Pausing a feed: nothing arrives for one person, and nobody fetches it for nobody."""

from datetime import timedelta

import pytest

from feedloom.flow.refresh.schedule import explain_feed
from feedloom.model.errors import Conflict
from feedloom.model.reader import Wanted
from tests.fakes import START
from tests.stores import Stores

URL = "https://site.example/feed.xml"


async def is_polled(stores: Stores) -> bool:
    rows = await stores.rows("SELECT due_at, reason FROM feed_schedules")
    return rows[0]["due_at"] is not None


async def titles(stores: Stores, user_id: int) -> list[str]:
    page = await stores.reading.articles(user_id, Wanted())
    return [article.title for article in page.articles]


async def test_nothing_arrives_for_who_paused_and_others_read_on(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    mine = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.subscribe(bob.id, URL)
    await stores.deliver(URL, "before")

    await stores.subscriptions.pause(ada.id, mine.id)
    await stores.deliver(URL, "meanwhile", at=START + timedelta(hours=1))

    assert await titles(stores, ada.id) == ["before"]
    assert await titles(stores, bob.id) == ["meanwhile", "before"]
    assert await is_polled(stores)
    paused = await stores.subscriptions.subscription(ada.id, mine.id)
    assert explain_feed(paused) == "You paused this feed, so nothing new arrives."
    with pytest.raises(Conflict):
        await stores.subscriptions.refresh(ada.id, mine.id)

    await stores.subscriptions.resume(ada.id, mine.id)
    await stores.deliver(URL, "after", at=START + timedelta(hours=2))

    assert await titles(stores, ada.id) == ["after", "meanwhile", "before"]


async def test_a_feed_that_all_its_readers_paused_is_not_polled(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    both = [
        (person.id, (await stores.subscriptions.subscribe(person.id, URL)).id)
        for person in (ada, bob)
    ]
    await stores.deliver(URL, "one")

    await stores.subscriptions.pause(*both[0])
    assert await is_polled(stores)
    await stores.subscriptions.pause(*both[1])
    await stores.subscriptions.pause(*both[1])
    assert not await is_polled(stores)
    assert await stores.subscriptions.refresh_all(bob.id) == 0

    await stores.subscriptions.resume(*both[0])
    await stores.subscriptions.resume(*both[0])
    assert await is_polled(stores)


async def test_who_ignores_the_cache_has_the_feed_fetched_whole(stores: Stores):
    ada = await stores.person()
    mine = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one")
    await stores.execute("UPDATE feeds SET etag = 'x', body_hash = 'y'")

    before = await stores.claim(URL)
    await stores.queue.release([before])
    await stores.subscriptions.change(ada.id, mine.id, {"ignores_cache": True})
    after = await stores.claim(URL)

    assert (before.etag, before.body_hash) == ("x", "y")
    assert (after.etag, after.last_modified, after.body_hash) == (None, None, None)


async def test_a_selector_keeps_a_feed_apart(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    mine = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.subscribe(bob.id, URL)

    await stores.subscriptions.set_selector(ada.id, mine.id, "article")
    await stores.subscriptions.set_selector(ada.id, mine.id, "article")
    feeds = await stores.rows("SELECT id FROM feeds")
    with pytest.raises(Conflict):
        await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.set_selector(ada.id, mine.id, None)
    rows = await stores.rows("SELECT DISTINCT feed_id FROM subscriptions")

    assert len(feeds) == 2
    assert len(rows) == 1


async def test_places_in_media_are_ones_own_and_move_with_the_article(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    mine = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.subscribe(bob.id, URL)
    await stores.deliver(URL, "one")
    file = "https://site.example/a.mp3"

    async def position(user_id: int) -> dict[str, int]:
        article = await stores.reading.article(user_id, 1)
        found = await stores.reading.media_positions(user_id, [article.article_id])
        return {url: seconds for (_, url), seconds in found.items()}

    await stores.reading.set_media_position(ada.id, 1, file, 10)
    await stores.reading.set_media_position(ada.id, 1, file, 20)
    assert (await position(ada.id), await position(bob.id)) == ({file: 20}, {})

    await stores.subscriptions.set_selector(ada.id, mine.id, "article")
    rows = await stores.rows("SELECT id FROM feeds WHERE url_key LIKE '%#%'")
    assert len(rows) == 1
    assert await position(ada.id) == {file: 20}
