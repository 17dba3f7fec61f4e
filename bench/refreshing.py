"""Refreshing feeds from a loopback farm: ours beside ``reader``, in one run.

Each measurement is a process of its own, so that CPU seconds and peak memory are its
own; the processes that help it count too. The farm gives ten feeds one host (127.x.y.z),
whose connections are used again then, or every feed a host of its own: that farm tells
what connecting costs on top, half of which is the system's own work for both ends. It
stays on one processor, so that it does not push aside whoever just asked it; those
measured may use both. Search indexing follows by queue and is timed apart.
"""

import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from bench.tables import Table
from tests import postgres

ROOT = Path(__file__).parents[1]
PORT = 8941
PASSES = ("first", "304", "unchanged", "10 % changed")
ROUNDS = 3
"""Neighbours on one processor slow it down for a while, and not for all alike."""


def run(quick: bool) -> list[Table]:
    feeds = 100 if quick else 500
    sizes = (100, 200, 400) if quick else (500, 2_000, 5_000)
    beside = [_beside_reader(feeds, hosts) for hosts in (feeds, feeds // 10)]
    return [*beside, *(_growth(engine, sizes) for engine in ("sqlite", "postgresql"))]


def _beside_reader(feeds: int, hosts: int) -> Table:
    table = Table(
        f"refresh of {feeds} feeds x 50 entries x 60 KB on {hosts} hosts",
        ("who", "pass", "seconds", "feeds/s", "CPU s", "peak MB", "x reader"),
        note="x reader: how many times as fast, wall time. Each was measured"
        f" {ROUNDS} times, in turns; of each pass the middle one counts.",
    )
    rounds = [
        (
            _measured("reader", feeds, hosts),
            _on("sqlite", feeds, hosts),
            _on("postgresql", feeds, hosts),
        )
        for _ in range(ROUNDS)
    ]
    theirs, ours, others = map(_middle, zip(*rounds, strict=True))
    for name, result in (
        ("reader", theirs),
        ("feedloom, SQLite", ours),
        ("feedloom, PostgreSQL", others),
    ):
        for step in PASSES:
            if step not in result:
                continue
            wall, cpu = result[step]
            ratio = theirs[step][0] / wall if step in theirs else 0.0
            table.add(name, step, wall, round(feeds / wall), cpu, result["peak"][0], ratio)
    table.add("feedloom, SQLite", "indexing", *ours["index"][:1], "", ours["index"][1], "", "")
    return table


def _middle(results: tuple[dict[str, list[float]], ...]) -> dict[str, list[float]]:
    """Return of each pass the one that took neither longest nor shortest."""
    return {
        step: sorted(result[step] for result in results)[len(results) // 2] for step in results[0]
    }


def _growth(engine: str, sizes: tuple[int, ...]) -> Table:
    table = Table(
        f"growth: time per feed, {engine}",
        ("feeds", "first ms", "304 ms", "peak MB"),
        note="All sizes were measured twice, in turns; of each pass the quicker one"
        " counts, and the larger peak.",
    )
    rounds = [{feeds: _on(engine, feeds, feeds) for feeds in sizes} for _ in range(2)]
    for feeds in sizes:
        both = [results[feeds] for results in rounds]
        first, again = (min(one[step][0] for one in both) for step in ("first", "304"))
        peak = max(one["peak"][0] for one in both)
        table.add(feeds, 1000 * first / feeds, 1000 * again / feeds, peak)
    return table


def _on(engine: str, feeds: int, hosts: int) -> dict[str, list[float]]:
    if engine == "sqlite":
        return _measured(engine, feeds, hosts)
    with postgres.private_server() as server:
        urls = server.create_database("bench")
        return _measured(engine, feeds, hosts, urls.web_url, urls.worker_url)


def _measured(who: str, feeds: int, hosts: int, *urls: str) -> dict[str, list[float]]:
    with farm(feeds=feeds, hosts=hosts):
        found: dict[str, list[float]] = json.loads(apart("bench.refreshing", who, *urls))
    return found


@contextmanager
def farm(**plan: object) -> Iterator[None]:
    """Run a farm on one processor; its options are those of ``farm.py``."""
    words = [f"--{name}={value}" for name, value in plan.items()]
    running = subprocess.Popen(
        [sys.executable, "bench/farm.py", f"--port={PORT}", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    os.sched_setaffinity(running.pid, {max(os.sched_getaffinity(running.pid))})
    running.stdout.readline()
    try:
        yield
    finally:
        running.kill()
        running.wait()


def apart(module: str, *words: str) -> str:
    """Run a module in a process of its own; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def ask_farm(path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    connection.request("GET", path)
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that help it, or did."""
    own = psutil.Process().cpu_times()
    spent = time.process_time() + own.children_user + own.children_system
    for helper in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            times = helper.cpu_times()
            spent += times.user + times.system
    return spent


class Watch:
    """Times steps of this process."""

    def __init__(self) -> None:
        self.found: dict[str, list[float]] = {}
        self.helpers = 0

    def time(self, name: str, work: Callable[[], object]) -> None:
        cpu, wall = cpu_seconds(), time.perf_counter()
        work()
        self.found[name] = [round(time.perf_counter() - wall, 4), round(cpu_seconds() - cpu, 4)]

    def look_at_helpers(self) -> None:
        """Remember how much memory the processes have that help this one."""
        for helper in psutil.Process().children(recursive=True):
            self.helpers += helper.memory_full_info().uss

    def end(self) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        peak += self.helpers / 1024 / 1024
        print(json.dumps(self.found | {"peak": [round(peak)]}))


def _reader() -> None:
    from reader import make_reader

    watch = Watch()
    with tempfile.TemporaryDirectory() as folder:
        reader = make_reader(f"{folder}/reader.db")
        for url in ask_farm("/_urls").split():
            reader.add_feed(url)
        for step in ("first", "304"):
            watch.time(step, lambda: reader.update_feeds(workers=10, scheduled=False))
        ask_farm("/_bump?percent=10")
        watch.time("10 % changed", lambda: reader.update_feeds(workers=10, scheduled=False))
        entries, feeds = reader.get_entry_counts().total, reader.get_feed_counts().total
        assert entries is not None
        assert feeds is not None
        assert entries >= 50 * feeds
    watch.end()


def _ours(web_url: str, worker_url: str) -> None:
    import asyncio

    import uvloop

    from feedloom.app import open_container
    from feedloom.config import Settings
    from feedloom.processes import tune_interpreter
    from feedloom.store.engine.scripts import WORKER, Script, sql

    watch = Watch()
    tune_interpreter()

    def forget_validators() -> Script[None]:
        yield sql("UPDATE feeds SET etag = NULL, last_modified = NULL")

    async def timed(name: str, work: Callable[[], Awaitable[object]]) -> None:
        cpu, wall = cpu_seconds(), time.perf_counter()
        await work()
        watch.found[name] = [round(time.perf_counter() - wall, 4), round(cpu_seconds() - cpu, 4)]

    async def main(folder: str) -> None:
        settings = Settings(
            data_dir=folder,
            database_url=web_url,
            worker_database_url=worker_url,
            allow_networks="127.0.0.0/8",
            host_delay=0.0,
        )
        async with open_container(settings) as container:
            person = await container.accounts.store.create("a@example.org", "no password")
            for url in ask_farm("/_urls").split():
                await container.subscribing().add(person, url, exact=True)
            operations = container.operations()

            async def refresh() -> None:
                await container.worker().feed_loop().drain()

            await timed("first", refresh)
            watch.look_at_helpers()
            await timed("index", container.indexer().catch_up)
            await operations.make_due(None, everything=True)
            await timed("304", refresh)
            await container.work.write(WORKER, forget_validators)
            await operations.make_due(None, everything=True)
            await timed("unchanged", refresh)
            await asyncio.to_thread(ask_farm, "/_bump?percent=10")
            await operations.make_due(None, everything=True)
            await timed("10 % changed", refresh)

    with tempfile.TemporaryDirectory() as folder:
        uvloop.run(main(folder))
    watch.end()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["reader"]:
            _reader()
        case [_, web_url, worker_url]:
            _ours(web_url, worker_url)
        case _:
            _ours("", "")
