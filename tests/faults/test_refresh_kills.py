"""Workers killed in the middle of refreshes: nothing lost, nothing twice."""

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest

from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.queues.leases import SCHEDULES, depth
from tests.containers import open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import entries
from tests.publisher import PublisherThread

pytestmark = [pytest.mark.both_engines, pytest.mark.threat("Q1", "Q18")]

ROOT = Path(__file__).parents[2]
FEEDS = 12
FIRST = 20
LEASE_S = 1.0


def unparked() -> Script[None]:
    """Make everything due, at once.

    What was killed five times in a row gets another chance, and hosts are not spared for
    requests that ended with their process.
    """
    yield sql("UPDATE hosts SET in_flight = '[]', booked_until = 0")
    yield sql(
        "UPDATE feed_schedules SET attempts = 0, next_run_at = now_us(),"
        " due_at = CASE WHEN locked_until > now_us() THEN due_at ELSE now_us() END"
    )


@pytest.mark.faults
async def test_a_refresh_may_be_killed_anywhere_any_number_of_times(
    engine_url: Databases, tmp_path: Path, scaled, counts, progress
):
    kills = scaled(15, 200)
    settings = settings_for(engine_url, tmp_path, lease_seconds=LEASE_S)
    chance = random.Random(kills)
    with PublisherThread() as publisher:
        paths = [f"/f{n}.xml" for n in range(FEEDS)]
        hosts = [f"127.0.{n + 1}.1" for n in range(FEEDS)]
        places = list(zip(paths, hosts, strict=True))
        async with open_home(settings) as home:
            for path, host in places:
                await home.subscribe(publisher.feed(path, entries=entries(FIRST), host=host))
            zygote = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.zygote",
                json.dumps(asdict(settings)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                cwd=ROOT,
            )
            assert zygote.stdin is not None
            assert zygote.stdout is not None

            for kill in range(kills):
                if kill % 4 == 0:
                    path, host = chance.choice(places)
                    publisher.bump(path, host=host)
                await home.container.work.write(WORKER, unparked)
                zygote.stdin.write(b"go\n")
                pid = int(await zygote.stdout.readline())
                await asyncio.sleep(chance.uniform(0.05, 0.7))
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                progress(f"refreshes on {engine_url.kind}", kill, kills)
            zygote.stdin.close()
            # Its output ends only when every process of every worker has ended.
            await asyncio.wait_for(zygote.wait(), 20)
            await asyncio.sleep(LEASE_S + 0.2)
            for _ in range(2):
                await home.container.work.write(WORKER, unparked)
                await home.refresh()

            articles = await home.articles()
            by_feed = Counter(article.subscription_id for article in articles)
            bumped = (kills + 3) // 4
            counts(
                f"killed refreshes on {engine_url.kind}",
                kills=kills,
                articles=len(articles),
                missing=FEEDS * FIRST + bumped - len(articles),
            )
            assert len(articles) == FEEDS * FIRST + bumped
            assert min(by_feed.values()) >= FIRST
            guids = Counter((a.subscription_id, a.guid) for a in articles)
            assert set(guids.values()) == {1}
            assert len({a.item_no for a in articles}) == len(articles)
            feeds = await home.container.work.read(WORKER, depth, SCHEDULES)
            assert (feeds.running, feeds.parked) == (0, 0)
