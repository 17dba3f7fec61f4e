"""A worker process that can be killed or stopped at a named step of its job.

    python -m tests.killable SETTINGS_JSON STEP

It drains what is due once. At ``STEP`` (claimed, fetched, judged, stored) it prints the
step and, for ``STEP!``, kills itself with SIGKILL; for ``STEP?`` it stops itself with
SIGSTOP and goes on when continued. At the end it prints what it did as JSON.
"""

import asyncio
import json
import os
import signal
import sys
from concurrent.futures import Executor
from dataclasses import replace

from feedloom.app import open_container
from feedloom.config import Settings
from feedloom.flow.worker.worker import Worker
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, FetchResponse, Known, Refreshed, Stored
from feedloom.store import RefreshStore
from feedloom.store.engine.sqlite import SQLiteDatabase


class Script:
    """Says a step and dies or sleeps there when asked to."""

    def __init__(self, wanted: str) -> None:
        self.wanted, self.how = wanted[:-1], wanted[-1:]
        self.writer: Executor | None = None

    def reach(self, step: str) -> None:
        print(step, flush=True)  # noqa: T201 - the parent reads it
        if step == self.wanted:
            self.wanted = ""
            if self.how == "!":
                os.kill(os.getpid(), signal.SIGKILL)
            self._fall_asleep()

    def _fall_asleep(self) -> None:
        """Stop between two transactions: SQLite's lock is not kept asleep."""
        if self.writer is None:
            os.kill(os.getpid(), signal.SIGSTOP)
        else:
            self.writer.submit(os.kill, os.getpid(), signal.SIGSTOP).result()


class SteppingFetcher:
    def __init__(self, fetcher: Fetcher, steps: Script) -> None:
        self._fetcher, self._steps = fetcher, steps

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self._steps.reach("claimed")
        answer = await self._fetcher.fetch(ask)
        self._steps.reach("fetched")
        return answer

    async def close(self) -> None:
        await self._fetcher.close()


class SteppingStore(RefreshStore):
    def __init__(self, store: RefreshStore, steps: Script) -> None:
        self._store, self._steps = store, steps

    async def known(self, feed_id: int) -> Known:
        return await self._store.known(feed_id)

    async def store(self, refreshed: Refreshed, *, last: bool = False) -> Stored:
        self._steps.reach("judged")
        stored = await self._store.store(refreshed, last=last)
        self._steps.reach("stored")
        return stored


async def main(settings: Settings, steps: Script) -> None:
    async with open_container(settings) as container:
        if isinstance(container.work, SQLiteDatabase):
            steps.writer = container.work._writer
        worker: Worker = container.worker()
        worker.refresher = replace(
            worker.refresher,
            fetcher=SteppingFetcher(worker.refresher.fetcher, steps),
            store=SteppingStore(worker.refresher.store, steps),
        )
        await worker.feed_loop().drain()
        counts = worker.stats.summary() | {"lost": worker.stats.lost}
        print(json.dumps(counts), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    asyncio.run(main(Settings(**json.loads(sys.argv[1])), Script(sys.argv[2])))
