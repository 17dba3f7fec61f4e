"""A crowd of readers: each looks at pages and thinks, for a while.

Visitors with sessions go in; how long every page took and how it was answered comes
out. A reader asks again some seconds after an answer, as people do: what is measured is
the house under many people, not a house under siege.
"""

import asyncio
import os
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

PAGES = (
    "/read/all",
    "/read/unread",
    "/dashboard",
    "/ui/?view=feeds",
    "/feeds",
    "/search?q=entry",
    "/articles/{item}",
    "/articles/{item}",
)


@dataclass(slots=True)
class Seen:
    """What the crowd saw."""

    took_s: list[float] = field(default_factory=list)
    answers: Counter[int] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)

    def note(self, path: str, status: int, took_s: float) -> None:
        self.took_s.append(took_s)
        self.answers[status] += 1
        self.slowest[path] = max(self.slowest.get(path, 0.0), took_s)

    def percentile(self, share: float) -> float:
        """Tell within what time this share of the pages came."""
        ordered = sorted(self.took_s)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]

    @property
    def failures(self) -> int:
        """Pages that were the server's fault, lost lines included."""
        return sum(n for status, n in self.answers.items() if not 200 <= status < 500)


@dataclass(frozen=True, slots=True)
class Reader:
    """A signed-in browser."""

    url: str
    cookie: str
    think_s: tuple[float, float]

    async def read(
        self, session: aiohttp.ClientSession, seen: Seen, until: float, seed: int
    ) -> None:
        """Look at pages until a moment."""
        chance = random.Random(seed)
        await asyncio.sleep(chance.uniform(0, self.think_s[1]))
        headers = {"Cookie": self.cookie, "Accept": "text/html"}
        while time.monotonic() < until:
            path = chance.choice(PAGES)
            began = time.monotonic()
            status = 0
            try:
                where = self.url + path.format(item=chance.randint(1, 40))
                async with session.get(where, headers=headers) as reply:
                    await reply.read()
                    status = reply.status
            except (aiohttp.ClientError, TimeoutError):
                pass
            seen.note(path, status, time.monotonic() - began)
            await asyncio.sleep(chance.uniform(*self.think_s))


async def gather(readers: list[Reader], for_s: float) -> Seen:
    """Let everybody read for so long."""
    seen = Seen()
    until = time.monotonic() + for_s
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=timeout,
    ) as session:
        await asyncio.gather(
            *(reader.read(session, seen, until, seed) for seed, reader in enumerate(readers))
        )
    return seen


def memory_mb(pid: int) -> float:
    """Tell how much memory a process uses."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_048_576
