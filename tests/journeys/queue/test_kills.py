"""Workers that die or sleep in the middle of a job: nothing lost, nothing twice."""

import asyncio
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from feedloom.config import Settings
from tests.containers import Home, open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import entries
from tests.publisher import PublisherThread

pytestmark = pytest.mark.both_engines

LEASE_S = 1.0
STEPS = ("claimed", "fetched", "judged", "stored")
ROOT = Path(__file__).parents[3]


async def start(settings: Settings, step: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.killable",
        json.dumps(asdict(settings)),
        step,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )


async def reached(process: asyncio.subprocess.Process, step: str) -> None:
    assert process.stdout is not None
    async with asyncio.timeout(30):
        while (await process.stdout.readline()).decode().strip() != step:
            pass


async def assert_once(home: Home) -> None:
    articles = await home.articles()
    assert [a.title for a in articles] == ["Entry 1", "Entry 2", "Entry 3"]
    assert [a.item_no for a in articles] == [1, 2, 3]


@pytest.mark.threat("Q1")
@pytest.mark.parametrize("step", STEPS)
async def test_a_job_whose_worker_is_killed_runs_again_and_counts_once(
    engine_url: Databases, tmp_path: Path, step
):
    settings = settings_for(engine_url, tmp_path, lease_seconds=LEASE_S)
    with PublisherThread() as publisher:
        url = publisher.feed("/blog.xml", entries=entries(3))
        async with open_home(settings) as home:
            await home.subscribe(url)
            killed = await start(settings, f"{step}!")
            assert await killed.wait() == -signal.SIGKILL

            await asyncio.sleep(LEASE_S + 0.1)
            stats = await home.refresh_due()

            await assert_once(home)
            expected = {} if step == "stored" else {"new": 1}
            assert stats.outcomes == expected


@pytest.mark.threat("Q2")
@pytest.mark.parametrize("step", STEPS[:3])
async def test_a_worker_that_slept_past_its_lease_is_refused(
    engine_url: Databases, tmp_path: Path, step
):
    settings = settings_for(engine_url, tmp_path, lease_seconds=LEASE_S)
    with PublisherThread() as publisher:
        url = publisher.feed("/blog.xml", entries=entries(3))
        async with open_home(settings) as home:
            subscription = await home.subscribe(url)
            sleeper = await start(settings, f"{step}?")
            await reached(sleeper, step)
            await asyncio.sleep(LEASE_S + 0.1)
            await home.refresh_due()
            before = await home.subscriptions.page(home.person.id, subscription.id)

            sleeper.send_signal(signal.SIGCONT)
            async with asyncio.timeout(60):
                output, _ = await sleeper.communicate()

            after = await home.subscriptions.page(home.person.id, subscription.id)
            assert after.log == before.log
            await assert_once(home)
            last = output.decode().splitlines()[-1]
            assert json.loads(last)["feeds"] == 0
