"""Schedules over time: one host's many feeds, readers that come and go, odd headers."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from feedloom.model.stages import Refreshed, Stored
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.containers import Home, open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import FeedEntry, entry, rss
from tests.publisher import Answer, Publisher

pytestmark = pytest.mark.both_engines

DELAY_S = 0.4
FEED = {"Content-Type": "application/rss+xml"}


@pytest.fixture
async def polite(engine_url: Databases, tmp_path: Path) -> AsyncIterator[Home]:
    settings = settings_for(engine_url, tmp_path, host_delay=DELAY_S)
    async with open_home(settings) as opened:
        yield opened


def fresh(count: int) -> list[FeedEntry]:
    now = datetime.now(UTC)  # noqa: TID251 - the wire's own clock
    return [entry(n, published_at=now - timedelta(hours=count - n)) for n in range(count)]


async def change(home: Home, text: str) -> None:
    def steps() -> Script[None]:
        yield sql(text)

    await home.container.work.write(WORKER, steps)


@pytest.mark.threat("S25")
async def test_one_pass_fetches_all_due_feeds_of_one_host(polite: Home, publisher: Publisher):
    for n in range(8):
        url = publisher.feed(f"/{n}.xml")
        await polite.subscriptions.subscribe(polite.person.id, url)

    stats = await polite.refresh_due()

    assert stats.summary()["feeds"] == 8
    times = [request.at for request in publisher.requests]
    for earlier, later in pairwise(times):
        assert later - earlier > DELAY_S - 0.12


async def test_a_pass_does_not_wait_for_a_host_that_asked_for_patience(
    polite: Home, publisher: Publisher
):
    busy = Answer(429, headers={"Retry-After": "600"})
    urls = [publisher.script(f"/{n}.xml", [busy]) for n in range(3)]
    await polite.subscriptions.subscribe(polite.person.id, urls[0])
    await polite.refresh_due()
    for url in urls[1:]:
        await polite.subscriptions.subscribe(polite.person.id, url)

    async with asyncio.timeout(60):
        stats = await polite.refresh_due()

    assert stats.summary()["feeds"] == 0


async def test_a_running_worker_asks_a_host_whenever_it_is_free(polite: Home, publisher: Publisher):
    for n in range(10):
        url = publisher.feed(f"/{n}.xml")
        await polite.subscriptions.subscribe(polite.person.id, url)
    worker, stop = polite.container.worker(), asyncio.Event()
    began_at = time.monotonic()

    running = asyncio.create_task(worker.feed_loop().run(stop))
    async with asyncio.timeout(60):
        while worker.stats.feeds < 10:  # noqa: ASYNC110 - counts, no event
            await asyncio.sleep(0.02)
    took_s = time.monotonic() - began_at
    stop.set()
    await running

    # Looking every two seconds, or sending those back who are early, takes 18.
    assert took_s < 12


async def test_what_was_published_while_nobody_read_is_there_for_the_next_reader(
    home: Home, publisher: Publisher
):
    url = publisher.feed("/a.xml", entries=fresh(5))
    subscription = await home.subscribe(url)
    await home.refresh_due()
    await change(home, "UPDATE feeds SET in_directory = true")
    await home.subscriptions.unsubscribe(home.person.id, subscription.id)
    publisher.bump("/a.xml", entry(500, title="Meanwhile"))
    await home.refresh()

    await home.subscribe(url)
    await home.refresh_due()

    assert "Meanwhile" in {article.title for article in await home.articles()}


async def test_one_403_after_timeouts_does_not_end_a_feed_that_worked(
    home: Home, publisher: Publisher
):
    works = Answer(body=rss(entries=fresh(1)), headers=FEED)
    answers = [works, Answer(503), Answer(503), Answer(403)]
    subscription = await home.subscribe(publisher.script("/feed", answers))
    await home.refresh_due()

    for _ in range(3):
        await home.refresh()

    found = await home.look(subscription)
    assert found.last_fetch_status == "unauthorized"
    assert found.reason["rule"] == "look_again"
    assert found.next_run_at is not None


@pytest.mark.threat("S24")
async def test_a_header_with_an_absurd_date_harms_nobody(home: Home, publisher: Publisher):
    absurd = "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"
    url = publisher.feed("/a.xml", entries=fresh(1), headers={"expires": absurd})
    limited = publisher.script("/b.xml", Answer(429, headers={"retry-after": absurd}))
    subscriptions = [await home.subscribe(each) for each in (url, limited)]

    await home.refresh_due()

    fine, late = [await home.look(each) for each in subscriptions]
    assert (fine.state, late.last_fetch_error) == ("healthy", "Rate limited")


@pytest.mark.threat("Q3")
async def test_what_follows_a_stored_refresh_is_not_cut_off_by_its_own_heartbeat(
    engine_url: Databases, tmp_path: Path, publisher: Publisher
):
    done: list[int] = []

    async def slow(_refreshed: Refreshed, stored: Stored) -> None:
        await asyncio.sleep(1.0)
        done.append(stored.new_articles)

    settings = settings_for(engine_url, tmp_path, lease_seconds=1)
    async with open_home(settings) as home:
        await home.subscribe(publisher.feed("/a.xml", entries=fresh(3)))
        worker = replace(home.container.worker(), after_refresh=(slow,))
        await worker.feed_loop().drain()

    assert done == [3]


@pytest.mark.threat("Q22")
async def test_a_worker_outlives_a_change_of_the_schema(home: Home, publisher: Publisher):
    subscription = await home.subscribe(publisher.feed("/a.xml", entries=fresh(1)))
    for _ in range(8):
        # The driver keeps statements that it has seen several times.
        await home.retry(subscription)
    before = len(publisher.requests)

    await change(home, "ALTER TABLE hosts ADD COLUMN later INTEGER")
    await home.retry(subscription)

    assert len(publisher.requests) == before + 1
