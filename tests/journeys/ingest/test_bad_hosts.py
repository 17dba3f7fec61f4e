"""Hosts that hang, drip, stall or never end beside hosts that answer as they should."""

import asyncio
import random
from pathlib import Path

import pytest

from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.queues.leases import TASKS, depth
from tests import factories_feeds
from tests.containers import Home, Place, open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import entries
from tests.publisher import Answer, Publisher, PublisherThread

CONNECTIONS, GOOD, ANSWER_S = 128, 240, 0.1
BAD = {"hang": 24, "drip": 24, "endless_body": 16, "stall": 16}
"""A quarter of all hosts."""


def good_places(publisher: Publisher, network: int) -> list[Place]:
    """Publish feeds that take their time, each on a host of its own."""
    document = factories_feeds.rss(entries=entries(5))
    found = []
    for number in range(GOOD):
        host = f"127.{network}.0.{1 + number}"
        answer = Answer(body=document, delay_s=ANSWER_S)
        found.append((publisher.script("/feed.xml", answer, host=host), host))
    return found


def bad_places(publisher: Publisher) -> list[Place]:
    behaviours = [name for name, number in BAD.items() for _ in range(number)]
    hosts = [f"127.90.0.{1 + number}" for number in range(len(behaviours))]
    return [
        (publisher.evil(name, host=host), host)
        for name, host in zip(behaviours, hosts, strict=True)
    ]


def failed_last_time() -> Script[None]:
    """Let the feeds that hang have failed before, and be due first."""
    yield sql(
        "UPDATE feeds SET consecutive_failures = 1, state = 'degraded' WHERE url LIKE '%/evil/%'"
    )
    yield sql(
        "UPDATE feed_schedules SET next_run_at = 1, due_at = 1 WHERE feed_id IN"
        " (SELECT id FROM feeds WHERE url LIKE '%/evil/%')"
    )


def only_sites() -> Script[None]:
    """Let no feed come due; their sites are where they are."""
    yield sql("UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL")
    yield sql("UPDATE feeds SET site_url = url")


@pytest.mark.threat("W1", "S18")
async def test_bad_hosts_slow_nobody(engine_url: Databases, tmp_path: Path):
    """All good feeds are stored while the hosts that hang are still waited for."""
    settings = settings_for(engine_url, tmp_path, fetch_concurrency=CONNECTIONS)
    with PublisherThread() as publisher:
        places = [*good_places(publisher, 60), *bad_places(publisher)]
        random.Random(3).shuffle(places)
        async with open_home(settings) as home:
            await home.subscribe_to_all(places)
            worker = home.container.worker()
            stop = asyncio.Event()
            running = asyncio.create_task(worker.feed_loop().run(stop))
            async with asyncio.timeout(100):
                while worker.stats.outcomes["new"] < GOOD:  # noqa: ASYNC110 - counts, no event
                    await asyncio.sleep(0.02)
            given_up = worker.stats.outcomes["temporary"]
            stop.set()
            await running

            assert len(await home.articles()) == GOOD * 5
        asked = {request.host for request in publisher.requests}
    assert {host for _, host in places} <= asked
    assert given_up == 0


@pytest.mark.threat("W1")
async def test_hosts_that_hung_last_time_wait_for_each_other_alone(
    engine_url: Databases, tmp_path: Path
):
    settings = settings_for(engine_url, tmp_path, fetch_concurrency=16)
    with PublisherThread() as publisher:
        hosts = [f"127.90.0.{1 + number}" for number in range(30)]
        hanging = [(publisher.evil("hang", host=host), host) for host in hosts]
        good = good_places(publisher, 60)[:20]
        async with open_home(settings) as home:
            await home.subscribe_to_all([*hanging, *good])
            await home.container.work.write(WORKER, failed_last_time)
            worker = home.container.worker()
            stop = asyncio.Event()
            running = asyncio.create_task(worker.feed_loop().run(stop))
            async with asyncio.timeout(100):
                while worker.stats.outcomes["new"] < len(good):  # noqa: ASYNC110 - counts, no event
                    await asyncio.sleep(0.02)
            asked = {request.host for request in publisher.requests}
            stop.set()
            await running

    assert len(asked & set(hosts)) == 16 // 8


@pytest.mark.threat("W1")
async def test_upkeep_of_dead_sites_keeps_nobody_waiting(home: Home, publisher: Publisher):
    hosts = [f"127.90.1.{1 + number}" for number in range(12)]
    places = [(publisher.evil("hang", host=host), host) for host in hosts]
    await home.subscribe_to_all(places)
    await home.container.work.write(WORKER, only_sites)
    queue = home.container.tasks(home.container.work)
    for feed_id in range(1, 13):
        await queue.add(NewTask(TaskKind.FAVICON, {"feed_id": feed_id}))
    wish = NewTask(TaskKind.APPLY_RULES, {"rule_id": None}, user_id=home.person.id)
    task_id = await queue.add(wish)
    stop = asyncio.Event()

    working = asyncio.create_task(home.container.keep_working(stop))
    async with asyncio.timeout(60):
        while (await queue.find(home.person.id, task_id)).done_at is None:  # noqa: ASYNC110 - a row, no event
            await asyncio.sleep(0.02)
    waiting = await home.container.work.read(WORKER, depth, TASKS)
    stop.set()
    await working

    assert waiting.due + waiting.running == 12
