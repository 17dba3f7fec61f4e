"""What it costs to tell the story of a new article, and what that costs a refresh.

A window of 72 hours is filled with headlines of a made-up language. Then 2,000 more
articles arrive in batches and are told as a worker does it: claimed, read, grouped and
written. CPU is that of the whole process. A worker that takes over reads the window
again; that is timed, too. The refresh is that of a farm on loopback, with and without a
teller beside it, in turns; of each the middle one counts.
"""

import asyncio
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import structlog

from bench.refreshing import apart, ask_farm, farm
from bench.search_rows import Articles, fill_feeds
from bench.tables import Table
from feedloom.app import open_container
from feedloom.config import Settings
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from tests.containers import settings_for
from tests.databases import sqlite_databases

MORE = 2_000
ROUNDS = 3
_END_US = 1_780_000_000_000_000
_WINDOW_US = 72 * 3_600_000_000
_COLUMNS = (
    *("id", "feed_id", "guid", "guid_hash", "url", "url_hash", "title", "content", "summary"),
    *("enclosures", "categories", "rtl", "published_at", "fetched_at", "content_hash"),
    *("fingerprint", "cluster_key"),
)


def run(quick: bool) -> list[Table]:
    sizes = (1_000, 3_000) if quick else (10_000, 30_000, 100_000)
    table = Table(
        "telling stories",
        ("articles in 72 h", "ms of CPU for a new one", "s to take over", "peak MB"),
    )
    for size in sizes:
        table.add(size, *json.loads(apart("bench.stories", "window", str(size))))
    feeds = 50 if quick else 500
    beside = Table(f"refresh of {feeds} feeds x 50 entries", ("teller", "seconds", "x alone"))
    found: dict[str, list[float]] = {"without": [], "with": []}
    for _ in range(1 if quick else ROUNDS):
        for who, seconds in found.items():
            with farm(feeds=feeds, hosts=feeds // 10):
                seconds.append(json.loads(apart("bench.stories", who)))
    alone, both = (sorted(seconds)[len(seconds) // 2] for seconds in found.values())
    beside.add("none", alone, 1.0)
    beside.add("beside it", both, both / alone)
    return [table, beside]


def _arrive(texts: Articles, first: int, count: int, gap_us: int) -> Script[None]:
    rows, waiting = [], []
    for n in range(first, first + count):
        _, title, body = texts.text(n)
        at = _END_US - _WINDOW_US + n * gap_us
        rows.append(
            (
                *(n, n % 1_000 + 1, f"g{n}", f"g{n}", f"https://site{n % 1_000}.example/{n}"),
                *(f"u{n}", title, f"<p>{body}</p>", body[:120], "[]", "[]", False, at, at),
                *(f"c{n}", f"f{n}", f"k{n}"),
            )
        )
        waiting.append((n, at))
    yield Insert("articles", _COLUMNS, rows)
    yield Insert("story_articles", ("article_id", "arrived_at"), waiting)


async def _window(size: int) -> list[float]:
    with tempfile.TemporaryDirectory() as name:
        settings = settings_for(sqlite_databases(Path(name)), Path(name))
        async with open_container(settings) as container:
            person = await container.accounts.store.create("a@example.org", "no password")
            texts, gap_us = Articles(random.Random(1)), _WINDOW_US // size
            [root] = await container.work.read(WORKER, _root)
            await fill_feeds(container.work, texts, person.id, [root])
            teller = container.story_teller()
            for first in range(1, size, 5_000):
                await container.work.write(WORKER, _arrive, texts, first, 5_000, gap_us)
                await teller.catch_up()
            await container.work.write(WORKER, _arrive, texts, size + 5_001, MORE, gap_us)
            began = time.process_time()
            told = await teller.catch_up()
            cost_ms = 1_000 * (time.process_time() - began) / told
            await teller.let_go()
            await container.work.write(WORKER, _arrive, texts, size + 8_000, 1, gap_us)
            began = time.perf_counter()
            await container.story_teller().catch_up()
            took_s = time.perf_counter() - began
    return [cost_ms, took_s, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]


def _root() -> Script[list[int]]:
    rows = yield sql("SELECT id FROM folders")
    return [row["id"] for row in rows]


async def _refresh(folder: str, *, with_teller: bool) -> float:
    settings = Settings(data_dir=folder, allow_networks="127.0.0.0/8", host_delay=0.0)
    async with open_container(settings) as container:
        person = await container.accounts.store.create("a@example.org", "no password")
        for url in ask_farm("/_urls").split():
            await container.subscribing().add(person, url, exact=True)
        stop = asyncio.Event()
        teller = asyncio.create_task(container.story_teller().run(stop)) if with_teller else None
        began = time.perf_counter()
        await container.worker().feed_loop().drain()
        took_s = time.perf_counter() - began
        stop.set()
        if teller is not None:
            await teller
    return took_s


if __name__ == "__main__":
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(40),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    match sys.argv[1:]:
        case ["window", size]:
            print(json.dumps(asyncio.run(_window(int(size)))))
        case [who]:
            import uvloop

            from feedloom.processes import tune_interpreter

            tune_interpreter()
            with tempfile.TemporaryDirectory() as folder:
                print(json.dumps(uvloop.run(_refresh(folder, with_teller=who == "with"))))
        case _:
            sys.exit("window SIZE, with, or without")
