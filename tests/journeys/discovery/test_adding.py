"""Adding whatever a person pastes: found, pending, refused."""

import asyncio
from pathlib import Path

import pytest

from feedloom.flow.discovery.search import NoFeed
from feedloom.model.errors import BadAddress, Conflict
from tests.containers import Home, open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import entries, rss
from tests.publisher import Answer, Publisher

pytestmark = pytest.mark.both_engines

FEED = {"Content-Type": "application/rss+xml"}
LINK = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'


async def test_a_homepage_becomes_a_subscription_to_its_feed(home: Home, publisher: Publisher):
    feed = publisher.feed("/feed.xml", entries=entries(2))
    site = publisher.page("/", f"<title>Blog</title>{LINK}")

    added = await home.container.subscribing().add(home.person, site)

    assert added.subscription is not None
    assert added.subscription.url == feed
    assert [one.url for one in added.candidates if one.valid] == [feed]


async def test_a_feed_that_was_looked_for_is_fetched_with_its_search(
    engine_url: Databases, tmp_path: Path, publisher: Publisher
):
    publisher.feed("/feed.xml", entries=entries(2))
    site = publisher.page("/", "<title>A blog that names no feed</title>")
    settings = settings_for(engine_url, tmp_path, host_delay=3.0)
    loop = asyncio.get_running_loop()

    async with open_home(settings) as home:
        await home.container.subscribing().add(home.person, site, wait=True)
        searched = len(publisher.requests)
        began_at = loop.time()
        await home.refresh_due()

        assert len(await home.articles()) == 2
    # Its host's turn would come after three seconds for each page that was looked at.
    assert loop.time() - began_at < 3 * searched / 2
    assert searched > 3
    assert len(publisher.requests) == searched + 1


async def test_candidates_are_stored_with_scores_and_reasons(home: Home, publisher: Publisher):
    publisher.feed("/feed.xml", entries=entries(2))
    site = publisher.page("/", f"<title>Blog</title>{LINK}")

    added = await home.container.subscribing().add(home.person, site)

    assert added.subscription is not None
    page = await home.subscriptions.page(home.person.id, added.subscription.id)
    assert page.candidates[0].url == publisher.url("/feed.xml")
    assert page.candidates[0].score > 50
    assert sum(int(str(v)) for v in page.candidates[0].reasons.values()) == (
        page.candidates[0].score
    )


async def test_nothing_there_is_a_clear_answer(home: Home, publisher: Publisher):
    site = publisher.page("/", "<title>Nothing</title>")

    with pytest.raises(NoFeed, match="No feed was found") as caught:
        await home.container.subscribing().add(home.person, site)

    assert caught.value.key == "no_feed"
    assert caught.value.discovered.tried
    assert len(publisher.requests) <= 25
    assert await home.subscriptions.subscriptions(home.person.id) == []


async def test_garbage_is_no_address(home: Home):
    with pytest.raises(BadAddress):
        await home.container.subscribing().add(home.person, "not an address at all")


async def test_adding_twice_is_a_conflict(home: Home, publisher: Publisher):
    publisher.feed("/feed.xml", entries=entries(2))
    site = publisher.page("/", f"<title>Blog</title>{LINK}")
    await home.container.subscribing().add(home.person, site)

    with pytest.raises(Conflict, match="You have already added this feed"):
        await home.container.subscribing().add(home.person, site)


async def test_a_slow_site_is_answered_in_time_and_finished_later(home: Home, publisher: Publisher):
    home.container.searches.answer_s = 0.2
    body = rss(link=publisher.url("/"), entries=entries(1))
    publisher.script("/feed.xml", [Answer(body=body, headers=FEED, delay_s=1)])
    site = publisher.page("/", f"<title>Slow</title>{LINK}")

    added = await home.container.subscribing().add(home.person, site)

    # Had it waited any longer, it would know the feed.
    assert added.subscription is None
    assert added.task_id is not None
    tasks = home.container.tasks(home.container.web)
    worker = home.container.worker()
    async with asyncio.timeout(20):
        while (await tasks.find(home.person.id, added.task_id)).done_at is None:
            await asyncio.sleep(0.2)
            await worker.task_loop().drain()
    [subscription] = await home.subscriptions.subscriptions(home.person.id)
    assert subscription.url == publisher.url("/feed.xml")
    asked = [request.path for request in publisher.requests]
    assert asked.count("/") == 1


async def test_all_searches_of_a_process_are_counted_together(home: Home):
    container = home.container
    limits = [
        container.services().subscribing.discoverer.limit,
        container.subscribing().discoverer.limit,
        container.discoverer(container.work).limit,
    ]

    assert all(limit is container.searches for limit in limits)
