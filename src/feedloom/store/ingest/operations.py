"""What operators and commands ask of feeds and workers, across all people."""

import json
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.errors import NotFound
from feedloom.model.urls import url_key
from feedloom.store.engine.steps import WORKER, Database, Nudge, Steps, sql
from feedloom.store.ingest.feeds import fetch_now, read_number
from feedloom.store.times import SECOND, from_us

_OFFLINE_S = 300


class OperationsStore:
    """Feeds and workers from above. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def make_due(self, feed: str | None, *, everything: bool) -> int:
        """Make one feed (by id or address) or all due; answer how many are due now."""
        return await self._database.write(WORKER, _make_due, feed, everything)

    async def beat(self, worker: str, stats: Mapping[str, object]) -> None:
        """Note that a worker lives, and what it did so far."""
        await self._database.write(WORKER, _beat, worker, stats)

    async def worker_seen_at(self) -> datetime | None:
        """Tell when the liveliest worker was last seen."""
        return await self._database.read(WORKER, _worker_seen_at)

    async def forget_validators(self) -> None:
        """Let the next fetch of every feed bring its whole document."""
        await self._database.write(WORKER, _forget_validators)

    async def database_time(self) -> datetime:
        """Tell the time as the database sees it."""
        return await self._database.read(WORKER, _database_time)

    async def forgive(self, feed_ids: list[int]) -> None:
        """Take back failures that were our own network's."""
        await self._database.write(WORKER, _forgive, feed_ids)

    async def date_back_arrivals(self) -> None:
        """Let articles have arrived when they were fetched.

        That is so anyway, except where a clock that was set back did the fetching: in
        a demonstration, whose week passes in seconds.
        """
        await self._database.write(WORKER, _date_back_arrivals)


def _date_back_arrivals() -> Steps[None]:
    yield sql(
        "UPDATE article_states SET arrived_at ="
        " (SELECT a.fetched_at FROM articles a WHERE a.id = article_states.article_id)"
    )


def find_feed(feed: str) -> Steps[int]:
    """Find a feed by its id or address."""
    number = read_number(feed)
    if number is not None:
        rows = yield sql("SELECT id FROM feeds WHERE id = :id", id=number)
    else:
        rows = yield sql(
            "SELECT id FROM feeds WHERE url_key = :key ORDER BY id", key=url_key(feed)
        )
    if not rows:
        raise NotFound(f"There is no feed {feed}.")
    feed_id: int = rows[0]["id"]
    return feed_id


def _make_due(feed: str | None, everything: bool) -> Steps[int]:  # noqa: FBT001 - internal
    if feed is not None:
        feed_id = yield from find_feed(feed)
        yield from fetch_now(feed_id, afresh=True)
    elif everything:
        yield sql(
            "UPDATE feed_schedules SET due_at = now_us() WHERE lease_token IS NULL"
            " AND next_run_at IS NOT NULL AND (due_at > now_us() OR due_at IS NULL"
            "   AND EXISTS (SELECT 1 FROM subscriptions s"
            "     WHERE s.feed_id = feed_schedules.feed_id))"
        )
    yield Nudge()
    rows = yield sql(
        "SELECT count(*) AS n FROM feed_schedules WHERE due_at <= now_us()"
    )
    count: int = rows[0]["n"]
    return count


def _beat(worker: str, stats: Mapping[str, object]) -> Steps[None]:
    yield sql(
        "INSERT INTO workers (name, started_at, seen_at, stats)"
        " VALUES (:name, now_us(), now_us(), :stats) ON CONFLICT (name)"
        " DO UPDATE SET seen_at = now_us(), stats = excluded.stats",
        name=worker,
        stats=json.dumps(stats),
    )


def _worker_seen_at() -> Steps[datetime | None]:
    rows = yield sql("SELECT max(seen_at) AS at FROM workers")
    return None if rows[0]["at"] is None else from_us(rows[0]["at"])


def _forget_validators() -> Steps[None]:
    yield sql("UPDATE feeds SET etag = NULL, last_modified = NULL")


def _database_time() -> Steps[datetime]:
    rows = yield sql("SELECT now_us() AS now")
    return from_us(rows[0]["now"])


def _forgive(feed_ids: list[int]) -> Steps[None]:
    yield sql(
        "UPDATE feeds SET consecutive_failures = GREATEST(consecutive_failures - 1, 0),"
        " retry_count = GREATEST(retry_count - 1, 0),"
        " failing_since = CASE WHEN consecutive_failures <= 1 THEN NULL"
        "   ELSE failing_since END,"
        " last_fetch_status = CASE WHEN consecutive_failures > 1 THEN last_fetch_status"
        "   WHEN last_success_at IS NOT NULL THEN 'success' END,"
        " last_fetch_error = CASE WHEN consecutive_failures > 1"
        "   THEN last_fetch_error END,"
        " state = CASE WHEN consecutive_failures <= 1 AND last_success_at IS NOT NULL"
        "   THEN 'healthy' WHEN consecutive_failures <= 1 THEN 'unchecked'"
        "   ELSE state END WHERE id = ANY(:ids)",
        ids=feed_ids,
    )
    rows = yield sql("SELECT now_us() AS now")
    now: int = rows[0]["now"]
    reason = {
        "rule": "offline",
        "at": from_us(now).isoformat(),
        "interval_s": _OFFLINE_S,
    }
    yield sql(
        "UPDATE feed_schedules SET next_run_at = :next, due_at = :next,"
        " reason = :reason, last_error = NULL"
        " WHERE feed_id = ANY(:ids) AND lease_token IS NULL",
        next=now + _OFFLINE_S * SECOND,
        reason=json.dumps(reason),
        ids=feed_ids,
    )
