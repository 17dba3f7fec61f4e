"""Clean-up: what nobody holds and no publisher lists any more goes, in small steps.

Never goes: what is starred, saved or tagged, what somebody has not read, what the
publisher still lists. A deleted article leaves a tombstone while its feed lives, so
that it does not come back as new.
"""

from collections.abc import Callable

from feedloom.store.engine.steps import WORKER, Database, Insert, Steps, sql
from feedloom.store.times import SECOND

_BATCH = 500
_KEEP_US = 90 * 86_400 * SECOND
_DAY_US = 86_400 * SECOND
_WEEK_US = 7 * _DAY_US
_LOG_LINES = 50
_TOMBSTONE_US = 400 * _DAY_US

_HELD = """
EXISTS (SELECT 1 FROM article_states t WHERE t.article_id = a.id
  AND (t.unread OR t.starred OR t.saved_bookmark_id IS NOT NULL))
OR EXISTS (SELECT 1 FROM article_tags x WHERE x.article_id = a.id)
OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.source_article_id = a.id)
"""
_OLD = f"""
SELECT a.id, a.feed_id, a.guid_hash FROM articles a
WHERE a.feed_id = :feed AND NOT a.in_document AND a.published_at < now_us() - {_KEEP_US}
  AND a.fetched_at < now_us() - {_KEEP_US} AND NOT ({_HELD})
LIMIT {_BATCH}
"""
_ORPHANS = f"""
SELECT a.id, a.feed_id, a.guid_hash FROM articles a
WHERE NOT EXISTS (SELECT 1 FROM article_states t WHERE t.article_id = a.id)
  AND NOT EXISTS (SELECT 1 FROM bookmarks b WHERE b.source_article_id = a.id)
  AND a.fetched_at < now_us() - {_DAY_US}
  AND NOT EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = a.feed_id
    AND p.deleted_at IS NULL AND a.published_at > now_us() - {_KEEP_US})
  AND (NOT a.in_document
    OR NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = a.feed_id))
LIMIT {_BATCH}
"""
_DROPPED_FEEDS = """
DELETE FROM feeds WHERE id IN (SELECT f.id FROM feeds f
  WHERE NOT f.in_directory
  AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = f.id)
  AND NOT EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = f.id AND p.deleted_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM articles a WHERE a.feed_id = f.id)
  AND f.created_at < now_us() - :age LIMIT 200) RETURNING id
"""


class CleanupStore:
    """Deletes what may go. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def prune_feed(self, feed_id: int) -> int:
        """Delete a feed's old articles that everybody is done with."""
        return await self._all_batches(_prune_feed, feed_id)

    async def expire_day_subscriptions(self) -> int:
        """Hide what 'day' subscriptions got over 24 hours ago; drop what is unlisted."""
        return await self._database.write(WORKER, _expire_days)

    async def drop_orphans(self) -> int:
        """Delete articles nobody holds and feeds nobody wants."""
        dropped = await self._all_batches(_drop_orphans)
        await self._database.write(WORKER, _drop_feeds)
        return dropped

    async def forget_old_work(self) -> None:
        """Delete finished tasks, old log lines, expired sessions and throttles."""
        await self._database.write(WORKER, _forget_old_work)

    async def _all_batches(self, steps: Callable[..., Steps[int]], *args: int) -> int:
        total = 0
        while True:
            count = await self._database.write(WORKER, steps, *args)
            total += count
            if count < _BATCH:
                return total


def _prune_feed(feed_id: int) -> Steps[int]:
    rows = yield sql(_OLD, feed=feed_id)
    yield from _bury([(row["id"], row["feed_id"], row["guid_hash"]) for row in rows])
    return len(rows)


def _drop_orphans() -> Steps[int]:
    rows = yield sql(_ORPHANS)
    yield from _bury([(row["id"], row["feed_id"], row["guid_hash"]) for row in rows])
    return len(rows)


def _bury(articles: list[tuple[int, int, str]]) -> Steps[None]:
    """Delete articles, leaving a tombstone each."""
    if not articles:
        return
    now = yield sql("SELECT now_us() AS now")
    yield Insert(
        "article_tombstones",
        ("feed_id", "guid_hash", "deleted_at"),
        [(feed_id, guid_hash, now[0]["now"]) for _, feed_id, guid_hash in articles],
        "ON CONFLICT DO NOTHING",
    )
    yield sql(
        "DELETE FROM articles WHERE id = ANY(:ids)", ids=[id_ for id_, _, _ in articles]
    )


def _expire_days() -> Steps[int]:
    rows = yield sql(
        "UPDATE article_states SET hidden_at = now_us(), unread = false,"
        " last_modified = GREATEST(now_us(), last_modified + 1)"
        " WHERE hidden_at IS NULL AND NOT starred AND saved_bookmark_id IS NULL"
        f" AND arrived_at < now_us() - {_DAY_US} AND subscription_id IN"
        " (SELECT id FROM subscriptions WHERE retention = 'day') RETURNING article_id"
    )
    yield sql(
        "DELETE FROM article_states WHERE hidden_at IS NOT NULL AND NOT starred"
        " AND saved_bookmark_id IS NULL AND subscription_id IN"
        " (SELECT id FROM subscriptions WHERE retention = 'day')"
        " AND article_id IN (SELECT id FROM articles WHERE NOT in_document)"
    )
    return len(rows)


def _drop_feeds() -> Steps[None]:
    yield sql(_DROPPED_FEEDS, age=_DAY_US)


def _forget_old_work() -> Steps[None]:
    yield sql(f"DELETE FROM tasks WHERE done_at < now_us() - {_WEEK_US}")
    yield sql("DELETE FROM sessions WHERE expires_at < now_us()")
    yield sql("DELETE FROM throttle WHERE forget_at < now_us()")
    yield sql(f"DELETE FROM workers WHERE seen_at < now_us() - {_DAY_US}")
    yield sql(
        f"DELETE FROM article_tombstones WHERE deleted_at < now_us() - {_TOMBSTONE_US}"
    )
    yield sql(
        "DELETE FROM fetch_log WHERE (feed_id, at) IN (SELECT feed_id, at FROM"
        " (SELECT feed_id, at, row_number() OVER (PARTITION BY feed_id"
        f" ORDER BY at DESC) AS place FROM fetch_log) ranked WHERE place > {_LOG_LINES})"
    )
