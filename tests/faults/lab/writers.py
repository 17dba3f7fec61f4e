"""Writers to be killed: forked processes that do what people do and book what is acked.

    python -m tests.faults.lab.writers DATABASE_URL FOLDER

Each line on standard input makes it fork a writer that works until it is killed; its
pid is printed. What was acknowledged, and only that, is written to FOLDER/PID: a line
per folder, bookmark or delivery, after the store said that it is done.
"""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from msgspec.structs import replace

from feedloom.model.bookmarks import NewBookmark
from feedloom.model.stages import FeedToRefresh
from feedloom.store import BookmarkStore, DatabaseURL, open_database
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.faults.lab.orphans import end_with_parent
from tests.stores import Stores, article, refreshed

AT_ONCE = 5
"""Articles of one delivery: all of them are stored, or none."""


class Acked:
    """Notes what was acknowledged, in single writes."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, kind: str, name: str) -> None:
        os.write(self._file, f"{kind} {name}\n".encode())


async def write(url: str, folder: Path) -> None:
    """Do what people and workers do, for ever."""
    database = await open_database(DatabaseURL.parse(url), worker=True, size=2)
    stores = Stores(database, database)
    bookmarks = BookmarkStore(database)
    name = str(os.getpid())
    acked = Acked(folder / name)
    # Everybody is somebody else: nobody may have folders without number.
    ada = await stores.person(f"w{name}-{time.time_ns()}@example.org")
    source = f"https://site-{name}.example/feed.xml"
    await stores.subscriptions.subscribe(ada.id, source)
    acked.note("feed", source)
    feed = await first_claim(stores, source)
    number = 0
    while True:
        number += 1
        title = f"{name}-{number}"
        await stores.folders.create(ada.id, title)
        acked.note("folder", title)
        page = NewBookmark(f"https://pages.example/{title}", title, "", ("kept",))
        await bookmarks.add(ada.id, page)
        acked.note("bookmark", title)
        feed = replace(feed, lease_token=title)
        await database.write(WORKER, lease, feed)
        articles = tuple(article(f"{title}-{n}") for n in range(AT_ONCE))
        stored = await stores.refreshes.store(refreshed(feed, articles))
        # Another writer that begins may have claimed the feed in between.
        if not stored.lease_lost:
            acked.note("delivery", title)


def lease(feed: FeedToRefresh) -> Script[None]:
    """Lease the writer's own feed, whoever else claims just now."""
    yield sql(
        "UPDATE feed_schedules SET lease_token = :token, attempts = 1,"
        " locked_until = now_us() + 60000000, due_at = now_us() + 60000000 WHERE feed_id = :id",
        token=feed.lease_token,
        id=feed.feed_id,
    )


async def first_claim(stores: Stores, source: str) -> FeedToRefresh:
    """Claim one's own feed and give back what belongs to the other writers."""
    while True:
        await stores.operations.make_due(source, everything=False)
        claimed = await stores.queue.claim(1000)
        await stores.queue.release([feed for feed in claimed if feed.url != source])
        for feed in claimed:
            if feed.url == source:
                return feed


def main(url: str, folder: Path) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            end_with_parent()
            asyncio.run(write(url, folder))
        print(pid, flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
