"""A house whose disk fills up and gets room again, many times; a program.

    python -m tests.faults.lab.full_disk sqlite|postgresql EPISODES

It enters a mount namespace, puts the database on a small disk and prints, as JSON, what
people saw while it was full, and whether everything went on when it was not.
"""

import asyncio
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from feedloom.app import Container
from feedloom.store import DatabaseURL, find_faults
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.databases import Databases, sqlite_databases
from tests.factories_feeds import FeedEntry, entry
from tests.faults.lab.disks import SmallDisk, leave_shared_mounts
from tests.postgres import WORKER_ROLE, hand_over, private_server
from tests.publisher import Publisher, PublisherThread
from tests.serving import HTML, Server, Visitor, open_server

PER_EPISODE = 12
FIRST = 3
LETTERS = 60_000
LEFT = 200_000
RECOVERY_S = 10.0


@contextmanager
def small_disk(megabytes: int) -> Iterator[SmallDisk]:
    """Have a small disk in a folder that a database server of another user can reach."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        place = folder / "small"
        place.mkdir()
        disk = SmallDisk(place, megabytes)
        tables = place / "tables"
        tables.mkdir()
        hand_over(tables)
        try:
            yield disk
        finally:
            disk.close()


@contextmanager
def databases_on(kind: str, place: Path) -> Iterator[Databases]:
    """Have a database whose tables are on the small disk."""
    if kind == "sqlite":
        yield sqlite_databases(place)
        return
    with private_server() as server:
        # The disk of the tables is full, that of the log is not: a server whose log
        # cannot be written stops itself, which is another test.
        server.sql(f"CREATE TABLESPACE small LOCATION '{place / 'tables'}'")
        server.sql(
            f"CREATE DATABASE full_one TEMPLATE template0 OWNER {WORKER_ROLE} TABLESPACE small"
        )
        yield server.databases("full_one")


class Episodes:
    """What is seen, over and over."""

    def __init__(self, server: Server, publisher: Publisher, disk: SmallDisk) -> None:
        self.server, self.publisher, self.disk = server, publisher, disk
        self.seen: dict[str, Counter[str]] = {
            "reads": Counter(),
            "writes": Counter(),
            "refreshes": Counter(),
            "after": Counter(),
        }
        self.halves = 0
        self.slowest_s = 0.0
        self.number = 0

    async def run(self, visitor: Visitor) -> None:
        """Publish too much for a full disk, look around, make room, look again."""
        self.number += 1
        before = await self.stored()
        # The little that is left lets the worker claim what it then cannot store.
        self.disk.fill(but=LEFT)
        self.publisher.bump("/f.xml", *self.fresh())
        await self.server.call(make_due)
        await asyncio.sleep(1)
        full = await self.stored()
        self.seen["refreshes"]["stored" if full > before else "waited"] += 1
        self.halves += (full - before) % PER_EPISODE
        self.disk.fill()
        for path in ("/read/all", "/dashboard", "/api/folders", "/articles/1"):
            reply = await visitor.get(path, headers=HTML)
            self.seen["reads"][str(reply.status)] += 1
        self.seen["writes"][await self.save_until_full(visitor)] += 1
        self.disk.free()
        self.seen["after"][await self.save(visitor)] += 1
        self.seen["after"][await self.arrives(before + PER_EPISODE)] += 1

    async def arrives(self, wanted: int) -> str:
        """Wait until the worker stored by itself what it could not store before."""
        began = time.monotonic()
        found = await self.stored()
        while found < wanted and time.monotonic() - began < RECOVERY_S:
            await asyncio.sleep(0.1)
            found = await self.stored()
        self.halves += found % PER_EPISODE != FIRST % PER_EPISODE
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        return "stored" if found == wanted else "missing"

    def fresh(self) -> list[FeedEntry]:
        start = 1000 * self.number
        # Random letters, so that no engine makes them smaller than the room it has.
        return [
            entry(start + n, content=f"<p>{os.urandom(LETTERS // 2).hex()}</p>")
            for n in range(PER_EPISODE)
        ]

    async def save_until_full(self, visitor: Visitor) -> str:
        """Save pages until there is no room, which there may be a little of."""
        for _ in range(200):
            answer = await self.save(visitor)
            if not answer.startswith("2"):
                return answer
        return "never full"

    async def save(self, visitor: Visitor) -> str:
        text = os.urandom(2_000).hex()
        about = {"url": f"https://pages.example/{text[:16]}", "description": text}
        reply = await visitor.post("/api/bookmarks", json=about)
        return f"{reply.status}{'+' if 'Retry-After' in reply.headers else ''}"

    async def stored(self) -> int:
        def steps() -> Script[int]:
            rows = yield sql(
                "SELECT (SELECT count(*) FROM articles) AS a,"
                " (SELECT count(*) FROM article_states) AS s"
            )
            found: int = rows[0]["a"]
            self.halves += abs(found - rows[0]["s"])
            return found

        return await self.server.call(lambda container: container.work.read(WORKER, steps))


async def main(kind: str, episodes: int) -> dict[str, object]:
    with ExitStack() as stack:
        disk = stack.enter_context(small_disk(24 if kind == "sqlite" else 80))
        databases = stack.enter_context(databases_on(kind, disk.place))
        publisher = stack.enter_context(PublisherThread())
        server = stack.enter_context(open_server(databases, disk.place.parent, lease_seconds=2.0))
        visitor = await server.register("ada@example.org")
        url = publisher.feed("/f.xml")
        await server.call(lambda container: subscribe(container, url))
        await server.refresh_all()
        stop = asyncio.Event()
        working = asyncio.run_coroutine_threadsafe(server.container.keep_working(stop), server.loop)
        runs = Episodes(server, publisher, disk)
        for _ in range(episodes):
            await asyncio.to_thread(empty_log, disk.place)
            await runs.run(visitor)
            await asyncio.to_thread(empty_log, disk.place)
            await slim(server)
        server.loop.call_soon_threadsafe(stop.set)
        await asyncio.wrap_future(working)
        faults = await find_faults(DatabaseURL.parse(databases.worker_url))
    return {**runs.seen, "halves": runs.halves, "slowest_s": runs.slowest_s, "faults": faults}


async def make_due(container: Container) -> None:
    await container.operations().make_due(None, everything=True)


async def subscribe(container: Container, url: str) -> None:
    found = await container.accounts.store.by_email("ada@example.org")
    assert found is not None
    await container.subscribing().add(found[0], url, exact=True)


def empty_log(place: Path) -> None:
    """Have SQLite's log give its room back, which it keeps for later writes."""
    for path in place.glob("*.db"):
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def slim(server: Server) -> None:
    """Make room for the next episode."""

    def steps() -> Script[None]:
        yield sql("UPDATE articles SET content = ''")
        yield sql("UPDATE bookmarks SET description = ''")

    await server.call(lambda container: container.work.write(WORKER, steps))


if __name__ == "__main__":
    leave_shared_mounts()
    found = asyncio.run(main(sys.argv[1], int(sys.argv[2])))
    print(json.dumps(found))  # noqa: T201 - the test reads it
