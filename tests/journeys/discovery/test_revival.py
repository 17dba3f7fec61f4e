"""Dead feeds heal: found again, swapped or merged, refused when they are others'."""

from feedloom.model.reader import Subscription
from feedloom.model.work import TaskKind
from tests.containers import Home
from tests.factories_feeds import entries, rss
from tests.publisher import Answer, Publisher

FEED = {"Content-Type": "application/rss+xml"}


def page(publisher: Publisher, feed_path: str) -> None:
    publisher.page(
        "/",
        f'<title>Blog</title><link rel="alternate" type="application/rss+xml" href="{feed_path}">',
    )


def feed_of(publisher: Publisher, count: int, title: str = "Blog", start: int = 1) -> bytes:
    return rss(title=title, link=publisher.url("/"), entries=entries(count, start))


async def dying(home: Home, publisher: Publisher) -> Subscription:
    """Subscribe to a feed that works once and is then gone."""
    answers = [Answer(body=feed_of(publisher, 3), headers=FEED), Answer(404)]
    subscription = await home.subscribe(publisher.script("/old.xml", answers))
    await home.refresh_due()
    await home.reading.mark(home.person.id, [1], "starred")
    await home.reading.mark(home.person.id, [2], "read")
    await home.refresh()
    return subscription


async def heal(home: Home) -> None:
    worker = home.container.worker()
    await worker.task_loop().drain()
    await home.refresh_due()


async def test_a_dead_feed_is_found_again_and_keeps_everything(home: Home, publisher: Publisher):
    subscription = await dying(home, publisher)
    target = publisher.script("/new.xml", [Answer(body=feed_of(publisher, 4), headers=FEED)])
    page(publisher, "/new.xml")

    await heal(home)

    subscription = await home.look(subscription)
    assert subscription.url == target
    assert subscription.state == "healthy"
    articles = await home.articles()
    assert [a.title for a in articles] == [f"Entry {n}" for n in (1, 2, 3, 4)]
    assert [a.starred for a in articles] == [True, False, False, False]
    assert [a.unread for a in articles] == [True, False, True, True]
    trail = (await home.subscriptions.page(home.person.id, subscription.id)).audit
    assert trail[0].action == "feed_revived"
    assert trail[0].after == target
    assert trail[0].why


async def test_a_known_new_address_is_merged_into(home: Home, publisher: Publisher):
    target = publisher.script("/new.xml", [Answer(body=feed_of(publisher, 4), headers=FEED)])
    known = await home.subscribe(target)
    await home.refresh_due()
    subscription = await dying(home, publisher)
    page(publisher, "/new.xml")

    await heal(home)

    left = await home.subscriptions.subscriptions(home.person.id)
    assert [s.id for s in left] == [known.id]
    assert subscription.id != known.id
    titles = [a.title for a in await home.articles()]
    assert sorted(titles) == [f"Entry {n}" for n in (1, 2, 3, 4)]


async def test_nothing_found_is_told(home: Home, publisher: Publisher):
    subscription = await dying(home, publisher)
    publisher.page("/", "<title>Blog</title><p>We moved to a newsletter.")

    await heal(home)

    subscription = await home.look(subscription)
    assert subscription.state == "unhealthy"
    trail = (await home.subscriptions.page(home.person.id, subscription.id)).audit
    assert trail[0].action == "revival_failed"
    assert "No feed was found" in trail[0].why


async def test_a_parked_domain_is_refused(home: Home, publisher: Publisher):
    subscription = await dying(home, publisher)
    parked = rss(
        title="Great casino offers", link="https://casino.example/", entries=entries(5, 100)
    )
    publisher.script("/casino.xml", [Answer(body=parked, headers=FEED)])
    page(publisher, "/casino.xml")

    await heal(home)

    subscription = await home.look(subscription)
    assert subscription.url == publisher.url("/old.xml")
    trail = (await home.subscriptions.page(home.person.id, subscription.id)).audit
    assert trail[0].action == "revival_failed"


async def test_one_try_per_day(home: Home, publisher: Publisher):
    subscription = await dying(home, publisher)
    publisher.page("/", "<title>Blog</title>")
    await heal(home)
    asked = len(publisher.requests)

    await home.retry(subscription)
    await home.retry(subscription)
    worker = home.container.worker()
    await worker.task_loop().drain()

    assert len(publisher.requests) == asked + 2
    trail = (await home.subscriptions.page(home.person.id, subscription.id)).audit
    assert [line.action for line in trail] == ["revival_failed"]
    assert TaskKind.REVIVE in worker.handlers


async def test_a_feed_that_only_hiccuped_is_fetched_again(home: Home, publisher: Publisher):
    body = feed_of(publisher, 3)
    answers = [Answer(body=body, headers=FEED), Answer(404), Answer(body=body, headers=FEED)]
    subscription = await home.subscribe(publisher.script("/old.xml", answers))
    await home.refresh_due()
    await home.refresh()

    await heal(home)

    subscription = await home.look(subscription)
    assert subscription.state == "healthy"
    assert subscription.url == publisher.url("/old.xml")
