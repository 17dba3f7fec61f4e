"""Several processes at once: politeness holds across them, and nothing is dropped."""

import asyncio
import json
import sys
from collections import defaultdict
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import pytest

from feedloom.config import Settings
from tests.containers import open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import entries
from tests.publisher import Publisher, PublisherThread

ROOT = Path(__file__).parents[3]
MOMENT_S = 0.12
DRAIN = """
import asyncio, json, sys
from feedloom.app import open_container
from feedloom.config import Settings
from feedloom.store.engine.scripts import WORKER, sql

def left():
    return (yield sql("SELECT 1 FROM feeds WHERE last_attempt_at IS NULL LIMIT 1"))

async def main(settings):
    async with open_container(settings) as container:
        worker = container.worker()
        print("ready", flush=True)
        sys.stdin.readline()
        # A pass waits for what it put off itself, not for what another one did.
        while await container.work.read(WORKER, left):
            await worker.feed_loop().drain()
            await asyncio.sleep(0.02)
        print(json.dumps(worker.stats.summary()))

asyncio.run(main(Settings(**json.loads(sys.argv[1]))))
"""


async def drained_by(number: int, settings: Settings) -> list[dict[str, int]]:
    """Let so many processes work from one moment on; return what each of them did."""
    together = asyncio.Barrier(number)
    return await asyncio.gather(*(drained(settings, together) for _ in range(number)))


async def drained(settings: Settings, together: asyncio.Barrier) -> dict[str, int]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        DRAIN,
        json.dumps(asdict(settings)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    await together.wait()
    output, _ = await process.communicate(b"go\n")
    assert process.returncode == 0
    found: dict[str, int] = json.loads(output)
    return found


def farm(publisher: Publisher, feeds: int, hosts: int, count: int) -> list[tuple[str, str]]:
    """Publish so many feeds of so many entries, spread over hosts."""
    places = [(f"/f{n}.xml", f"127.0.{1 + n % hosts}.1") for n in range(feeds)]
    return [
        (publisher.feed(path, entries=entries(count), host=host), host) for path, host in places
    ]


@pytest.mark.threat("S25")
async def test_spacing_and_the_limit_of_two_hold_across_two_processes(
    engine_url: Databases, tmp_path: Path, scaled
):
    feeds, hosts, delay_s = scaled(200, 1_000), 20, 0.2
    # With fewer slots than hosts one of them cannot take all that comes due.
    settings = settings_for(engine_url, tmp_path, host_delay=delay_s, fetch_concurrency=4)
    with PublisherThread() as publisher:
        urls = farm(publisher, feeds, hosts, 1)
        async with open_home(settings) as home:
            await home.subscribe_to_all(urls)

            done = await drained_by(2, settings)

            assert sum(counts["feeds"] for counts in done) == feeds
            assert sum(counts["errors"] for counts in done) == 0
            assert all(counts["feeds"] > 0 for counts in done)
        by_host = defaultdict(list)
        for request in publisher.requests:
            by_host[request.host].append(request)
    assert len(by_host) == hosts
    for requests in by_host.values():
        times = sorted(request.at for request in requests)
        # A request leaves a moment after it was allowed: any distance may shrink by
        # that, but the moments do not add up.
        for (m, earlier), (n, later) in combinations(enumerate(times), 2):
            assert later - earlier > delay_s * (n - m) - MOMENT_S
        assert max(request.at_once for request in requests) <= 2


@pytest.mark.threat("D15", "D9")
async def test_eight_writers_at_once_drop_nothing(engine_url: Databases, tmp_path: Path):
    settings = settings_for(engine_url, tmp_path, fetch_concurrency=4)
    with PublisherThread() as publisher:
        urls = farm(publisher, 80, 80, 25)
        async with open_home(settings) as home:
            await home.subscribe_to_all(urls)

            done = await drained_by(8, settings)

            assert sum(counts["feeds"] for counts in done) == 80
            assert sum(counts["errors"] for counts in done) == 0
            assert sum(counts["new_articles"] for counts in done) == 80 * 25
            articles = await home.articles()
            assert len(articles) == 80 * 25
            assert sorted(a.item_no for a in articles) == list(range(1, 80 * 25 + 1))
