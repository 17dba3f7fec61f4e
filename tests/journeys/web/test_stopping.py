"""SIGTERM ends ``serve`` soon, whatever became of the clock meanwhile."""

import asyncio
import signal
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest

from feedloom.app import open_container
from feedloom.cli.services import listening, serve_container
from feedloom.model.work import NewTask, TaskKind
from feedloom.store import TaskQueue
from tests.containers import settings_for
from tests.databases import sqlite_databases
from tests.fakes import START, FixedClock
from tests.serving import Visitor

MOST_S = 10
HOUR, DECADE = timedelta(hours=1), timedelta(days=3653)


class Watch:
    """The system's clock, for the program and for SQLite, which jumps when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = FixedClock()
        monkeypatch.setattr(time, "time", lambda: self.clock.now().timestamp())
        monkeypatch.setattr(time, "time_ns", lambda: int(time.time()) * 1_000_000_000)

    def jump(self, by: timedelta) -> None:
        self.clock.set(START + by)


@pytest.mark.threat("Q8", "Q15")
@pytest.mark.parametrize("jump", [DECADE, -DECADE], ids=["forward", "back"])
async def test_serve_ends_at_sigterm_after_the_clock_jumped(jump: timedelta, tmp_path, monkeypatch):
    watch, is_ready = Watch(monkeypatch), asyncio.Event()
    settings = settings_for(sqlite_databases(tmp_path), tmp_path)
    async with open_container(settings) as opened, listening("127.0.0.1", 0) as sockets:
        container = replace(opened, clock=cast("Any", watch.clock))
        # By a clock that went ahead it is due, by one that was set back it is not for years.
        await TaskQueue(container.work, worker="w", lease_s=60).add(
            NewTask(TaskKind.WEBSUB, {"feed_id": 1}, run_at=START + HOUR)
        )
        operations = container.operations()
        serving = asyncio.create_task(
            serve_container(container, sockets, with_worker=True, tell=is_ready.set)
        )
        await is_ready.wait()
        visitor = Visitor(f"http://127.0.0.1:{sockets[0].getsockname()[1]}")
        for _ in range(500):
            if await operations.worker_seen_at():
                break
            await asyncio.sleep(0.01)
        watch.jump(jump)
        assert (await visitor.get("/healthz")).status == 200

        signal.raise_signal(signal.SIGTERM)
        async with asyncio.timeout(MOST_S):
            await serving
