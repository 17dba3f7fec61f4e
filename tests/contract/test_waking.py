"""What people change reaches the schedule: subscribing, intervals, mailing lists."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from feedloom.flow.refresh.health import next_health
from feedloom.flow.refresh.schedule import explain
from feedloom.model.distilled.proxies import NewProxy
from feedloom.model.reader import Subscription
from feedloom.model.reasons import Reason, scheduled_at
from feedloom.model.stages import Outcome
from feedloom.store import ProxyStore
from tests.stores import Stores, article, refreshed

URL = "https://site.example/feed.xml"
MONTH_S = 30 * 86_400


async def now_of(stores: Stores) -> datetime:
    return await stores.operations.database_time()


async def fetched(stores: Stores, *, reason: Reason | None = None, etag: str = '"v1"') -> None:
    """Fetch the feed with success a minute ago, to be polled as the reason says."""
    feed = await stores.claim(URL)
    at = await now_of(stores) - timedelta(minutes=1)
    done = replace(refreshed(feed, (article("one"),), at=at), etag=etag)
    verdict = next_health(feed, Outcome.NEW, now=at)
    if reason is not None:
        told = {"at": at.isoformat(), **reason}
        verdict = replace(verdict, reason=told, next_run_at=scheduled_at(told))
    await stores.refreshes.store(replace(done, verdict=verdict))


async def due_in_s(stores: Stores) -> float | None:
    [row] = await stores.rows("SELECT due_at - now_us() AS us FROM feed_schedules")
    return None if row["us"] is None else row["us"] / 1e6


async def validators(stores: Stores) -> tuple[object, ...]:
    [row] = await stores.rows("SELECT etag, last_modified, body_hash FROM feeds")
    return tuple(row)


async def look(stores: Stores, subscription: Subscription) -> Subscription:
    return await stores.subscriptions.subscription(subscription.user_id, subscription.id)


async def subscribed(stores: Stores, email: str = "ada@example.org") -> Subscription:
    person = await stores.person(email)
    return await stores.subscriptions.subscribe(person.id, URL)


@pytest.mark.parametrize(
    "reason",
    [
        {"rule": "directory", "interval_s": 7 * 86_400},
        {"rule": "listed", "interval_s": 5 * 86_400},
        {"rule": "interval", "interval_s": MONTH_S},
    ],
)
async def test_a_feed_nobody_read_is_fetched_whole_for_its_first_reader(stores: Stores, reason):
    ada = await subscribed(stores)
    await stores.execute("UPDATE feeds SET in_directory = true")
    await stores.subscriptions.unsubscribe(ada.user_id, ada.id)
    await fetched(stores, reason=reason)
    assert (await validators(stores))[0] == '"v1"'

    await subscribed(stores, "bob@example.org")

    [feed] = await stores.queue.claim(5)
    assert (feed.etag, feed.last_modified, feed.body_hash) == (None, None, None)


async def test_a_feed_that_others_read_and_that_is_fresh_is_left_alone(stores: Stores):
    await subscribed(stores)
    await fetched(stores, reason={"rule": "quiet", "interval_s": 86_400})

    await subscribed(stores, "bob@example.org")

    assert (await due_in_s(stores) or 0) > 80_000
    assert (await validators(stores))[0] == '"v1"'


async def test_a_feed_on_anothers_long_interval_is_woken(stores: Stores):
    await subscribed(stores)
    await fetched(stores, reason={"rule": "interval", "interval_s": MONTH_S})

    await subscribed(stores, "bob@example.org")

    assert [feed.url for feed in await stores.queue.claim(5)] == [URL]


async def test_a_feed_of_a_disabled_proxy_is_polled_for_its_reader(stores: Stores):
    proxies = ProxyStore(stores.front)
    await proxies.add(NewProxy(url=URL, enabled=True, polling=True), actor="op")
    await fetched(stores)
    await proxies.change(URL, {"enabled": False}, actor="op")
    await stores.execute("UPDATE feeds SET in_directory = false")
    await stores.execute(
        "UPDATE feed_schedules SET next_run_at = now_us() + 3600000000, due_at = NULL,"
        " lease_token = NULL, locked_until = NULL"
    )

    await subscribed(stores)

    assert [feed.url for feed in await stores.queue.claim(5)] == [URL]


async def test_everything_includes_what_a_disabled_proxy_took_from_its_readers(stores: Stores):
    await subscribed(stores)
    await fetched(stores)
    await stores.execute("UPDATE feed_schedules SET due_at = NULL")

    assert await stores.operations.make_due(None, everything=True) == 1


async def test_what_only_a_disabled_proxy_wants_is_not_made_due(stores: Stores):
    proxies = ProxyStore(stores.front)
    await proxies.add(NewProxy(url=URL, enabled=False), actor="op")
    await stores.execute("UPDATE feed_schedules SET next_run_at = now_us() + 1000000")

    assert await stores.operations.make_due(None, everything=True) == 0


@pytest.mark.parametrize(
    ("interval_s", "due_s", "rule"),
    [(900, 900, "interval"), (1, 60, "interval"), (None, 600, "automatic")],
)
async def test_a_shorter_interval_holds_from_the_last_poll_on(
    stores: Stores, interval_s, due_s, rule
):
    ada = await subscribed(stores)
    await stores.subscriptions.change(ada.user_id, ada.id, {"interval_s": MONTH_S})
    await fetched(stores, reason={"rule": "interval", "interval_s": MONTH_S})

    await stores.subscriptions.change(ada.user_id, ada.id, {"interval_s": interval_s})

    found = await look(stores, ada)
    assert found.reason["rule"] == rule
    assert found.next_run_at == scheduled_at(found.reason)
    assert len(explain(found.reason)) > 20
    due = await due_in_s(stores)
    assert due is not None
    assert due_s - 120 < due <= due_s - 60


async def test_a_longer_interval_takes_nothing_from_others(stores: Stores):
    ada = await subscribed(stores)
    await fetched(stores, reason={"rule": "interval", "interval_s": 900})
    before = await look(stores, ada)

    await stores.subscriptions.change(ada.user_id, ada.id, {"interval_s": MONTH_S})

    assert (await look(stores, ada)).next_run_at == before.next_run_at


@pytest.mark.threat("S24")
async def test_an_interval_is_never_sooner_than_the_publisher_asks(stores: Stores):
    ada = await subscribed(stores)
    floor = {"floor_s": 7_200, "floor_by": "ttl"}
    await fetched(stores, reason={"rule": "quiet", "interval_s": 86_400, **floor})

    await stores.subscriptions.change(ada.user_id, ada.id, {"interval_s": 900})

    assert (await due_in_s(stores) or 0) > 7_000


@pytest.mark.threat("S24")
async def test_an_interval_does_not_hurry_a_feed_that_fails(stores: Stores):
    ada = await subscribed(stores)
    await fetched(stores, reason={"rule": "backoff", "interval_s": 86_400})

    await stores.subscriptions.change(ada.user_id, ada.id, {"interval_s": 900})

    assert (await due_in_s(stores) or 0) > 80_000


@pytest.mark.threat("Q2")
async def test_an_interval_set_during_a_fetch_holds_after_it(stores: Stores):
    ada = await subscribed(stores)
    feed = await stores.claim(URL)

    await stores.subscriptions.change(ada.user_id, ada.id, {"interval_s": 900})

    stored = await stores.refreshes.store(refreshed(feed, (article("one"),)))
    assert not stored.lease_lost
    [again] = await stores.queue.claim(5)
    assert again.interval_s == 900


async def test_a_proxys_shorter_interval_holds_from_the_last_run_on(stores: Stores):
    proxies = ProxyStore(stores.front)
    new = NewProxy(url=URL, enabled=True, polling=True, interval_s=MONTH_S)
    await proxies.add(new, actor="op")
    at = await now_of(stores)
    reason = {"rule": "interval", "at": at.isoformat(), "interval_s": MONTH_S}
    await stores.execute(
        "UPDATE feed_schedules SET reason = :reason, next_run_at = now_us() + :us,"
        " due_at = now_us() + :us",
        reason=json.dumps(reason),
        us=MONTH_S * 1_000_000,
    )

    changed = await proxies.change(URL, {"interval_s": 3_600}, actor="op")

    assert changed.next_run_at == at.astimezone(UTC) + timedelta(hours=1)


async def test_a_mailing_list_is_not_polled_again_after_a_refresh(stores: Stores):
    ada = await subscribed(stores)
    await stores.subscriptions.set_mailing_list(ada.user_id, ada.id, is_mailing_list=True)
    await stores.subscriptions.refresh(ada.user_id, ada.id)

    await fetched(stores)

    found = await look(stores, ada)
    assert found.next_run_at is None
    assert await due_in_s(stores) is None
    assert found.reason["rule"] == "mailing_list"


@pytest.mark.threat("Q2")
async def test_a_feed_marked_as_mailing_list_during_a_fetch_is_not_polled_again(stores: Stores):
    ada = await subscribed(stores)
    feed = await stores.claim(URL)

    await stores.subscriptions.set_mailing_list(ada.user_id, ada.id, is_mailing_list=True)

    assert (await stores.refreshes.store(refreshed(feed, ()))).lease_lost
    assert await due_in_s(stores) is None
    assert (await look(stores, ada)).reason["rule"] == "mailing_list"


async def test_a_feed_that_is_no_mailing_list_any_more_is_fetched_at_once(stores: Stores):
    ada = await subscribed(stores)
    for on in (True, False):
        await stores.subscriptions.set_mailing_list(ada.user_id, ada.id, is_mailing_list=on)

    assert [feed.url for feed in await stores.queue.claim(5)] == [URL]


async def test_looks_after_refusals_are_counted_across_claims(stores: Stores):
    await subscribed(stores)
    await fetched(stores)
    rules = []
    for outcome in (
        Outcome.TEMPORARY,
        Outcome.TEMPORARY,
        Outcome.UNAUTHORIZED,
        Outcome.TEMPORARY,
        Outcome.UNAUTHORIZED,
        Outcome.UNAUTHORIZED,
    ):
        await stores.execute("UPDATE feed_schedules SET due_at = now_us()")
        [feed] = await stores.queue.claim(5)
        verdict = next_health(feed, outcome, now=await now_of(stores))
        rules.append(verdict.reason["rule"])
        done = replace(refreshed(feed, ()), outcome=outcome, parsed=None)
        await stores.refreshes.store(replace(done, verdict=verdict))

    assert rules == ["backoff", "backoff", "look_again", "backoff", "look_again", "unauthorized"]
