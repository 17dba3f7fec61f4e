"""Clean-up: delete what nobody keeps and no publisher lists any more, in small steps.

Articles that are starred, saved, tagged, unread or still listed are never deleted. Others
leave a tombstone while their feed exists, so that they do not return as new.
"""

from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Insert, Query, Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import exists, now_us, numbers
from feedloom.store.values import DAY_US, SECOND

_BATCH = 500
_WINDOW = 50
"""Feeds that are checked in one transaction."""
_KEEP_US = 90 * DAY_US
_WEEK_US = 7 * DAY_US
_AHEAD_US = 600 * SECOND
"""Clocks of cooperating machines differ by less than this."""
_LONGEST_LEASE_US = 2 * DAY_US
_LOG_LINES = 50
_TOMBSTONE_US = 400 * DAY_US

_HELD = """EXISTS (SELECT 1 FROM article_states t WHERE t.article_id = a.id
      AND (t.unread OR t.starred OR t.saved_bookmark_id IS NOT NULL))
    OR EXISTS (SELECT 1 FROM article_tags x WHERE x.article_id = a.id)
    OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.source_article_id = a.id)"""
_FOR_PROXIES = """
EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = a.feed_id AND p.deleted_at IS NULL
  AND (SELECT count(*) FROM articles n WHERE n.feed_id = a.feed_id
    AND n.published_at > a.published_at) < p.max_items)
"""
"""A proxy serves its newest articles, however old they are."""
_OLD = f"""SELECT a.id, a.feed_id, a.guid_hash FROM articles a
    WHERE a.feed_id = :feed AND a.published_at < now_us() - {_KEEP_US} AND NOT a.in_document
      AND a.fetched_at < now_us() - {_KEEP_US} AND NOT ({_HELD}) AND NOT {_FOR_PROXIES}
    LIMIT {_BATCH}"""
_ORPHANS = f"""SELECT a.id, a.feed_id, a.guid_hash FROM articles a
    WHERE a.feed_id > :after AND a.feed_id <= :until
      AND NOT EXISTS (SELECT 1 FROM article_states t WHERE t.article_id = a.id)
      AND NOT EXISTS (SELECT 1 FROM bookmarks b WHERE b.source_article_id = a.id)
      AND a.fetched_at < now_us() - {DAY_US}
      AND NOT EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = a.feed_id
        AND p.deleted_at IS NULL AND a.published_at > now_us() - {_KEEP_US})
      AND NOT {_FOR_PROXIES}
      AND (NOT a.in_document
        OR NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = a.feed_id))
    LIMIT {_BATCH}"""
_DROPPED_FEEDS = """DELETE FROM feeds WHERE id IN (SELECT f.id FROM feeds f
      WHERE NOT f.in_directory
      AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = f.id)
      AND NOT EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = f.id AND p.deleted_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM articles a WHERE a.feed_id = f.id)
      AND f.created_at < now_us() - :age LIMIT 200) RETURNING id"""
_DROPPED_SITES = """DELETE FROM sites WHERE id IN (SELECT s.id FROM sites s
      WHERE s.last_discovered_at < now_us() - :age
      AND NOT EXISTS (SELECT 1 FROM feeds f WHERE f.site_id = s.id) LIMIT 200)"""


class CleanupStore(Store):
    async def prune_feed(self, feed_id: int) -> int:
        # Usually there is nothing to do, and reading blocks no writers.
        old = sql(_OLD, feed=feed_id)
        if not await self._exists(old):
            return 0
        return await self._bury_all(old)

    async def expire_day_subscriptions(self) -> int:
        """Hide articles of 'day' subscriptions after 24 hours; drop those no longer listed."""
        text = "SELECT DISTINCT user_id FROM subscriptions WHERE retention = 'day' ORDER BY user_id"
        return sum([await self._expire_days(user) for user in await self._numbers(sql(text))])

    async def read_old_articles(self) -> int:
        """Mark articles as read that waited longer than their subscription or folder allows."""
        text = """SELECT user_id FROM subscriptions WHERE read_after_days IS NOT NULL
            UNION SELECT user_id FROM folders WHERE read_after_days IS NOT NULL ORDER BY user_id"""
        return sum([await self._read_old(user) for user in await self._numbers(sql(text))])

    async def drop_orphans(self) -> int:
        """Delete old articles and those nobody has, feeds nobody wants, and their sites.

        Feeds are processed in small windows, because a long transaction would block all
        writers. Polls that a fast clock put off are corrected on the way.
        """
        dropped, after = 0, 0
        text = f"SELECT id FROM feeds WHERE id > :after ORDER BY id LIMIT {_WINDOW}"
        while window := await self._numbers(sql(text, after=after)):
            until = window[-1]
            dropped += await self._bury_all(sql(_ORPHANS, after=after, until=until))
            for feed_id in window:
                dropped += await self.prune_feed(feed_id)
            await self._trim_logs(after, until)
            await self._call_back(after, until)
            after = until
        await self._drop_feeds()
        return dropped

    @writes(WORKER)
    def forget_old_work(self) -> Script[None]:
        yield sql(f"DELETE FROM tasks WHERE done_at < now_us() - {_WEEK_US}")
        yield sql("DELETE FROM sessions WHERE expires_at < now_us()")
        yield sql("DELETE FROM throttle WHERE forget_at < now_us()")
        yield sql(f"DELETE FROM workers WHERE seen_at < now_us() - {DAY_US}")
        yield sql(f"DELETE FROM article_tombstones WHERE deleted_at < now_us() - {_TOMBSTONE_US}")

    @writes(WORKER)
    def forget_revisions(self, days: int) -> Script[None]:
        """Delete revisions that are older or that nobody may read any more; 0 deletes all."""
        text = """DELETE FROM revisions WHERE changed_at <= now_us() - :age OR NOT EXISTS
            (SELECT 1 FROM article_states t WHERE t.article_id = revisions.article_id)"""
        yield sql(text, age=days * DAY_US)

    _exists = reads(WORKER).of(exists)
    _numbers = reads(WORKER).of(numbers)

    async def _bury_all(self, which: Query) -> int:
        total, count = 0, _BATCH
        while count == _BATCH:
            count = await self._bury(which)
            total += count
        return total

    @writes(WORKER)
    def _bury(self, which: Query) -> Script[int]:
        articles = yield which
        if not articles:
            return 0
        now = yield from now_us()
        columns = ("feed_id", "guid_hash", "deleted_at")
        rows = [(row["feed_id"], row["guid_hash"], now) for row in articles]
        yield Insert("article_tombstones", columns, rows, "ON CONFLICT DO NOTHING")
        yield sql("DELETE FROM articles WHERE id = ANY(:ids)", ids=[row["id"] for row in articles])
        return len(articles)

    @writes(WORKER)
    def _expire_days(self, user_id: int) -> Script[int]:
        yield lock_users([user_id])
        text = f"""UPDATE article_states SET hidden_at = now_us(), unread = false,
            last_modified = GREATEST(clock_us(), last_modified + 1)
            WHERE hidden_at IS NULL AND NOT starred AND saved_bookmark_id IS NULL
            AND arrived_at < now_us() - {DAY_US} AND subscription_id IN
            (SELECT id FROM subscriptions WHERE user_id = :user AND retention = 'day')
            RETURNING article_id"""
        rows = yield sql(text, user=user_id)
        text = """DELETE FROM article_states WHERE hidden_at IS NOT NULL AND NOT starred
            AND saved_bookmark_id IS NULL AND subscription_id IN
            (SELECT id FROM subscriptions WHERE user_id = :user AND retention = 'day')
            AND article_id IN (SELECT id FROM articles WHERE NOT in_document)"""
        yield sql(text, user=user_id)
        return len(rows)

    @writes(WORKER)
    def _read_old(self, user_id: int) -> Script[int]:
        yield lock_users([user_id])
        text = "SELECT id, parent_id, read_after_days FROM folders WHERE user_id = :user"
        folders = yield sql(text, user=user_id)
        text = "SELECT id, folder_id, read_after_days FROM subscriptions WHERE user_id = :user"
        subscriptions = yield sql(text, user=user_id)
        above = {row["id"]: (row["read_after_days"], row["parent_id"]) for row in folders}
        by_days: dict[int, list[int]] = {}
        for row in subscriptions:
            days, folder = row["read_after_days"], row["folder_id"]
            while days is None and folder in above:
                days, folder = above[folder]
            if days is not None:
                by_days.setdefault(days, []).append(row["id"])
        read = 0
        for days, ids in sorted(by_days.items()):
            # Nobody read them, so ``read_at`` stays empty.
            text = f"""UPDATE article_states SET unread = false,
                last_modified = GREATEST(clock_us(), last_modified + 1)
                WHERE user_id = :user AND subscription_id = ANY(:ids) AND unread
                AND hidden_at IS NULL AND arrived_at < now_us() - :days * {DAY_US}
                RETURNING article_id"""
            rows = yield sql(text, user=user_id, ids=ids, days=days)
            read += len(rows)
        return read

    @writes(WORKER)
    def _trim_logs(self, after: int, until: int) -> Script[None]:
        text = f"""DELETE FROM fetch_log WHERE (feed_id, at) IN (SELECT feed_id, at FROM
            (SELECT feed_id, at, row_number() OVER (PARTITION BY feed_id
            ORDER BY at DESC) AS place FROM fetch_log WHERE feed_id > :after
            AND feed_id <= :until) ranked WHERE place > {_LOG_LINES})"""
        yield sql(text, after=after, until=until)

    @writes(WORKER)
    def _call_back(self, after: int, until: int) -> Script[None]:
        """Poll feeds that a fast clock put off for too long."""
        text = f"""UPDATE feed_schedules SET due_at = now_us() WHERE lease_token IS NULL
            AND due_at > now_us() AND feed_id IN (SELECT id FROM feeds WHERE id > :after
            AND id <= :until AND last_attempt_at > now_us() + {_AHEAD_US})"""
        yield sql(text, after=after, until=until)
        text = f"""UPDATE feed_schedules SET locked_until = now_us(), due_at = now_us()
            WHERE feed_id > :after
            AND feed_id <= :until AND locked_until > now_us() + {_LONGEST_LEASE_US}"""
        yield sql(text, after=after, until=until)

    @writes(WORKER)
    def _drop_feeds(self) -> Script[None]:
        yield sql(_DROPPED_FEEDS, age=DAY_US)
        yield sql(_DROPPED_SITES, age=_WEEK_US)
