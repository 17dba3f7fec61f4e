"""JSON lists per second, against a bare ASGI handler that returns the same bytes.

Both run under the same HTTP server with the same settings, one process each on the same
core; ``wrk`` has the other one. The bare handler knows nobody and reads nothing: it holds
a body and its headers and sends them, which is the most this server can do. Beside it
stands one that sends two headers only, its body's length and type. Ours signs the person
in by an app password, reads the rows and writes the answer each time.
"""

import asyncio
import tempfile
from functools import partial
from pathlib import Path

from bench.bare import answer, bare
from bench.pages import EACH, reader_with
from bench.rss import _feedloom, _hit
from bench.tables import Table
from feedloom.app import open_container
from feedloom.config import Settings
from tests.containers import settings_for
from tests.databases import sqlite_databases

SIZES, QUICK_SIZES = (10, 100, 1_000), (20,)
GOAL_MS = 5
ROUNDS = 3
"""The best of so many counts, for all alike: other work only ever takes away."""
LISTS = (
    ("50 articles", "/api/articles"),
    ("50 unread", "/api/articles?unread=true"),
    ("10 articles", "/api/articles?limit=10"),
    ("feeds", "/feeds"),
    ("folders", "/api/folders"),
)
_FEW = ("content-type", "content-length")


def run(quick: bool) -> list[Table]:
    seconds = 1 if quick else 2
    table = Table(
        "JSON lists, one core each, sqlite",
        (
            "list",
            "feeds",
            "articles",
            "kB",
            "bare/s",
            "ours/s",
            "bare CPU ms",
            "ours CPU ms",
            "of bare (CPU)",
            "of two headers (CPU)",
        ),
        note=f"Goal: at most {GOAL_MS} ms of CPU for 50 articles. The best of {ROUNDS} rounds"
        f" of {seconds} s, three times as long with 1,000 feeds.",
    )
    for feeds in QUICK_SIZES if quick else SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            settings = settings_for(sqlite_databases(folder), folder)
            secret = asyncio.run(_prepare(settings, feeds))
            # Long lists take longer, and everybody asks at once.
            _measure(table, settings, secret, feeds, seconds * (1 + feeds // 500))
    return [table]


async def _prepare(settings: Settings, feeds: int) -> str:
    """Fill an account; return an app password."""
    async with open_container(settings) as container:
        user, _ = await reader_with(container, feeds)
        _, secret = await container.accounts.add_app_password(user, "bench")
        return secret


def _measure(table: Table, settings: Settings, secret: str, feeds: int, seconds: int) -> None:
    headers = {"Authorization": f"Bearer {secret}", "Accept": "application/json"}
    folder = Path(settings.data_dir)
    hit = partial(_hit, headers=headers, known=False, seconds=seconds)
    with _feedloom(settings) as ours:
        for name, path in LISTS:
            body, said = answer(ours, path, headers, "json")
            few = {n: v for n, v in said.items() if n in _FEW}
            with bare(body, said, folder) as full, bare(body, few, folder) as barest:
                rounds = [
                    (hit(full, "/"), hit(ours, path), hit(barest, "/")) for _ in range(ROUNDS)
                ]
            most, mine, over = (
                max(speeds, key=lambda speed: speed.per_cpu_s)
                for speeds in zip(*rounds, strict=True)
            )
            table.add(
                name,
                feeds,
                feeds * EACH,
                len(body) / 1000,
                *(round(speed.per_s) for speed in (most, mine)),
                *(1000 / speed.per_cpu_s for speed in (most, mine)),
                *(f"{mine.per_cpu_s / s.per_cpu_s:.0%}" for s in (most, over)),
            )
