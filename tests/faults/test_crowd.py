"""Many readers while a quarter of all publishers hang, drip or explode.

The real commands run: on SQLite one process that serves and works, on PostgreSQL one of
each. Nobody sees an error, pages stay quick, and memory stays where it was.
"""

import asyncio
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from feedloom.app import Container, open_container
from feedloom.config import Settings
from feedloom.store import SubscriptionStore
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.containers import settings_for
from tests.databases import Databases
from tests.faults.lab.crowd import Reader, gather, memory_mb

pytestmark = pytest.mark.threat("W1", "W7")

ROOT = Path(__file__).parents[2]


@pytest.mark.faults
async def test_readers_are_not_held_up_by_bad_publishers(
    engine_url: Databases, tmp_path: Path, scaled, counts, progress
):
    people, feeds, for_s = scaled(12, 200), scaled(60, 5_000), scaled(5, 300)
    settings = settings_for(engine_url, tmp_path, fetch_concurrency=64)
    async with street(feeds, bad=feeds // 4) as addresses:
        cookies = await settle(settings, people, addresses["good"] + addresses["bad"])
        async with opened(settings, engine_url.kind) as (url, pids):
            think_s = (1.0, 3.0) if for_s < 60 else (2.0, 8.0)
            readers = [Reader(url, cookie, think_s) for cookie in cookies]
            watching = asyncio.create_task(watch(pids, for_s, progress))
            stirring = asyncio.create_task(stir(settings, for_s))
            seen = await gather(readers, for_s)
            memory = await watching
            await stirring
        refreshed = await how_many(settings)

    counts(
        f"crowd on {engine_url.kind}",
        readers=people,
        seconds=for_s,
        pages=len(seen.took_s),
        failures=seen.failures,
        answers=dict(seen.answers),
        p50_ms=1000 * seen.percentile(0.5),
        p99_ms=1000 * seen.percentile(0.99),
        slowest_ms=1000 * seen.percentile(1),
        feeds_refreshed=refreshed["good"],
        bad_tried=refreshed["bad"],
        memory_mb=[f"{a:.0f}->{b:.0f}" for a, b in memory],
    )
    assert seen.failures == 0
    assert len(seen.took_s) >= people // 2
    assert refreshed["good"] == feeds - feeds // 4
    assert refreshed["bad"] > 0
    if for_s >= 60:
        assert seen.percentile(0.99) < 0.5
        assert all(after < before * 1.15 + 10 for before, after in memory)


@asynccontextmanager
async def street(feeds: int, *, bad: int) -> AsyncIterator[dict[str, list[str]]]:
    process = await start("tests.faults.lab.street", str(feeds), str(bad), stdin=PIPE, stdout=PIPE)
    assert process.stdout is not None
    try:
        line = await process.stdout.readuntil(b"\n")
        yield json.loads(line)
    finally:
        await end(process)


async def start(module: str, *arguments: str, **options) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, cwd=ROOT, limit=2**24, **options
    )


async def end(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    else:
        process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(30):
        await process.wait()


async def settle(settings: Settings, people: int, urls: list[str]) -> list[str]:
    """Give everybody an account, feeds and a session; answer with their cookies."""
    cookies = []
    async with open_container(settings) as container:
        subscriptions = SubscriptionStore(container.web)
        for number in range(people):
            user = await container.accounts.store.create(f"r{number}@example.org", "-")
            signed = await container.accounts.sign_in(user, user_agent="x", address="::1")
            cookies.append(f"feedloom_session={signed.token}")
            for url in urls[number::people]:
                await subscriptions.subscribe(user.id, url)
    return cookies


@asynccontextmanager
async def opened(settings: Settings, kind: str) -> AsyncIterator[tuple[str, dict[str, int]]]:
    """Run the commands as an operator does; end them as an operator does."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": settings.data_dir,
        "FEEDLOOM_DATABASE_URL": settings.database_url,
        "FEEDLOOM_WORKER_DATABASE_URL": settings.worker_database_url,
        "FEEDLOOM_ALLOW_NETWORKS": settings.allow_networks,
        "FEEDLOOM_HOST_DELAY": "0",
        "FEEDLOOM_FETCH_CONCURRENCY": str(settings.fetch_concurrency),
        "FEEDLOOM_DIRECTORY_CHECK": "off",
        "FEEDLOOM_LOG_LEVEL": "error",
    }
    commands = {"web": ["serve", "--port", str(port)]}
    if kind == "postgresql":
        commands = {"web": [*commands["web"], "--no-worker"], "worker": ["worker"]}
    started = {
        name: await start("feedloom", *command, env=environment)
        for name, command in commands.items()
    }
    url = f"http://127.0.0.1:{port}"
    try:
        await until_answered(url)
        yield url, {name: process.pid for name, process in started.items()}
    finally:
        for process in started.values():
            await end(process)


async def until_answered(url: str) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(300):
            try:
                async with session.get(f"{url}/healthz") as reply:
                    if reply.status == 200:
                        return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
    raise TimeoutError(url)


async def watch(pids: dict[str, int], for_s: float, progress) -> list[tuple[float, float]]:
    """Tell how much memory each process used after two fifths, and in the end."""
    samples: list[list[float]] = []
    for second in range(int(for_s)):
        await asyncio.sleep(1)
        samples.append([memory_mb(pid) for pid in pids.values()])
        progress("crowd", second, int(for_s))
    after_start = samples[len(samples) * 2 // 5]
    return list(zip(after_start, samples[-1], strict=True))


async def stir(settings: Settings, for_s: float) -> None:
    """Make everything due again now and then, so that the worker is never idle."""
    async with open_container(settings, migrate=False) as container:
        for _ in range(max(1, int(for_s // 100) - 1)):
            await asyncio.sleep(min(100.0, for_s / 2))
            await container.operations().make_due(None, everything=True)


async def how_many(settings: Settings) -> dict[str, int]:
    def steps() -> Script[dict[str, int]]:
        rows = yield sql(
            "SELECT sum(CASE WHEN last_success_at IS NULL THEN 0 ELSE 1 END) AS good,"
            " sum(CASE WHEN consecutive_failures > 0 THEN 1 ELSE 0 END) AS bad"
            " FROM feeds"
        )
        return {"good": int(rows[0]["good"]), "bad": int(rows[0]["bad"])}

    async def look(container: Container) -> dict[str, int]:
        return await container.work.read(WORKER, steps)

    async with open_container(settings, migrate=False) as container:
        return await look(container)
