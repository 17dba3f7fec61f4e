"""Workers to be killed: a process that has everything imported and forks them.

    python -m tests.faults.lab.hands SETTINGS_JSON LEDGER

Each line on standard input makes it fork a worker that runs tasks until it is killed or
told to end; its pid is printed. The worker is the real one but for what its tasks do:
they begin and end in the ledger, and those whose payload says so die at a named point.
"""

import asyncio
import json
import logging
import os
import random
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import structlog

from feedloom.app import open_container
from feedloom.config import Settings
from feedloom.model.errors import LeaseLost
from feedloom.model.work import Task, TaskKind
from feedloom.store import TaskQueue
from tests.faults.lab.ledger import Ledger
from tests.faults.lab.orphans import end_with_parent

POINTS = ("claimed", "half", "worked", "settled")


class BookedQueue:
    """A task queue whose answers are written into the ledger."""

    def __init__(self, queue: Any, ledger: Ledger) -> None:
        self._queue, self._ledger = queue, ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    async def claim(self, limit: int, *, for_people: bool | None = None) -> list[Task]:
        tasks: list[Task] = await self._queue.claim(limit, for_people=for_people)
        for task in tasks:
            self._ledger.write("claim", task.id, task.lease_token or "-")
        return tasks

    async def finish(self, task: Task, result: Mapping[str, object]) -> None:
        token = task.lease_token or "-"
        try:
            await self._queue.finish(task, result)
        except LeaseLost:
            self._ledger.write("refused", task.id, token)
            raise
        # Between the commit and this line a kill leaves the database ahead of the
        # ledger, never behind it: what the ledger says was accepted is accepted.
        maybe_die(task, "settled", self._ledger)
        self._ledger.write("accepted", task.id, token)


def maybe_die(task: Task, point: str, ledger: Ledger) -> None:
    """Die here when the task says so: the first time, or each time (poison)."""
    wanted = task.payload.get("die")
    if wanted != point or (task.attempts > 1 and not task.payload.get("poison")):
        return
    ledger.write("kill")
    os.kill(os.getpid(), signal.SIGKILL)


async def work(settings: Settings, ledger: Ledger) -> None:
    async with open_container(settings, migrate=False) as container:
        worker = container.worker()
        queue = BookedQueue(worker.tasks, ledger)

        async def run(task: Task) -> Mapping[str, object]:
            ledger.write("begin", task.id, task.lease_token or "-")
            maybe_die(task, "claimed", ledger)
            await asyncio.sleep(float(str(task.payload["s"])) / 2)
            if random.random() < 0.05:
                await queue.progress(task, {"half": task.lease_token})
            maybe_die(task, "half", ledger)
            await asyncio.sleep(float(str(task.payload["s"])) / 2)
            maybe_die(task, "worked", ledger)
            return {"token": task.lease_token}

        worker.tasks = cast("TaskQueue", queue)
        worker.task_slots = 8
        worker.handlers = {TaskKind.TOPIC: run}
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await worker.task_loop().run(stop)


def main(settings: Settings, path: Path) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            end_with_parent()
            random.seed()
            asyncio.run(work(settings, Ledger(path)))
            os._exit(0)
        print(pid, flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main(Settings(**json.loads(sys.argv[1])), Path(sys.argv[2]))
