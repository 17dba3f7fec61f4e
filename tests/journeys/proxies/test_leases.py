"""Deframing inside its lease: kept alive, fenced, out of others' way, and killable."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import NoReturn

import pytest

from feedloom.app import open_container
from feedloom.flow.worker.worker import Worker
from feedloom.model.distilled.requests import AnalyzerResult, ArticleToAnalyse
from tests.containers import settings_for
from tests.databases import Databases
from tests.journeys.proxies.lab import Lab, corrected
from tests.model_api import Call, ModelAPI, Reply, says
from tests.publisher import Publisher
from tests.unit.distill.doubles import VALID_ANALYSIS

pytestmark = pytest.mark.both_engines

LEASE_S = 3.0
ROOT = Path(__file__).parents[3]


@asynccontextmanager
async def open_lab(databases: Databases, folder: Path, lease_s: float) -> AsyncIterator[Lab]:
    settings = settings_for(databases, folder, lease_seconds=lease_s)
    async with open_container(settings) as container, Publisher() as publisher, ModelAPI() as api:
        lab = await Lab.open(container, publisher, api)
        lab.use_model(call_s=30)
        yield lab


@pytest.fixture
async def short(engine_url: Databases, tmp_path: Path) -> AsyncIterator[Lab]:
    """Hand out a lab whose leases are short, for tests that wait for their end."""
    async with open_lab(engine_url, tmp_path, LEASE_S) as opened:
        yield opened


@pytest.fixture
async def steady(engine_url: Databases, tmp_path: Path) -> AsyncIterator[Lab]:
    """Hand out a lab whose leases outlast a slow machine."""
    async with open_lab(engine_url, tmp_path, 60) as opened:
        yield opened


class Held:
    """A model that answers when it is let."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()
        inner = lab.container.engine.analyzer
        self.model = inner.model
        self.prompt_version = inner.prompt_version
        self.reads_text = inner.reads_text
        self._analyse = inner.analyse
        engine = replace(lab.container.engine, analyzer=self)
        lab.container = replace(lab.container, engine=engine)

    async def analyse(self, article: ArticleToAnalyse) -> AnalyzerResult:
        self.asked.set()
        await self.may_answer.wait()
        return await self._analyse(article)


async def start(lab: Lab, worker: Worker | None = None) -> "asyncio.Task[int]":
    return asyncio.create_task((worker or lab.worker()).feed_loop().drain())


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so that nobody tells."""
    async with asyncio.timeout(60):
        while not await is_so():  # noqa: ASYNC110 - another process does it
            await asyncio.sleep(0.05)


async def has_unread(lab: Lab, user_id: int) -> bool:
    return bool((await lab.container.services().reading.counts(user_id)).unread)


async def settled(value: bool) -> bool:
    return value


async def test_readers_have_the_articles_while_the_model_thinks(steady: Lab):
    steady.publish((2, 1))
    user = await steady.subscribe()
    await steady.add()
    await steady.sync()
    steady.api.script(says(VALID_ANALYSIS))
    held = Held(steady)

    running = await start(steady)
    await held.asked.wait()

    counts = await steady.container.services().reading.counts(user.id)
    row = await steady.schedule()
    assert counts.unread == 2
    assert row["lease_token"] is not None
    assert abs(row["due_at"] - row["locked_until"]) < 1_000
    assert (await steady.proxy()).is_running
    assert (await steady.proxy()).built_at is None
    held.may_answer.set()
    await running
    row = await steady.schedule()
    assert (row["lease_token"], row["attempts"]) == (None, 0)
    assert (await steady.proxy()).items == 2


@pytest.mark.threat("Q4")
async def test_the_lease_outlives_its_seconds_while_the_work_goes_on(short: Lab):
    short.publish()
    await short.add()
    await short.sync()
    short.api.script(says(VALID_ANALYSIS))
    held = Held(short)
    running = await start(short)
    await held.asked.wait()
    token = (await short.schedule())["lease_token"]

    await asyncio.sleep(LEASE_S * 2)
    claimed_by_another = await short.worker().feed_loop().drain()

    assert claimed_by_another == 0
    assert (await short.schedule())["lease_token"] == token
    held.may_answer.set()
    await running
    assert len(short.api.calls) == 1
    assert (await short.proxy()).items == 1


@pytest.mark.threat("L9", "Q20")
async def test_other_feeds_do_not_wait_for_a_slow_model(steady: Lab):
    steady.publish()
    await steady.add()
    await steady.sync()
    steady.api.script(says(VALID_ANALYSIS))
    held = Held(steady)
    worker = steady.worker()
    worker.connections = 1
    running = await start(steady, worker)
    await held.asked.wait()
    other = steady.publisher.feed("/other.xml")
    user = await steady.container.accounts.store.create("bob@example.org", "no password")

    await steady.container.subscribing().add(user, other, exact=True)
    await until(lambda: has_unread(steady, user.id))

    assert not running.done()
    held.may_answer.set()
    await running


async def test_no_more_feeds_are_deframed_at_once_than_there_are_slots(steady: Lab):
    now, most = 0, 0
    inner = steady.container.engine.analyzer

    class Counting:
        model = inner.model
        prompt_version = staticmethod(inner.prompt_version)
        reads_text = staticmethod(inner.reads_text)

        async def analyse(self, article: ArticleToAnalyse) -> AnalyzerResult:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.05)
            now -= 1
            return await inner.analyse(article)

    steady.api.script(says(VALID_ANALYSIS))
    steady.container = replace(
        steady.container, engine=replace(steady.container.engine, analyzer=Counting())
    )
    for number in range(8):
        steady.path = f"/many-{number}.xml"
        steady.publish((2, 1))
        await steady.add()
        await steady.sync()

    await steady.worker().feed_loop().drain()

    built = await steady.rows("SELECT count(*) AS n FROM cached_feeds")
    assert built[0]["n"] == 8
    assert 2 <= most <= 4


async def test_a_sync_in_between_wins(steady: Lab):
    steady.publish()
    await steady.add()
    await steady.sync()
    steady.api.script(says(corrected("Late")), says(corrected("In time")))
    held = Held(steady)
    running = await start(steady)
    await held.asked.wait()
    before = (await steady.schedule())["lease_token"]

    await steady.sync()
    assert (await steady.schedule())["lease_token"] != before
    held.may_answer.set()
    await running

    assert len(steady.api.calls) == 2, "the feed ran again, at once"
    [analysis] = await steady.analyses()
    result = json.loads(analysis["analyzer_result"])
    assert result["title_corrected"] == "In time", "the first run had lost its lease"
    assert (await steady.proxy()).items == 1


@pytest.mark.threat("Q2")
async def test_a_worker_that_slept_past_its_lease_writes_nothing(steady: Lab):
    steady.publish((2, 1))
    await steady.add()
    await steady.sync()
    steady.api.script(says(corrected("Late")))
    held = Held(steady)
    running = await start(steady)
    await held.asked.wait()
    await steady.execute("UPDATE feed_schedules SET lease_token = 'another'")

    held.may_answer.set()
    await running

    assert await steady.analyses() == []
    assert (await steady.proxy()).built_at is None
    assert (await steady.schedule())["lease_token"] == "another"


@pytest.mark.threat("Q15")
async def test_a_worker_that_stops_gives_the_feed_back(steady: Lab):
    steady.publish()
    await steady.add()
    await steady.sync()
    held = Held(steady)
    loop, stop = steady.worker().feed_loop(), asyncio.Event()
    running = asyncio.create_task(loop.run(stop))
    await held.asked.wait()
    assert loop.running
    assert loop.active == 0

    stop.set()
    await running

    row = await steady.schedule()
    assert (row["lease_token"], row["attempts"]) == (None, 0)
    assert row["due_at"] is not None


class Broken:
    """An analyzer with a bug."""

    model = "broken"

    def prompt_version(self, _language: str | None, _key: str | None = None) -> str:
        return "1"

    def reads_text(self, _title: str, _description: str, _language: str | None) -> bool:
        return True

    async def analyse(self, _article: ArticleToAnalyse) -> NoReturn:
        raise RuntimeError("a bug")


@pytest.mark.parametrize("is_read", [False, True])
async def test_a_bug_in_deframing_strikes_the_proxy_and_not_its_readers(steady: Lab, is_read):
    steady.publish()
    if is_read:
        await steady.subscribe()
    await steady.add(polling=True)
    await steady.sync()
    steady.container = replace(
        steady.container, engine=replace(steady.container.engine, analyzer=Broken())
    )

    await steady.run()

    proxy, row = await steady.proxy(), await steady.schedule()
    assert "See the log" in (proxy.last_error or "")
    assert (row["next_run_at"] is not None) is is_read
    assert (row["lease_token"], row["attempts"]) == (None, 0)


async def test_who_subscribes_while_it_is_deframed_gets_it_polled(steady: Lab):
    steady.publish()
    await steady.add()
    await steady.sync()
    steady.api.script(says(VALID_ANALYSIS))
    held = Held(steady)
    running = await start(steady)
    await held.asked.wait()

    await steady.subscribe()
    held.may_answer.set()
    await running

    assert (await steady.schedule())["next_run_at"] is not None


@pytest.mark.threat("Q19", "L8")
async def test_a_killed_worker_loses_no_analysis_and_pays_for_none_twice(short: Lab):
    short.publish((3, 2, 1))
    await short.add()
    await short.sync()
    asked: list[str] = []

    def answer(call: Call) -> Reply:
        title = next(f"Entry {n}" for n in (1, 2, 3) if f"Entry {n}" in call.user)
        asked.append(title)
        is_second = len(asked) == 2
        return Reply(hangs=True) if is_second else says(VALID_ANALYSIS)

    short.api.script(answer)
    settings = replace(
        short.container.settings, ai_type="compatible", ai_base_url=short.api.base_url, ai_model="m"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.killable",
        json.dumps(asdict(settings)),
        "never!",
        stdout=asyncio.subprocess.DEVNULL,
        cwd=ROOT,
    )
    await until(lambda: settled(len(asked) >= 2))
    process.send_signal(signal.SIGKILL)
    await process.wait()
    kept = [row["title"] for row in await short.analyses()]

    await asyncio.sleep(LEASE_S + 0.2)
    await short.run()

    assert kept == ["Entry 3"]
    assert asked == ["Entry 3", "Entry 2", "Entry 2", "Entry 1"]
    assert len(await short.analyses()) == 3
    assert (await short.proxy()).items == 3
    outcomes = await short.rows("SELECT outcome FROM ai_calls ORDER BY id")
    assert [row["outcome"] for row in outcomes] == ["ok", "reserved", "ok", "ok"]
