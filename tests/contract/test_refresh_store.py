"""Storing refreshes: once, fenced, for everybody who subscribes."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from feedloom.model.errors import Conflict
from feedloom.model.reader import Order, Wanted
from feedloom.model.stages import Outcome
from feedloom.store.values import from_us
from tests.fakes import START
from tests.stores import Stores, article, failed, refreshed

URL = "https://site.example/feed.xml"
ALL = Wanted(limit=1000, order=Order.ITEM_ASC, include_hidden=True)


async def test_new_articles_get_a_state_per_subscriber_numbered_by_arrival(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    for person in (ada, bob):
        await stores.subscriptions.subscribe(person.id, URL)

    stored = await stores.deliver(URL, "one", "two", "three")

    assert stored.new_articles == 3
    for person in (ada, bob):
        page = await stores.reading.articles(person.id, ALL)
        assert [a.title for a in page.articles] == ["one", "two", "three"]
        assert [a.item_no for a in page.articles] == [1, 2, 3]
        assert all(a.unread for a in page.articles)


async def test_first_fetch_leaves_the_ten_freshest_unread(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)

    await stores.deliver(URL, *(f"t{n}" for n in range(15)))

    page = await stores.reading.articles(ada.id, ALL)
    assert [a.title for a in page.articles if not a.unread] == [f"t{n}" for n in range(5)]
    await stores.deliver(URL, *(f"u{n}" for n in range(12)))
    assert (await stores.reading.counts(ada.id)).unread == 22


async def test_late_subscriber_gets_fifty_with_ten_unread_and_fresh_numbers(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, *(f"t{n}" for n in range(40)))
    await stores.deliver(URL, *(f"u{n}" for n in range(20)), at=START + timedelta(hours=1))

    await stores.subscriptions.subscribe(bob.id, URL)

    page = await stores.reading.articles(bob.id, ALL)
    assert len(page.articles) == 50
    assert [a.item_no for a in page.articles] == list(range(1, 51))
    assert page.articles[-1].title == "u19"
    assert [a.title for a in page.articles if a.unread] == [f"u{n}" for n in range(10, 20)]


@pytest.mark.threat("Q18")
async def test_storing_the_same_entries_again_changes_nothing(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one", "two")

    again = await stores.deliver(URL, "one", "two")

    assert again.new_articles == 0
    assert len((await stores.reading.articles(ada.id, ALL)).articles) == 2


@pytest.mark.threat("R9")
async def test_changed_content_updates_in_place_and_keeps_the_read_state(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one")
    await stores.reading.mark(ada.id, [1], "read")
    before = await stores.reading.article(ada.id, 1)
    feed = await stores.claim(URL)
    changed = article("one", guid="guid:one")._replace(title="one, corrected", content_hash="other")

    at = START + timedelta(days=3650)
    stored = await stores.refreshes.store(refreshed(feed, (changed,), at=at))

    after = await stores.reading.article(ada.id, 1)
    assert (stored.new_articles, len(stored.changed_ids)) == (0, 1)
    assert after.title == "one, corrected"
    assert not after.unread
    assert after.last_modified > before.last_modified


@pytest.mark.threat("R3", "P11")
async def test_changing_all_guids_does_not_flood_unread(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one", "two")
    await stores.reading.mark(ada.id, [1, 2], "read")
    feed = await stores.claim(URL)
    renamed = tuple(article(title, guid=f"new:{title}") for title in ("one", "two"))

    stored = await stores.refreshes.store(refreshed(feed, renamed))

    assert stored.new_articles == 0
    page = await stores.reading.articles(ada.id, ALL)
    assert [(a.guid, a.unread) for a in page.articles] == [("new:one", False), ("new:two", False)]


@pytest.mark.threat("Q2")
async def test_a_lost_lease_writes_nothing(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    [feed] = await stores.queue.claim(1)
    await stores.execute("UPDATE feed_schedules SET lease_token = 'another'")

    stored = await stores.refreshes.store(refreshed(feed, (article("one"),)))

    assert stored.lease_lost
    assert await stores.rows("SELECT id FROM articles") == []
    assert (await stores.rows("SELECT last_fetch_status FROM feeds"))[0][
        "last_fetch_status"
    ] is None


@pytest.mark.threat("Q2")
async def test_an_expired_lease_writes_nothing(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    [feed] = await stores.queue.claim(1)
    await stores.execute("UPDATE feed_schedules SET locked_until = now_us() - 1")

    stored = await stores.refreshes.store(refreshed(feed, (article("one"),)))

    assert stored.lease_lost
    assert await stores.rows("SELECT id FROM articles") == []


async def test_a_failure_is_stored_with_its_message_and_next_time(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    [feed] = await stores.queue.claim(1)

    await stores.refreshes.store(failed(feed))

    [subscription] = await stores.subscriptions.subscriptions(ada.id)
    assert subscription.state == "degraded"
    assert subscription.last_fetch_status == "temporary_error"
    assert subscription.last_fetch_error == "The server could not be reached."
    assert subscription.next_run_at == START + timedelta(minutes=5)
    page = await stores.subscriptions.page(ada.id, subscription.id)
    assert [line.outcome for line in page.log] == [Outcome.TEMPORARY.value]


@pytest.mark.threat("S24")
@pytest.mark.parametrize("asks_meanwhile", [True, False])
async def test_a_publisher_who_asks_for_patience_gets_it_whoever_asks_meanwhile(
    stores: Stores, asks_meanwhile: bool
):
    ada = await stores.person()
    mine = await stores.subscriptions.subscribe(ada.id, URL)
    feed = await stores.claim(URL)
    if asks_meanwhile:
        await stores.subscriptions.refresh(ada.id, mine.id)
    [now] = await stores.rows("SELECT now_us() AS us")
    at = from_us(now["us"])

    refused = replace(failed(feed, at=at), outcome=Outcome.RATE_LIMITED)
    await stores.refreshes.store(refused)

    mine = await stores.subscriptions.subscription(ada.id, mine.id)
    assert mine.next_run_at == at + timedelta(minutes=5)
    [host] = await stores.rows("SELECT cooldown_until FROM hosts")
    assert from_us(host["cooldown_until"]) == mine.next_run_at
    assert await stores.queue.claim(10) == []


async def test_dismissing_survives_the_next_fetch(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one", "two")
    await stores.reading.mark(ada.id, [1], "hidden")

    await stores.deliver(URL, "one", "two")

    page = await stores.reading.articles(ada.id, Wanted())
    assert [a.title for a in page.articles] == ["two"]


@pytest.mark.threat("S13")
async def test_permanent_redirect_moves_the_feed_and_is_audited(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    [feed] = await stores.queue.claim(1)
    moved = replace(refreshed(feed, (article("one"),)), new_url="https://new.example/feed.xml")

    await stores.refreshes.store(moved)

    [subscription] = await stores.subscriptions.subscriptions(ada.id)
    assert subscription.url == "https://new.example/feed.xml"
    page = await stores.subscriptions.page(ada.id, subscription.id)
    assert [(line.before, line.after) for line in page.audit] == [
        (URL, "https://new.example/feed.xml")
    ]


@pytest.mark.threat("R4")
async def test_redirect_to_a_known_feed_merges_and_keeps_marks(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    target = "https://new.example/feed.xml"
    old = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one", "two")
    await stores.reading.mark(ada.id, [1], "starred")
    await stores.reading.mark(ada.id, [2], "read")
    await stores.subscriptions.subscribe(bob.id, target)
    await stores.deliver(target, "two", "three")
    feed = await stores.claim(URL)

    await stores.refreshes.store(replace(refreshed(feed, ()), new_url=target))

    [subscription] = await stores.subscriptions.subscriptions(ada.id)
    assert (subscription.id, subscription.url) == (old.id, target)
    page = await stores.reading.articles(ada.id, ALL)
    marks = {a.title: (a.starred, a.unread) for a in page.articles}
    assert marks["one"] == (True, True)
    assert marks["two"] == (False, False)
    assert len(await stores.rows("SELECT id FROM feeds")) == 1


async def test_merging_keeps_what_somebody_dismissed_and_tells_the_reader(stores: Stores):
    ada = await stores.person()
    target = "https://new.example/feed.xml"
    for url in (URL, target):
        await stores.subscriptions.subscribe(ada.id, url)
        await stores.deliver(url, "one")
    await stores.reading.mark(ada.id, [1], "hidden")
    before = await stores.reading.article(ada.id, 2)
    feed = await stores.claim(URL)

    await stores.refreshes.store(replace(refreshed(feed, ()), new_url=target))

    [mine] = await stores.subscriptions.subscriptions(ada.id)
    kept = await stores.reading.article(ada.id, 2)
    assert kept.hidden
    assert kept.last_modified > before.last_modified
    page = await stores.subscriptions.page(ada.id, mine.id)
    assert [(line.before, line.after) for line in page.audit] == [(URL, target)]


async def test_subscribing_twice_is_a_conflict(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)

    with pytest.raises(Conflict, match="You have already added this feed"):
        await stores.subscriptions.subscribe(ada.id, "http://site.example/feed.xml/")


@pytest.mark.threat("R4")
async def test_changing_the_address_moves_only_this_person(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    mine = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.subscribe(bob.id, URL)

    moved = await stores.subscriptions.change_url(ada.id, mine.id, "https://other.example/feed")

    assert moved.id == mine.id
    assert moved.url == "https://other.example/feed"
    [theirs] = await stores.subscriptions.subscriptions(bob.id)
    assert theirs.url == URL


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("https://site.example/feed.xml", "https://u:pw@site.example/feed.xml"),
        ("https://SITE.example:443/new.xml", "https://u:pw@site.example/new.xml"),
        ("https://v:qw@site.example/new.xml", "https://v:qw@site.example/new.xml"),
        ("http://site.example/new.xml", "http://site.example/new.xml"),
        ("https://site.example:8443/new.xml", "https://site.example:8443/new.xml"),
        ("https://other.example/feed.xml", "https://other.example/feed.xml"),
    ],
)
async def test_a_password_stays_with_its_origin_when_the_address_changes(
    stores: Stores, typed: str, stored: str
):
    ada = await stores.person()
    secret = "https://u:pw@site.example/feed.xml"
    mine = await stores.subscriptions.subscribe(ada.id, secret)

    moved = await stores.subscriptions.change_url(ada.id, mine.id, typed)

    assert moved.url == stored
    assert (moved.feed_id == mine.feed_id) is (stored == secret)


@pytest.mark.threat("R1")
async def test_unsubscribing_keeps_starred_articles_readable(stores: Stores):
    ada = await stores.person()
    subscription = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one", "two")
    await stores.reading.mark(ada.id, [1], "starred")

    await stores.subscriptions.unsubscribe(ada.id, subscription.id)

    [shelter] = await stores.subscriptions.subscriptions(ada.id)
    assert shelter.title == "Unsubscribed"
    page = await stores.reading.articles(ada.id, Wanted(starred=True))
    assert [a.title for a in page.articles] == ["one"]
