"""The nemesis: sends signals to workers it had forked, and writes them down.

It knows the pids of its own workers only and never signals anything else. A worker that
is stopped is continued after its pause by whoever asked for it; at the end everything
that lives is killed.
"""

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from feedloom.config import Settings
from tests.faults.lab.ledger import Ledger

ROOT = Path(__file__).parents[3]


@dataclass(slots=True)
class Nemesis:
    """Keeps a number of workers alive and ends them in all ways there are."""

    zygote: asyncio.subprocess.Process
    ledger: Ledger
    chance: random.Random
    workers: int
    alive: dict[int, float] = field(default_factory=dict)
    """Workers that run, and since when."""
    asleep: set[int] = field(default_factory=set)
    term_s: list[float] = field(default_factory=list)
    """How long workers took to end when asked to."""
    killed: int = 0
    filling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def fill(self) -> None:
        """Start workers until there are enough."""
        async with self.filling:
            await self._fill()

    async def _fill(self) -> None:
        for pid in [pid for pid in self.alive if not _lives(pid)]:
            self.alive.pop(pid)
            self.asleep.discard(pid)
        while len(self.alive) < self.workers:
            assert self.zygote.stdin is not None
            assert self.zygote.stdout is not None
            self.zygote.stdin.write(b"go\n")
            pid = int(await self.zygote.stdout.readline())
            self.alive[pid] = time.monotonic()

    def pick(self) -> int | None:
        """Choose a worker that is awake and had time to do something."""
        now = time.monotonic()
        awake = [
            pid for pid, since in self.alive.items() if pid not in self.asleep and now - since > 0.3
        ]
        return self.chance.choice(awake) if awake else None

    def kill(self, pid: int) -> None:
        """End a worker without a word."""
        self.alive.pop(pid, None)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.ledger.write("kill", pid=pid)
            self.killed += 1

    async def pause(self, pid: int, for_s: float) -> None:
        """Stop a worker in the middle of whatever it does; let it go on later."""
        self.asleep.add(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            self.ledger.write("stop", pid=pid)
            await asyncio.sleep(for_s)
            os.kill(pid, signal.SIGCONT)
        self.asleep.discard(pid)

    async def ask_to_end(self, pid: int, within_s: float) -> None:
        """Ask a worker to end and note how long it takes."""
        self.alive.pop(pid, None)
        began = time.monotonic()
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
            self.ledger.write("term", pid=pid)
        for _ in range(int(within_s * 50)):
            if not _lives(pid):
                break
            await asyncio.sleep(0.02)
        self.term_s.append(time.monotonic() - began)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@asynccontextmanager
async def nemesis(
    settings: Settings, ledger: Path, *, workers: int, seed: int
) -> AsyncIterator[Nemesis]:
    """Have a nemesis and its workers, and none of them afterwards."""
    zygote = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.faults.lab.hands",
        json.dumps(asdict(settings)),
        str(ledger),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    book = Ledger(ledger)
    made = Nemesis(zygote, book, random.Random(seed), workers)
    try:
        yield made
    finally:
        for pid in list(made.alive):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert zygote.stdin is not None
        zygote.stdin.close()
        await zygote.wait()
        book.close()
