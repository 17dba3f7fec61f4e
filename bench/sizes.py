"""How much disk a feed, an article and a reader's relation to it take, on both engines.

Articles have 2.5 kB of content in words drawn as a language draws them (few are
everywhere, most are rare), so that they compress as real ones do. Search words are made
by the product's own indexer. Sizes are what the engine says each table takes with its
indexes and its compressed long values, divided by rows; no free space is counted that
updates leave behind.
"""

import asyncio
import itertools
import random
import tempfile
import time
from pathlib import Path

from bench.filling import Population, fill
from bench.tables import Table
from feedloom.app import Container, open_container
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from feedloom.store.search.search_index import queue_for_index
from tests import postgres
from tests.containers import settings_for
from tests.databases import Databases, sqlite_databases

SIZES, QUICK_SIZES = (2_000, 8_000, 32_000), (500, 1_000, 2_000)
EACH = 20
"""Articles of a feed."""
CONTENT_CHARS = 2_500
TABLES = {
    "a feed": ("feeds", "feed_schedules", "hosts"),
    "a subscription": ("subscriptions",),
    "an article": ("articles",),
    "its search words": ("article_index",),
    "a reader's state of it": ("article_states",),
}
_COLUMNS = (
    "id", "feed_id", "guid", "guid_hash", "url", "url_hash", "title", "content",
    "summary", "enclosures", "categories", "rtl", "published_at", "fetched_at",
    "content_hash", "fingerprint", "cluster_key",
)  # fmt: skip


def run(quick: bool) -> list[Table]:
    sizes = QUICK_SIZES if quick else SIZES
    table = Table(
        "bytes a row takes, with its indexes",
        ("engine", "articles", *TABLES, "article, of its text", "states/s"),
        note=(
            f"{EACH} articles a feed, {CONTENT_CHARS / 1000} kB of text each. The last"
            " column but one is an article with its search words against the bare text;"
            " states/s are rows written for readers in one statement."
        ),
    )
    for articles in sizes:
        with tempfile.TemporaryDirectory() as name:
            databases = sqlite_databases(Path(name))
            found = asyncio.run(_measure(databases, Path(name), articles))
            _add(table, "SQLite", articles, found)
    with postgres.private_server() as server:
        for articles in sizes:
            databases = server.create_database(f"sizes_{articles}")
            with tempfile.TemporaryDirectory() as name:
                found = asyncio.run(_measure(databases, Path(name), articles))
            _add(table, "PostgreSQL", articles, found)
    return [table]


def _add(table: Table, engine: str, articles: int, found: dict[str, float]) -> None:
    whole = found["an article"] + found["its search words"]
    table.add(
        engine,
        articles,
        *(round(found[name]) for name in TABLES),
        whole / CONTENT_CHARS,
        round(found["states_s"]),
    )


async def _measure(databases: Databases, folder: Path, articles: int) -> dict[str, float]:
    feeds = articles // EACH
    async with open_container(settings_for(databases, folder)) as container:
        await fill(container.work, Population(feeds, due=False, people=10, articles=0))
        await container.work.write(WORKER, _write, articles, feeds)
        await container.indexer().catch_up()
        began = time.perf_counter()
        await container.work.write(WORKER, _states)
        states_s = articles / (time.perf_counter() - began)
        counts = {"a feed": feeds, "a subscription": feeds}
        found = {
            name: await _bytes(container, names) / counts.get(name, articles)
            for name, names in TABLES.items()
        }
        return found | {"states_s": states_s}


async def _bytes(container: Container, names: tuple[str, ...]) -> int:
    def steps() -> Script[int]:
        if container.work.kind == "postgresql":
            rows = yield sql(
                "SELECT sum(pg_total_relation_size(t::regclass)) AS n"
                " FROM unnest(CAST(:names AS TEXT[])) t",
                names=list(names),
            )
        else:
            # A search index of SQLite is several tables, named after it.
            rows = yield sql(
                "SELECT sum(d.pgsize) AS n FROM dbstat d LEFT JOIN sqlite_master m"
                " ON m.name = d.name WHERE d.aggregate = 1 AND ("
                + " OR ".join(
                    f"m.tbl_name = '{name}' OR m.tbl_name LIKE '{name}\\_%' ESCAPE '\\'"
                    if name == "article_index"
                    else f"m.tbl_name = '{name}'"
                    for name in names
                )
                + ")"
            )
        return int(rows[0]["n"])

    return await container.work.read(WORKER, steps)


class _Language:
    """Words drawn by rank: the second is half as frequent as the first."""

    def __init__(self) -> None:
        self._chance = random.Random(5)
        letters = "etaoinshrdlucmfwypvbgk"
        self._words = [
            "".join(self._chance.choices(letters, k=self._chance.randint(2, 9)))
            for _ in range(20_000)
        ]
        weights = (1 / rank for rank in range(1, len(self._words) + 1))
        self._weights = list(itertools.accumulate(weights))

    def text(self, chars: int) -> str:
        words = self._chance.choices(self._words, cum_weights=self._weights, k=chars // 6 + 1)
        return " ".join(words)[:chars]

    def hash(self) -> str:
        return f"{self._chance.getrandbits(128):032x}"


def _write(articles: int, feeds: int) -> Script[None]:
    now: int = (yield sql("SELECT now_us() AS now"))[0]["now"]
    language = _Language()
    for start in range(0, articles, 2_000):
        numbers = range(start + 1, min(start + 2_000, articles) + 1)
        rows = [_article(language, n, n % feeds + 1, now - n) for n in numbers]
        yield Insert("articles", _COLUMNS, rows)
        yield from queue_for_index("article", list(numbers))


def _article(language: _Language, n: int, feed: int, at: int) -> tuple[object, ...]:
    url = f"https://site{feed}.example/{language.text(40).replace(' ', '-')}/{n}"
    content = f"<p>{language.text(CONTENT_CHARS)}</p>"
    return (
        n, feed, url, language.hash(), url, language.hash(), language.text(60), content,
        content[3:250], "[]", "[]", False, at, at, language.hash(), language.hash(),
        language.hash(),
    )  # fmt: skip


def _states() -> Script[None]:
    yield sql(
        "INSERT INTO article_states (article_id, user_id, subscription_id, item_no,"
        " arrived_at, published_at, unread, last_modified) SELECT a.id, s.user_id, s.id,"
        " a.id, a.fetched_at, a.published_at, a.id % 20 = 0, a.fetched_at FROM articles a"
        " JOIN subscriptions s ON s.feed_id = a.feed_id"
    )
