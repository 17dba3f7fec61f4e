"""How long a feed that somebody just added waits beside a backlog.

So many feeds were fetched before and are long overdue; workers, processes of their own,
are going through them. Then a feed is added by hand. Seconds count from the moment it is
asked for until its articles are stored; the column beside them tells how many overdue
feeds were stored in that time. The farm answers at once and gives every feed a host.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from bench.refreshing import ROOT, ask_farm, farm
from bench.tables import Table
from feedloom.app import Container, open_container
from feedloom.config import Settings
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from tests import postgres

BEGUN = 200
"""So many overdue feeds are stored before the new one is added."""
LONGEST_S = 120
_COLUMNS = ("engine", "workers", "overdue feeds", "seconds", "stored meanwhile", "of the backlog")


def run(quick: bool) -> list[Table]:
    feeds = 1_000 if quick else 10_000
    table = Table("a feed added beside a backlog", _COLUMNS)
    with farm(feeds=feeds + 1, entries=10, size=12_000):
        with tempfile.TemporaryDirectory() as folder:
            table.add("SQLite", 1, feeds, *asyncio.run(_measure(folder, 1)))
        for workers in (1, 4):
            with (
                postgres.private_server(fsync=True) as server,
                tempfile.TemporaryDirectory() as folder,
            ):
                urls = server.create_database("bench")
                found = asyncio.run(_measure(folder, workers, urls.web_url, urls.worker_url))
                table.add("PostgreSQL", workers, feeds, *found)
    return [table]


async def _measure(
    folder: str, workers: int, web_url: str = "", worker_url: str = ""
) -> tuple[float, int, str]:
    settings = Settings(
        data_dir=folder,
        database_url=web_url,
        worker_database_url=worker_url,
        allow_networks="127.0.0.0/8",
        host_delay=0.0,
    )
    *overdue, new = ask_farm("/_urls").split()
    async with open_container(settings) as container:
        person = await container.accounts.store.create("a@example.org", "no password")
        await container.work.write(WORKER, _backlog, overdue)
        with _working(settings, workers):
            await _until(container, BEGUN)
            before = await container.work.read(WORKER, _stored)
            began = perf_counter()
            added = await container.subscribing().add(person, new, exact=True)
            assert added.subscription is not None
            assert added.subscription.feed_id is not None
            await _until(container, 1, added.subscription.feed_id)
            took_s = perf_counter() - began
            meanwhile = await container.work.read(WORKER, _stored) - before
    return took_s, meanwhile, f"{meanwhile / len(overdue):.1%}"


async def _until(container: Container, count: int, feed_id: int = 0) -> None:
    async with asyncio.timeout(LONGEST_S):
        while await container.work.read(WORKER, _stored, feed_id) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _stored(feed_id: int = 0) -> Script[int]:
    """Count the feeds that workers stored by now, or look at one."""
    rows = yield sql(
        "SELECT count(*) AS n FROM feeds WHERE last_success_at > 1 AND (:id = 0 OR id = :id)",
        id=feed_id,
    )
    return int(rows[0]["n"])


def _backlog(urls: list[str]) -> Script[None]:
    hosts = [url.split("/")[2].split(":")[0] for url in urls]
    # The database counts from one for the feed that is added; these are far away.
    rows = list(enumerate(zip(urls, hosts, strict=True), 1_000_000))
    yield Insert(
        "feeds",
        (
            *("id", "url", "url_key", "host_key", "created_at", "updated_at"),
            *("last_attempt_at", "last_success_at"),
        ),
        [(n, url, url.partition("//")[2], host, 0, 0, 1, 1) for n, (url, host) in rows],
    )
    yield Insert(
        "feed_schedules",
        ("feed_id", "host_key", "next_run_at", "due_at", "reason"),
        [(n, host, n, n, "{}") for n, (_, host) in rows],
    )


@contextmanager
def _working(settings: Settings, count: int) -> Iterator[None]:
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "src"),
        "FEEDLOOM_DATA_DIR": settings.data_dir,
        "FEEDLOOM_DATABASE_URL": settings.database_url,
        "FEEDLOOM_WORKER_DATABASE_URL": settings.worker_database_url,
        "FEEDLOOM_ALLOW_NETWORKS": settings.allow_networks,
        "FEEDLOOM_HOST_DELAY": "0",
    }
    command = [sys.executable, "-m", "feedloom", "worker"]
    with tempfile.TemporaryFile() as log:
        running = [
            subprocess.Popen(command, env=environment, stdout=log, stderr=log) for _ in range(count)
        ]
        try:
            yield
        finally:
            for each in running:
                each.terminate()
            for each in running:
                each.wait()
