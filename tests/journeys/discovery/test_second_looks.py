"""Feeds that ended get second looks, as tasks: daily, then weekly, and not for ever."""

from datetime import timedelta
from typing import Any, cast

import pytest

from feedloom.flow.discovery.revival import next_look
from feedloom.model.feed import Asked
from feedloom.model.reader import Subscription
from feedloom.model.stages import DeadFeed
from feedloom.model.work import TaskKind
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from tests.containers import Home
from tests.factories_feeds import entries, rss
from tests.fakes import START
from tests.publisher import Answer, Publisher

FEED = {"Content-Type": "application/rss+xml"}
PAGE = {"Content-Type": "text/html"}
MAINTENANCE = Answer(body="<h1>Back soon</h1>", headers=PAGE)
DAMAGED = Answer(body=b"<?xml version='1.0'?><rs", headers=FEED)
DAY_US = 86_400_000_000


async def _ended(home: Home, publisher: Publisher, *bad: Answer) -> Subscription:
    """Subscribe to a feed that works once and then answers like this."""
    body = rss(title="Blog", link=publisher.url("/"), entries=entries(3))
    good = Answer(body=body, headers=FEED)
    publisher.page("/", "<title>Blog</title>")
    answers = [good, *bad, good]
    subscription = await home.subscribe(publisher.script("/blog-of-ann.xml", answers))
    await home.refresh_due()
    await home.refresh()
    await _tasks(home)
    return subscription


async def _tasks(home: Home) -> None:
    await home.container.worker().task_loop().drain()
    await home.refresh_due()


async def _planned(home: Home) -> list[Row]:
    def steps() -> Script[list[Row]]:
        rows = yield sql(
            "SELECT id, run_at - now_us() AS us FROM tasks"
            " WHERE kind = 'revive' AND done_at IS NULL"
        )
        return list(rows)

    return await home.container.work.write(WORKER, steps)


async def _a_day_later(home: Home) -> None:
    def steps() -> Script[None]:
        yield sql("UPDATE tasks SET run_at = now_us() - 1 WHERE done_at IS NULL")

    await home.container.work.write(WORKER, steps)
    await _tasks(home)


@pytest.mark.parametrize(
    "bad",
    [MAINTENANCE, DAMAGED, Answer(404), Answer(400)],
    ids=["maintenance page", "damaged document", "404", "400"],
)
async def test_one_bad_answer_does_not_end_a_feed(home: Home, publisher: Publisher, bad: Answer):
    # The refresh, the look at once, and the first of the daily looks.
    subscription = await _ended(home, publisher, bad, bad, bad)
    ended = await home.look(subscription)
    [first] = await _planned(home)

    await _a_day_later(home)
    [second] = await _planned(home)
    still = await home.look(subscription)
    await _a_day_later(home)

    healed = await home.look(subscription)
    assert (ended.state, ended.next_run_at) == ("unhealthy", None)
    assert (still.state, still.next_run_at) == ("unhealthy", None)
    for planned in (first, second):
        assert 0.9 * DAY_US < planned["us"] <= DAY_US
    assert healed.state == "healthy"
    assert healed.next_run_at is not None
    assert await _planned(home) == []


async def test_a_feed_that_is_gone_for_good_is_looked_for_once(home: Home, publisher: Publisher):
    subscription = await _ended(home, publisher, *[Answer(410)] * 9)

    assert (await home.look(subscription)).state == "unhealthy"
    assert await _planned(home) == []


async def test_a_domain_for_sale_is_looked_at_once(home: Home, publisher: Publisher):
    parked = Answer(body="<h1>This domain is for sale</h1>", headers=PAGE)

    subscription = await _ended(home, publisher, *[parked] * 9)

    assert (await home.look(subscription)).state == "unhealthy"
    assert await _planned(home) == []


async def test_looks_end_when_nobody_reads_the_feed_any_more(home: Home, publisher: Publisher):
    subscription = await _ended(home, publisher, *[Answer(404)] * 9)
    await home.subscriptions.unsubscribe(home.person.id, subscription.id)

    def hide() -> Script[None]:
        yield sql("UPDATE feeds SET in_directory = false")

    await home.container.work.write(WORKER, hide)
    asked = len(publisher.requests)

    await _a_day_later(home)

    assert len(publisher.requests) == asked
    assert await _planned(home) == []


async def test_a_retry_that_fails_again_leaves_one_plan(home: Home, publisher: Publisher):
    subscription = await _ended(home, publisher, *[Answer(404)] * 20)

    await home.retry(subscription)
    await _a_day_later(home)

    assert len(await _planned(home)) == 1


def test_looks_are_daily_for_two_weeks_then_weekly():
    def wait(days: int, *, is_read: bool = True) -> timedelta:
        since = START - timedelta(days=days)
        dead = DeadFeed(
            *("https://a.example/feed", "A", None, False, frozenset(), frozenset()),
            is_read=is_read,
            failing_since=since,
        )
        return next_look(dead, START) - START

    assert [wait(days) for days in (0, 1, 13)] == [timedelta(days=1)] * 3
    assert [wait(days) for days in (14, 100)] == [timedelta(days=7)] * 2
    assert wait(0, is_read=False) == timedelta(days=7)


def test_looks_skip_the_hours_and_days_that_the_publisher_asked_to_skip():
    hours = frozenset({START.hour, START.hour + 1})
    dead = DeadFeed(
        *("https://a.example/feed", "A", None, False, frozenset(), frozenset()),
        failing_since=START,
        asked=Asked(skip_hours=hours),
    )

    assert next_look(dead, START).hour == START.hour + 2


async def test_a_worker_searches_for_people_and_for_dead_feeds_in_one_burst(home: Home):
    handlers = cast("dict[str, Any]", home.container.worker().handlers)
    searching, reviving = (handlers[kind].__self__ for kind in (TaskKind.DISCOVER, TaskKind.REVIVE))
    assert searching.discoverer.fetcher is reviving.discoverer.fetcher
