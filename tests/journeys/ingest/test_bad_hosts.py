"""Hosts that hang, drip, stall or never end beside hosts that answer as they should."""

import asyncio
import random
from pathlib import Path

import pytest

from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests import factories_feeds
from tests.containers import Home, Place, open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import entries
from tests.publisher import Answer, Publisher, PublisherThread

SLOTS, GOOD, ANSWER_S = 8, 240, 0.1
BAD = {"hang": 24, "drip": 24, "endless_body": 16, "stall": 16}
"""A quarter of all hosts, and ten for each slot."""


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


def only_sites() -> Script[None]:
    """Let no feed come due; their sites are where they are."""
    yield sql("UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL")
    yield sql("UPDATE feeds SET site_url = url")


async def took_s(home: Home, places: list[Place]) -> float:
    """Let a worker run until all good feeds are stored; return how long that took."""
    await home.subscribe_to_all(places)
    worker = home.container.worker()
    stop, clock = asyncio.Event(), asyncio.get_running_loop()
    began_at = clock.time()
    running = asyncio.create_task(worker.feed_loop().run(stop))
    async with asyncio.timeout(100):
        while worker.stats.outcomes["new"] < GOOD:  # noqa: ASYNC110 - counts, no event
            await asyncio.sleep(0.02)
    took = clock.time() - began_at
    stop.set()
    await running
    return took


@pytest.mark.threat("W1", "S18")
async def test_bad_hosts_slow_nobody(engine_url: Databases, tmp_path: Path):
    settings = settings_for(engine_url, tmp_path, fetch_concurrency=SLOTS)
    with PublisherThread() as publisher:
        alone = good_places(publisher, 50)
        beside = [*good_places(publisher, 60), *bad_places(publisher)]
        random.Random(3).shuffle(beside)
        async with open_home(settings) as home:
            alone_s = await took_s(home, alone)
            beside_s = await took_s(home, beside)

            assert len(await home.articles()) == 2 * GOOD * 5
        asked = {request.host for request in publisher.requests}
    assert {host for _, host in beside} <= asked
    assert beside_s < alone_s / 0.9, (alone_s, beside_s)


@pytest.mark.threat("W1")
async def test_upkeep_of_dead_sites_keeps_nobody_waiting(
    home: Home, publisher: Publisher
):
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
    waiting = await queue.depth()
    stop.set()
    await working

    assert waiting.due + waiting.running == 12
