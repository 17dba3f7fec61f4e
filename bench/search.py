"""How long a search takes, and how that grows with the number of articles.

Somebody has 1,000 feeds and all the articles; somebody else has ten of the feeds. Words
are drawn as a language draws them: few are everywhere, most are rare. Searches go through
``/api/search`` in this process, a folder's and the directory's through their stores. The
words of every search are new, so nothing is found twice by the same question. CPU is that
of this process and of the database server together: what the time is on an idle machine.
"""

import asyncio
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import structlog

from bench.pages import Visitor
from bench.search_rows import FEEDS, Articles, day_of, fill_feeds, fill_postgres, fill_sqlite
from bench.tables import Table
from feedloom.app import Container, open_container
from feedloom.model.reader import DirectoryWanted, User, Wanted
from tests.containers import settings_for
from tests.databases import Databases, sqlite_databases
from tests.postgres import private_server

SMALL_FEEDS = 10
FOLDERS = 20
SEARCHES = 24
GOALS_MS = {"sqlite": 50, "postgresql": 100}
SIZES = {"sqlite": (10_000, 30_000, 100_000), "postgresql": (10_000, 100_000, 1_000_000)}
QUICK = {"sqlite": (2_000, 5_000), "postgresql": (2_000, 5_000)}
SERVER = {
    "shared_buffers": "1GB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "8GB",
    "autovacuum": "off",
}
"""A small database server of its own; nothing is vacuumed while others are measured."""

FetchRequest = Callable[[], Awaitable[int]]


def run(quick: bool) -> list[Table]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    sizes = QUICK if quick else SIZES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = asyncio.run(_measure(sqlite_databases(folder), folder, sizes["sqlite"]))
    with tempfile.TemporaryDirectory() as name, private_server(settings=SERVER) as made:
        databases = made.create_database("search")
        superuser = made.url("search", "superuser")
        server = Server(superuser, made.pid)
        tables += asyncio.run(_measure(databases, Path(name), sizes["postgresql"], server))
    return tables


@dataclass(frozen=True, slots=True)
class Server:
    """A database server: where it is filled, and its first process."""

    url: str
    pid: int

    def cpu_ns(self) -> int:
        """Add up what the processes of the server have worked so far."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        worked = 0
        for child in children.split():
            with suppress(OSError):
                worked += int(Path(f"/proc/{child}/schedstat").read_text().split()[0])
        return worked


Times = list[tuple[float, float]]
"""Milliseconds, and those of CPU, of each search."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a measurement needs: the container, and two people."""

    container: Container
    texts: Articles
    reader: User
    folders: Sequence[int]
    visitors: dict[str, Visitor]

    async def search(self, text: str, who: str = "reader") -> int:
        """Search as a program does; answer how many bytes were said."""
        path = f"/api/search?q={quote(text)}"
        status, size, *_ = await self.visitors[who].ask(path, ())
        if status != 200:
            raise RuntimeError(f"{path} answered {status}")
        return size

    async def in_folder(self, text: str) -> int:
        wanted = Wanted(text=text, folder_id=self.folders[3], limit=50)
        page = await self.container.services().reading.articles(self.reader.id, wanted)
        return len(page.articles)

    async def in_directory(self, text: str) -> int:
        directory = self.container.services().directory
        return len((await directory.search(DirectoryWanted(text, limit=50))).feeds)


def kinds_of(desk: Desk, size: int) -> dict[str, Iterator[FetchRequest]]:
    """Return the kinds of searches, each an endless supply of different ones."""
    common = itertools.cycle(desk.texts.words[2:40])
    some = itertools.cycle(desk.texts.words[300:1_200])
    rare = itertools.cycle(desk.texts.words[-3_000:])
    pairs = itertools.cycle(desk.texts.pairs)
    numbers = itertools.cycle(range(7, FEEDS, 13))

    def asking(
        text: Callable[[], str], how: Callable[[str], Awaitable[int]] = desk.search
    ) -> Iterator[FetchRequest]:
        while True:
            said = text()
            yield lambda said=said: how(said)  # type: ignore[misc]  # bound now

    return {
        "a common word": asking(lambda: next(common)),
        "a word of one article in a hundred": asking(lambda: next(some)),
        "a rare word": asking(lambda: next(rare)),
        "two common words": asking(lambda: f"{next(common)} {next(common)}"),
        "a common and a rare word": asking(lambda: f"{next(common)} {next(rare)}"),
        "four words": asking(lambda: " ".join(next(some) for _ in range(4))),
        "a phrase that is there": asking(lambda: f'"{next(pairs)}"'),
        "a phrase that is not": asking(lambda: f'"{next(some)} {next(rare)}"'),
        "common, without another": asking(lambda: f"{next(common)} -{next(common)}"),
        "common is:unread": asking(lambda: f"{next(common)} is:unread"),
        "some is:starred": asking(lambda: f"{next(some)} is:starred"),
        "common before:": asking(lambda: f"{next(common)} before:{day_of(size * 6 // 10)}"),
        "some after:": asking(lambda: f"{next(some)} after:{day_of(size * 4 // 10)}"),
        "common feed:": asking(lambda: f'{next(common)} feed:"number {next(numbers)} "'),
        "rare feed:": asking(lambda: f'{next(rare)} feed:"number {next(numbers)} "'),
        "common in a folder": asking(lambda: next(common), desk.in_folder),
        "some in a folder": asking(lambda: next(some), desk.in_folder),
        "a word that is nowhere": asking(lambda: f"{next(rare)}xq"),
        "ten feeds, a common word": asking(
            lambda: next(common), lambda text: desk.search(text, "small")
        ),
        "ten feeds, a rare word": asking(
            lambda: next(rare), lambda text: desk.search(text, "small")
        ),
        "the directory, a common word": asking(lambda: next(common), desk.in_directory),
        "the directory, two words": asking(
            lambda: f"{next(some)} {next(common)}", desk.in_directory
        ),
    }


async def _measure(
    databases: Databases, folder: Path, sizes: Sequence[int], server: Server | None = None
) -> list[Table]:
    texts = Articles(random.Random(5))
    times: dict[str, list[Times]] = {}
    async with open_container(settings_for(databases, folder)) as container:
        desk = await _furnish(container, texts)
        done = 0
        for size in sizes:
            began_at = time.perf_counter()
            if server:
                await fill_postgres(server.url, texts, range(done + 1, size + 1))
            else:
                await fill_sqlite(container.work, texts, range(done + 1, size + 1))
            took = time.perf_counter() - began_at
            print(f"{databases.kind}: {size:,} articles, {took:.0f} s", flush=True)
            done = size
            for kind, asks in kinds_of(desk, size).items():
                times.setdefault(kind, []).append(await _timed(asks, server))
    return [_table(databases.kind, sizes, times)]


async def _furnish(container: Container, texts: Articles) -> Desk:
    people, visitors = [], {}
    for name in ("reader", "small"):
        user = await container.accounts.register(f"{name}@example.org", "correct horse")
        signed = await container.accounts.sign_in(user, user_agent="bench", address="127.0.0.1")
        cookie = f"feedloom_session={signed.token}".encode()
        visitors[name] = Visitor(container.application(), cookie)
        people.append(user)
    folders = [
        await container.folders().ensure(people[0].id, (f"Folder {n}",)) for n in range(FOLDERS)
    ]
    other = await container.folders().ensure(people[1].id, ("Mine",))
    await fill_feeds(container.work, texts, people[0].id, folders)
    await fill_feeds(container.work, texts, people[1].id, [other], SMALL_FEEDS)
    await container.indexer().catch_up()
    return Desk(container, texts, people[0], folders, visitors)


async def _timed(asks: Iterator[FetchRequest], server: Server | None) -> Times:
    await next(asks)()
    times = []
    for ask in itertools.islice(asks, SEARCHES):
        worked = _cpu_ns(server)
        began_at = time.perf_counter()
        await ask()
        took = time.perf_counter() - began_at
        times.append((took * 1000, (_cpu_ns(server) - worked) / 1e6))
    return times


def _cpu_ns(server: Server | None) -> int:
    return time.process_time_ns() + (server.cpu_ns() if server else 0)


def _table(engine: str, sizes: Sequence[int], times: dict[str, list[Times]]) -> Table:
    goal = GOALS_MS[engine]
    columns = itertools.chain.from_iterable(
        (f"{size:,}: p95 ms", f"{size:,}: CPU") for size in sizes
    )
    table = Table(
        f"Search on {engine}, {FEEDS:,} feeds",
        ("search for", *columns, "growth of CPU"),
        note=(
            f"{SEARCHES} different searches each; the first page of fifty. CPU is p95 in"
            f" milliseconds, its growth that of the median. The goal is {goal} ms for p95"
            f" at {sizes[-1]:,} articles."
        ),
    )
    for kind, measured in times.items():
        table.add(kind, *_cells(measured))
    together = [
        [both for measured in times.values() for both in measured[place]]
        for place in range(len(sizes))
    ]
    table.add("all together", *_cells(together))
    return table


def _cells(measured: list[Times]) -> list[str | float]:
    cells: list[str | float] = []
    for each in measured:
        cells += [_p95([wall for wall, _ in each]), _p95([cpu for _, cpu in each])]
    least, *_, most = (statistics.median(cpu for _, cpu in each) for each in measured)
    return [*cells, f"x{most / least:.1f}"]


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]
