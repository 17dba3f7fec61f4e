"""Databases with many feeds, made by the database itself: the same text on both engines.

How many goes in; feeds with hosts, schedules, subscriptions and articles come out. Rows
are as wide as real ones where a benchmark reads them; contents are short.
"""

from dataclasses import dataclass

from feedloom.store.engine.scripts import WORKER, Database, Script, sql

_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
_HOUR_US = 3_600_000_000


@dataclass(frozen=True, slots=True)
class Population:
    """How many of what."""

    feeds: int
    due: bool = True
    """Whether all feeds are due now, or none for a day."""
    shared: int = 0
    """Of a hundred feeds so many live on one of few hosts, as blogs on platforms do."""
    people: int = 100
    articles: int = 10
    """Of every tenth feed, half of them of this week."""


async def fill(database: Database, population: Population) -> None:
    """Fill an empty, migrated database."""
    for step in (_people, _feeds, _hosts, _schedules, _subscriptions, _articles):
        await database.write(WORKER, step, population)
    await database.write(WORKER, _analyze)
    if database.kind == "postgresql":
        await database.write(WORKER, _advance)


def _numbers(count: int) -> str:
    return _NUMBERS.format(count=count)


def _host(population: Population) -> str:
    """Say a feed's host as SQL: a platform's, or one of its own."""
    platforms = max(population.feeds // 1_000, 1)
    return (
        f"(CASE WHEN i % 100 < {population.shared}"
        f" THEN 'platform' || (i * 1009 % {platforms}) || '.example'"
        " ELSE 'site' || i || '.example' END)"
    )


def _people(population: Population) -> Script[None]:
    numbers = _numbers(population.people)
    yield sql(
        "INSERT INTO users (id, email, created_at)"
        f" {numbers} SELECT i, 'reader' || i || '@example.org', now_us() FROM n"
    )
    yield sql(
        f"INSERT INTO folders (id, user_id, name, is_root) {numbers} SELECT i, i, '', true FROM n"
    )


def _feeds(population: Population) -> Script[None]:
    host = _host(population)
    yield sql(
        "INSERT INTO feeds (id, url, url_key, host_key, title, site_url, state, etag,"
        " body_hash, last_fetch_status, last_success_at, created_at, updated_at)"
        f" {_numbers(population.feeds)} SELECT i, 'https://' || {host} || '/' || i,"
        f" {host} || '/' || i, {host}, 'Site number ' || i, 'https://' || {host},"
        " 'healthy', '\"' || (i * 1009) || '\"', 'body' || i, 'success',"
        " now_us(), now_us(), now_us() FROM n"
    )


def _hosts(_: Population) -> Script[None]:
    yield sql("INSERT INTO hosts (host_key) SELECT DISTINCT host_key FROM feeds")


def _schedules(population: Population) -> Script[None]:
    # Neighbours in time are no neighbours in the table, as after some days of work.
    spread = f"(id * 1009 % {population.feeds})"
    due = f"now_us() - {_HOUR_US} + {spread}"
    if not population.due:
        due = f"now_us() + {24 * _HOUR_US} + {spread}"
    yield sql(
        "INSERT INTO feed_schedules (feed_id, host_key, next_run_at, due_at, reason)"
        f" SELECT id, host_key, {due}, {due}, "
        ' \'{"rule": "quiet", "at": "2026-01-01T00:00:00+00:00"}\' FROM feeds'
    )


def _subscriptions(population: Population) -> Script[None]:
    reader = f"(i % {population.people} + 1)"
    yield sql(
        "INSERT INTO subscriptions (id, user_id, feed_id, folder_id, seeded, added_at)"
        f" {_numbers(population.feeds)} SELECT i, {reader}, i, {reader}, true, now_us()"
        " FROM n"
    )


def _articles(population: Population) -> Script[None]:
    count = population.feeds // 10 * population.articles
    if not count:
        return
    week_us = 168 * _HOUR_US
    yield sql(
        "INSERT INTO articles (id, feed_id, guid, guid_hash, url, url_hash, title,"
        " content, summary, enclosures, categories, rtl, published_at, fetched_at,"
        " content_hash, fingerprint, cluster_key)"
        f" {_numbers(count)} SELECT i, (i - 1) / {population.articles} * 10 + 1,"
        " 'g' || i, 'g' || i, 'https://site.example/' || i, 'u' || i,"
        " 'Article number ' || i, 'The river carries more stones than the bridge.',"
        " 'The river carries stones.', '[]', '[]', false,"
        f" now_us() - CAST(i % {population.articles} AS BIGINT)"
        f" * {2 * week_us // population.articles},"
        " now_us(), 'c' || i, 'f' || i, 'k' || i FROM n"
    )


def _analyze() -> Script[None]:
    for table in ("feeds", "feed_schedules", "hosts", "subscriptions", "articles"):
        yield sql(f"ANALYZE {table}")


def _advance() -> Script[None]:
    """Let the next ids follow those that were given by hand."""
    for table in ("users", "folders", "feeds", "subscriptions", "articles"):
        yield sql(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'),"
            f" (SELECT coalesce(max(id), 1) FROM {table}))"
        )
