"""Feeds and short articles for the search benchmark, written in bulk.

Numbers go in, rows come out: the same ones for the same numbers. What the indexer would
write is written as the indexer writes it; on PostgreSQL by one statement for all, since a
million articles one by one would take longer than everything that is measured.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import asyncpg

from feedloom.store import IndexStore
from feedloom.store.engine.scripts import WORKER, Database, Insert, Script, sql

FEEDS = 1_000
_VOCABULARY = 20_000
_TITLE, _BODY = 6, 34
_NOW_US = 1_780_000_000_000_000
_SPAN_US = 365 * 86_400_000_000
_GAP_US = _SPAN_US // 1_000_000
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


class Articles:
    """Words of a made-up language, and articles made of them."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        made = itertools.product(_SYLLABLES, repeat=3)
        self.words = ["".join(each) for each in itertools.islice(made, _VOCABULARY)]
        dice.shuffle(self.words)
        self._weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(_VOCABULARY)))
        self.pairs: list[str] = []
        """Some neighbours, as phrases to look for."""

    def drawn(self, count: int) -> list[str]:
        """Draw words, the common ones often."""
        return self._dice.choices(self.words, cum_weights=self._weights, k=count)

    def text(self, number: int) -> tuple[int, str, str]:
        """Return an article: number, title, body."""
        words = self.drawn(_TITLE + _BODY)
        if number % 97 == 0 and len(self.pairs) < 5_000:
            self.pairs.append(" ".join(words[_TITLE : _TITLE + 2]))
        return number, " ".join(words[:_TITLE]), " ".join(words[_TITLE:])


async def fill_feeds(
    database: Database, texts: Articles, user_id: int, folders: Sequence[int], count: int = FEEDS
) -> None:
    """Let somebody have feeds; they are listed in the directory, too."""
    await database.write(WORKER, _fill_feeds, texts, user_id, folders, count)


def _fill_feeds(texts: Articles, user_id: int, folders: Sequence[int], count: int) -> Script[None]:
    numbers = range(1, count + 1)
    known = yield sql("SELECT id FROM feeds")
    if not known:
        yield Insert(
            "feeds",
            (
                *("id", "url", "url_key", "host_key", "title", "description", "topic"),
                *("topic_status", "state", "in_directory", "created_at", "updated_at"),
            ),
            [_feed(n, texts) for n in numbers],
        )
        yield Insert("index_queue", ("kind", "id"), [("feed", n) for n in numbers])
    yield Insert(
        "subscriptions",
        ("user_id", "feed_id", "folder_id", "added_at", "seeded"),
        [(user_id, n, folders[n % len(folders)], _NOW_US, True) for n in numbers],
    )


def _feed(n: int, texts: Articles) -> tuple[object, ...]:
    url = f"https://site{n}.example/feed"
    title = f"Site number {n} about {' '.join(texts.drawn(3))}"
    text = " ".join(texts.drawn(20))
    return (
        *(n, url, f"k{n}", f"h{n}", title, text, "news", "approved", "healthy", True),
        *(_NOW_US, _NOW_US),
    )


_FROM_WORDS = """
WITH a AS (SELECT n, n % {feeds} + 1 AS feed, title, body,
  {now} - {span} + CAST(n AS BIGINT) * {gap} + n % 7 * 3600000000 AS at FROM words)
"""
_ARTICLES = """
INSERT INTO articles (id, feed_id, guid, guid_hash, url, url_hash, title, content, summary,
  enclosures, categories, rtl, published_at, fetched_at, content_hash, fingerprint,
  cluster_key)
{words} SELECT n, feed, 'g' || n, 'g' || n, 'https://site.example/' || n, 'u' || n, title,
  '<p>' || body || '</p>', substr(body, 1, 120), '[]', '[]', false, at, at, 'c' || n,
  'f' || n, 'k' || n FROM a
"""
_STATES = """
INSERT INTO article_states (article_id, user_id, subscription_id, item_no, arrived_at,
  published_at, unread, starred, last_modified)
{words} SELECT a.n, s.user_id, s.id, a.n, a.at, a.at, a.n % 20 = 0, a.n % 200 = 0, a.at
FROM a JOIN subscriptions s ON s.feed_id = a.feed
"""
_INDEX = """
INSERT INTO article_index (article_id, words) SELECT n,
  setweight(to_tsvector('simple', title), 'A') || to_tsvector('simple', body) FROM words
"""


_COUNTED = """
UPDATE users SET next_item_no = 1 + (SELECT coalesce(max(t.item_no), 0)
  FROM article_states t WHERE t.user_id = users.id)
"""


def day_of(number: int) -> str:
    """Say the day on which an article appeared."""
    seconds = (_NOW_US - _SPAN_US + number * _GAP_US) // 1_000_000
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _batches(numbers: range, size: int) -> Iterator[range]:
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]


def _written(statement: str) -> str:
    words = _FROM_WORDS.format(feeds=FEEDS, now=_NOW_US, span=_SPAN_US, gap=_GAP_US)
    return statement.format(words=words)


async def fill_postgres(url: str, texts: Articles, numbers: range) -> None:
    """Add articles, with every index built when the rows are there."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("CREATE TEMP TABLE words (n INTEGER, title TEXT, body TEXT)")
        for batch in _batches(numbers, 50_000):
            rows = [texts.text(n) for n in batch]
            await connection.copy_records_to_table("words", records=rows)
        for statement in (
            "DROP INDEX article_index_words",
            _written(_ARTICLES),
            _written(_STATES),
            _INDEX,
            _COUNTED,
            "CREATE INDEX article_index_words ON article_index USING gin (words)",
            "VACUUM ANALYZE articles",
            "VACUUM ANALYZE article_states",
            "VACUUM ANALYZE article_index",
            "ANALYZE",
        ):
            await connection.execute(statement)
    finally:
        await connection.close()


async def fill_sqlite(database: Database, texts: Articles, numbers: range) -> None:
    """Add articles in batches and let the index store write their words."""
    index = IndexStore(database)
    for batch in _batches(numbers, 5_000):
        rows = [texts.text(n) for n in batch]
        await database.write(WORKER, _fill_some, rows)
        await index.save_articles([(n, title, "", body) for n, title, body in rows])
    await database.write(WORKER, _forget_words)


def _fill_some(rows: list[tuple[int, str, str]]) -> Script[None]:
    yield sql("CREATE TEMP TABLE IF NOT EXISTS words (n INTEGER, title TEXT, body TEXT)")
    yield sql("DELETE FROM words")
    yield Insert("words", ("n", "title", "body"), rows)
    yield sql(_written(_ARTICLES))
    yield sql(_written(_STATES))


def _forget_words() -> Script[None]:
    yield sql("DROP TABLE words")
    yield sql(_COUNTED)
