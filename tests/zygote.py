"""A process that has everything imported and forks workers that can be killed.

    python -m tests.zygote SETTINGS_JSON

Each line on standard input makes it fork a worker that refreshes what is due until it
is killed; the worker's pid is printed. Forking costs milliseconds where starting Python
costs a second, so a test can afford hundreds of kills.
"""

import asyncio
import json
import os
import signal
import sys

import structlog

from feedloom.app import open_container
from feedloom.config import Settings
from feedloom.flow.worker.worker import Worker


async def work(settings: Settings) -> None:
    async with open_container(settings, migrate=False) as container:
        worker: Worker = container.worker()
        await worker.feed_loop().run(asyncio.Event())


def main(settings: Settings) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Standard output is for pids alone.
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asyncio.run(work(settings))
            os._exit(0)
        print(pid, flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main(Settings(**json.loads(sys.argv[1])))
