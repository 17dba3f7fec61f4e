"""Good feeds beside hosts that hang, drip or never end: what do the good ones lose?

A first refresh of feeds on hosts of their own, once alone and once among bad hosts, which
are a quarter of all: they take a connection and say nothing, send a byte a second, or send
without end (10 MB are read of that). Timed is how long it takes until every good feed is
stored. Publishers answer at once, which measures processors, or after a tenth of a second,
which measures connections. SQLite, 256 connections; the farm and its bad hosts are one
process beside ours on two processors.
"""

import json
import random
import resource
import tempfile
import time

from bench.refreshing import apart, ask_farm, farm
from bench.tables import Table

ROUNDS = 4
COMPANY = {
    "nobody else": {},
    "25 % hang": {"hang": 25},
    "25 % drip": {"drip": 25},
    "25 % without end": {"endless": 25},
    "10 % hang, 10 % drip, 5 % without end": {"hang": 10, "drip": 10, "endless": 5},
}
"""Shares of all hosts."""


def run(quick: bool) -> list[Table]:
    feeds = 150 if quick else 600
    return [_beside(feeds, answer_s) for answer_s in (0.0, 0.1)]


def _beside(feeds: int, answer_s: float) -> Table:
    when = f"after {answer_s} s" if answer_s else "at once"
    table = Table(
        f"{feeds} good feeds that answer {when}, x 50 entries x 60 KB",
        ("beside them", "bad hosts", "seconds", "good feeds/s", "of alone", "peak MB"),
        note=f"Each was measured {ROUNDS} times, in turns; the quickest counts,"
        " and the largest peak.",
    )
    rounds = [
        [_measured(feeds, answer_s, shares) for shares in COMPANY.values()] for _ in range(ROUNDS)
    ]
    found = [tuple(zip(*ones, strict=True)) for ones in zip(*rounds, strict=True)]
    alone_s = min(found[0][0])
    for (name, shares), (times, peaks) in zip(COMPANY.items(), found, strict=True):
        seconds = min(times)
        bad = sum(_bad(feeds, shares).values())
        rate = round(feeds / seconds)
        table.add(name, bad, seconds, rate, f"{alone_s / seconds:.0%}", max(peaks))
    return table


def _bad(feeds: int, shares: dict[str, int]) -> dict[str, int]:
    """Return how many hosts of each kind are such shares of all."""
    good = 100 - sum(shares.values())
    return {kind: round(feeds * share / good) for kind, share in shares.items()}


def _measured(feeds: int, answer_s: float, shares: dict[str, int]) -> tuple[float, float]:
    with farm(feeds=feeds, delay=answer_s, **_bad(feeds, shares)):
        seconds, peak = json.loads(apart("bench.bad_hosts"))
    return seconds, peak


def _ours() -> None:
    import asyncio

    import uvloop

    from feedloom.app import open_container
    from feedloom.config import Settings
    from feedloom.flow.metrics import PassStats
    from feedloom.processes import tune_interpreter

    tune_interpreter()

    async def main(folder: str) -> float:
        settings = Settings(data_dir=folder, allow_networks="127.0.0.0/8", host_delay=0.0)
        good, bad = ask_farm("/_urls").split(), ask_farm("/_bad").split()
        every = [*good, *bad]
        random.Random(5).shuffle(every)
        async with open_container(settings) as container:
            person = await container.accounts.store.create("a@example.org", "no password")
            for url in every:
                await container.subscribing().add(person, url, exact=True)
            worker, stop = container.worker(), asyncio.Event()
            all_stored = asyncio.Event()

            def look(stats: PassStats) -> None:
                if stats.outcomes["new"] == len(good):
                    all_stored.set()

            worker.on_progress = look
            began = time.perf_counter()
            running = asyncio.create_task(worker.feed_loop().run(stop))
            await all_stored.wait()
            seconds = time.perf_counter() - began
            stop.set()
            await running
            return seconds

    with tempfile.TemporaryDirectory() as folder:
        seconds = uvloop.run(main(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps([round(seconds, 3), peak]))


if __name__ == "__main__":
    _ours()
