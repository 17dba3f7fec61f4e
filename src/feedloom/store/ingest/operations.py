"""Operations on feeds and workers for operators and commands, across all people."""

import json
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.urls import url_key
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, NotifyWorkers, Script, sql
from feedloom.store.ingest.feeds import fetch_now, read_number
from feedloom.store.queries import now_us, number, one, update
from feedloom.store.times import SECOND, from_us, maybe_time

_OFFLINE_S = 300


class OperationsStore(Store):
    @writes(WORKER)
    def make_due(self, feed: str | None, *, everything: bool) -> Script[int]:
        """Make one feed (by id or address) or all feeds due; return how many are due now."""
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
        yield NotifyWorkers()
        text = "SELECT count(*) FROM feed_schedules WHERE due_at <= now_us()"
        return (yield from number(sql(text)))

    @writes(WORKER)
    def beat(self, worker: str, stats: Mapping[str, object]) -> Script[None]:
        yield sql(
            "INSERT INTO workers (name, started_at, seen_at, stats)"
            " VALUES (:name, now_us(), now_us(), :stats) ON CONFLICT (name)"
            " DO UPDATE SET seen_at = now_us(), stats = excluded.stats",
            name=worker,
            stats=json.dumps(stats),
        )

    @reads(WORKER)
    def worker_seen_at(self) -> Script[datetime | None]:
        [row] = yield sql("SELECT max(seen_at) AS at FROM workers")
        return maybe_time(row["at"])

    @writes(WORKER)
    def set_direct(self, feed: str, *, direct: bool) -> Script[None]:
        """Set whether a feed (id or URL) bypasses the outbound proxy."""
        feed_id = yield from find_feed(feed)
        yield update("feeds", feed_id, direct=direct)

    @reads(WORKER)
    def database_time(self) -> Script[datetime]:
        return from_us((yield from now_us()))

    @writes(WORKER)
    def forgive(self, feed_ids: list[int]) -> Script[None]:
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
        now = yield from now_us()
        reason = {"rule": "offline", "at": from_us(now).isoformat(), "interval_s": _OFFLINE_S}
        yield sql(
            "UPDATE feed_schedules SET next_run_at = :next, due_at = :next,"
            " reason = :reason, last_error = NULL"
            " WHERE feed_id = ANY(:ids) AND lease_token IS NULL",
            next=now + _OFFLINE_S * SECOND,
            reason=json.dumps(reason),
            ids=feed_ids,
        )

    @writes(WORKER)
    def date_back_arrivals(self) -> Script[None]:
        """Set the arrival of articles to the time of their fetch.

        The two differ only where a fetch ran on a clock that was set back: in the demo, whose
        week passes in seconds.
        """
        yield sql(
            "UPDATE article_states SET arrived_at ="
            " (SELECT a.fetched_at FROM articles a WHERE a.id = article_states.article_id)"
        )


def find_feed(feed: str) -> Script[int]:
    feed_id = read_number(feed)
    if feed_id is not None:
        query = sql("SELECT id FROM feeds WHERE id = :id", id=feed_id)
    else:
        query = sql("SELECT id FROM feeds WHERE url_key = :key ORDER BY id", key=url_key(feed))
    found: int = (yield from one(query, f"There is no feed {feed}."))["id"]
    return found
