"""Every row of the status table, from a publisher's answer to what people see."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from feedloom.flow.refresh.schedule import explain
from feedloom.model.reader import Subscription
from feedloom.model.reasons import scheduled_at
from feedloom.store.engine.scripts import WORKER
from feedloom.store.queues.leases import TASKS, depth
from tests.containers import Home
from tests.factories_feeds import entries, rss
from tests.publisher import Answer, Publisher

FEED = {"Content-Type": "application/rss+xml"}


async def fetched(home: Home, url: str) -> Subscription:
    subscription = await home.subscribe(url)
    await home.refresh_due()
    return await home.look(subscription)


def assert_scheduled(subscription: Subscription, seconds: float | None, rule: str) -> None:
    """The next poll follows from the stored reason, is what was promised, and is told."""
    assert subscription.reason["rule"] == rule
    assert scheduled_at(subscription.reason) == subscription.next_run_at
    assert len(explain(subscription.reason)) > 20
    if seconds is None:
        assert subscription.next_run_at is None
        return
    decided_at = datetime.fromisoformat(str(subscription.reason["at"]))
    assert subscription.next_run_at is not None
    waits = (subscription.next_run_at - decided_at).total_seconds()
    assert seconds * 0.9 <= waits <= seconds * 1.1


async def test_200_is_a_success(home: Home, publisher: Publisher):
    url = publisher.feed("/blog.xml", entries=entries(3))

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == "success"
    assert subscription.last_fetch_error is None
    assert subscription.state == "healthy"
    assert len(await home.articles()) == 3


async def test_304_is_a_success_that_brings_nothing(home: Home, publisher: Publisher):
    url = publisher.feed("/blog.xml", entries=entries(3))
    subscription = await fetched(home, url)

    stats = await home.refresh()

    assert stats.outcomes == {"not_modified": 1}
    assert (await home.look(subscription)).state == "healthy"
    assert publisher.requests[-1].headers.get("if-none-match")
    assert len(await home.articles()) == 3


async def test_an_unchanged_body_is_a_success_that_skips_parsing(home: Home, publisher: Publisher):
    body = rss(entries=entries(2))
    url = publisher.script("/blog.xml", [Answer(body=body, headers=FEED)])
    await fetched(home, url)

    stats = await home.refresh()

    assert stats.outcomes == {"unchanged": 1}


@pytest.mark.threat("S13")
@pytest.mark.parametrize("status", [301, 308])
async def test_permanent_redirects_move_the_feed(home: Home, publisher: Publisher, status):
    target = publisher.feed("/new.xml", entries=entries(1))
    url = publisher.redirect("/old.xml", "/new.xml", status=status)

    subscription = await fetched(home, url)

    assert subscription.url == target
    page = await home.subscriptions.page(home.person.id, subscription.id)
    assert [(line.before, line.after) for line in page.audit] == [(url, target)]


@pytest.mark.parametrize("status", [302, 303, 307])
async def test_temporary_redirects_are_followed_but_not_kept(
    home: Home, publisher: Publisher, status
):
    publisher.feed("/new.xml", entries=entries(1))
    url = publisher.redirect("/old.xml", "/new.xml", status=status)

    subscription = await fetched(home, url)

    assert subscription.url == url
    assert len(await home.articles()) == 1


@pytest.mark.threat("S13")
async def test_a_permanent_redirect_to_something_else_moves_nothing(
    home: Home, publisher: Publisher
):
    publisher.page("/home", "<title>Home</title>")
    url = publisher.redirect("/old.xml", "/home", status=301)

    subscription = await fetched(home, url)

    assert subscription.url == url
    assert subscription.last_fetch_status == "permanent_error"


@pytest.mark.threat("S9")
async def test_a_redirect_loop_is_told(home: Home, publisher: Publisher):
    url = publisher.redirect("/a", "/b", status=302)
    publisher.redirect("/b", "/a", status=302)

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == "temporary_error"
    assert "redirect" in (subscription.last_fetch_error or "")
    assert_scheduled(subscription, 86_400, "blocked")


async def test_more_than_five_redirects_are_refused(home: Home, publisher: Publisher):
    for step in range(6):
        publisher.redirect(f"/r{step}", f"/r{step + 1}", status=302)
    publisher.feed("/r6", entries=entries(1))

    subscription = await fetched(home, publisher.url("/r0"))

    assert subscription.last_fetch_status == "temporary_error"
    assert await home.articles() == ()


async def test_five_redirects_are_followed(home: Home, publisher: Publisher):
    for step in range(5):
        publisher.redirect(f"/r{step}", f"/r{step + 1}", status=302)
    publisher.feed("/r5", entries=entries(1))

    subscription = await fetched(home, publisher.url("/r0"))

    assert subscription.last_fetch_status == "success"


@pytest.mark.threat("S24")
@pytest.mark.parametrize(
    ("status", "kept", "message", "rule"),
    [
        (400, "permanent_error", "Invalid request", "bad_request"),
        (401, "unauthorized", "Authentication required", "unauthorized"),
        (403, "unauthorized", "Authentication required", "unauthorized"),
        (404, "permanent_error", "Feed no longer available", "gone"),
        (410, "permanent_error", "Feed no longer available", "gone"),
    ],
)
async def test_final_answers_are_not_scheduled_again(
    home: Home, publisher: Publisher, status, kept, message, rule
):
    url = publisher.script("/feed", [Answer(status)])

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == kept
    assert subscription.last_fetch_error == message
    assert subscription.last_http_status == status
    assert subscription.state == "unhealthy"
    assert_scheduled(subscription, None, rule)


@pytest.mark.threat("S18")
async def test_a_server_that_never_answers_times_out(home: Home, publisher: Publisher):
    subscription = await home.subscribe(publisher.evil("hang"))
    worker = home.container.worker()
    worker.refresher = replace(worker.refresher, timeout_s=0.3)

    await worker.feed_loop().drain()

    subscription = await home.look(subscription)
    assert subscription.last_fetch_status == "temporary_error"
    assert subscription.last_fetch_error == "The server took too long to answer."
    assert_scheduled(subscription, 300, "backoff")


@pytest.mark.parametrize("status", [401, 403])
async def test_a_feed_that_worked_is_looked_at_again_after_a_day(
    home: Home, publisher: Publisher, status
):
    body = rss(entries=entries(1))
    url = publisher.script("/feed", [Answer(body=body, headers=FEED), Answer(status)])
    subscription = await fetched(home, url)

    await home.refresh()

    subscription = await home.look(subscription)
    assert subscription.last_fetch_status == "unauthorized"
    assert_scheduled(subscription, 86_400, "look_again")


@pytest.mark.threat("S24")
async def test_429_with_seconds(home: Home, publisher: Publisher):
    url = publisher.script("/feed", [Answer(429, headers={"Retry-After": "600"})])

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == "temporary_error"
    assert subscription.last_fetch_error == "Rate limited"
    assert_scheduled(subscription, 600, "rate_limited")


@pytest.mark.threat("S24")
async def test_429_with_a_date(home: Home, publisher: Publisher):
    at = datetime.now(UTC) + timedelta(hours=2)  # noqa: TID251 - the wire's own clock
    headers = {"Retry-After": format_datetime(at, usegmt=True)}
    url = publisher.script("/feed", [Answer(429, headers=headers)])

    subscription = await fetched(home, url)

    assert_scheduled(subscription, 7200, "rate_limited")


async def test_429_without_a_header_backs_off(home: Home, publisher: Publisher):
    url = publisher.script("/feed", [Answer(429)])

    subscription = await fetched(home, url)

    assert subscription.last_fetch_error == "Rate limited"
    assert_scheduled(subscription, 300, "backoff")


@pytest.mark.threat("S24")
async def test_503_with_retry_after_is_rate_limiting(home: Home, publisher: Publisher):
    url = publisher.script("/feed", [Answer(503, headers={"Retry-After": "900"})])

    subscription = await fetched(home, url)

    assert subscription.last_fetch_error == "Rate limited"
    assert_scheduled(subscription, 900, "rate_limited")


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408, 425])
async def test_passing_faults_back_off(home: Home, publisher: Publisher, status):
    url = publisher.script("/feed", [Answer(status)])

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == "temporary_error"
    assert str(status) in (subscription.last_fetch_error or "")
    assert subscription.state == "degraded"
    assert_scheduled(subscription, 300, "backoff")


async def test_failures_in_a_row_back_off_further_and_ask_for_revival_once(
    home: Home, publisher: Publisher
):
    url = publisher.script("/feed", [Answer(500)])
    subscription = await fetched(home, url)

    for seconds in (900, 3600, 21_600, 86_400):
        await home.refresh()
        subscription = await home.look(subscription)
        assert_scheduled(subscription, seconds, "backoff")
    assert subscription.consecutive_failures == 5
    tasks = await home.container.work.read(WORKER, depth, TASKS)
    assert tasks.due == 1


async def test_an_unknown_host_is_told(home: Home):
    subscription = await fetched(home, "http://no-such-host.invalid/feed")

    assert subscription.last_fetch_status == "temporary_error"
    assert "host name" in (subscription.last_fetch_error or "")
    assert_scheduled(subscription, 300, "backoff")


@pytest.mark.threat("S26")
async def test_a_refused_address_is_told_without_details(home: Home):
    subscription = await fetched(home, "http://10.0.0.1/feed")

    assert subscription.last_fetch_status == "temporary_error"
    assert "public internet" in (subscription.last_fetch_error or "")
    assert_scheduled(subscription, 86_400, "blocked")


async def test_a_closed_port_is_told(home: Home, publisher: Publisher):
    subscription = await fetched(home, "http://127.0.0.1:1/feed")

    assert subscription.last_fetch_status == "temporary_error"
    assert_scheduled(subscription, 300, "backoff")


@pytest.mark.threat("S17")
async def test_more_than_ten_megabytes_are_refused(home: Home, publisher: Publisher):
    url = publisher.script("/feed", [Answer(body=b"x" * 10_000_001, headers=FEED)])

    subscription = await fetched(home, url)

    assert subscription.last_fetch_error == "The document is larger than 10 MB."


@pytest.mark.threat("S19", "R3")
@pytest.mark.parametrize("kind", ["bomb_gzip", "short", "cut_gzip", "reset", "garbage", "close"])
async def test_hostile_bodies_are_failures(home: Home, publisher: Publisher, kind):
    url = publisher.evil(kind)

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == "temporary_error"
    assert subscription.last_fetch_error
    assert await home.articles() == ()


@pytest.mark.threat("S19", "R3")
async def test_html_instead_of_a_feed_is_told(home: Home, publisher: Publisher):
    url = publisher.page("/feed", "<!doctype html><title>Not a feed</title><p>Hello")

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == "permanent_error"
    assert subscription.last_fetch_error
    assert_scheduled(subscription, None, "not_a_feed")


@pytest.mark.parametrize("content_type", ["text/html", "text/plain", "image/png", ""])
async def test_a_feed_under_a_wrong_content_type_is_a_feed(
    home: Home, publisher: Publisher, content_type
):
    headers = {"Content-Type": content_type}
    body = rss(entries=entries(1))
    url = publisher.script("/feed", [Answer(body=body, headers=headers)])

    subscription = await fetched(home, url)

    assert subscription.last_fetch_status == "success"


async def test_retry_forgets_failures_and_fetches_now(home: Home, publisher: Publisher):
    body = rss(entries=entries(1))
    answers = [Answer(404), Answer(body=body, headers=FEED)]
    subscription = await fetched(home, publisher.script("/feed", answers))

    await home.retry(subscription)

    subscription = await home.look(subscription)
    assert subscription.state == "healthy"
    assert subscription.consecutive_failures == 0


@pytest.mark.threat("S24")
async def test_cache_headers_hold_the_next_poll_back(home: Home, publisher: Publisher):
    headers = FEED | {"Cache-Control": "max-age=43000"}
    body = rss(entries=entries(1))
    url = publisher.script("/feed", [Answer(body=body, headers=headers)])

    subscription = await fetched(home, url)

    assert subscription.reason["floor_s"] == 43_000
    assert scheduled_at(subscription.reason) == subscription.next_run_at
