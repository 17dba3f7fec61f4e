"""Overviews for pages, each in few statements: the river, counts for charts, bulk marking."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from feedloom.model.overviews import (
    FeedLine,
    FeedUse,
    Fetching,
    Fresh,
    OutcomeCount,
    PatientHost,
    Sidebar,
    Statistics,
    Sweep,
    Week,
)
from feedloom.model.reader import Wanted
from feedloom.model.urls import host_of
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.queries import now_us, number, numbers, values
from feedloom.store.reader.article_lists import conditions_of, list_articles
from feedloom.store.reader.article_states import person_tags
from feedloom.store.reader.folders import list_folders
from feedloom.store.reader.subscription_rows import shown_title, unread_counts
from feedloom.store.reader.views import list_searches
from feedloom.store.values import DAY_US, SECOND, from_us, to_us, value_of

_DAY = DAY_US
_WEEK = 7 * _DAY
_MONDAY = 3 * _DAY
"""Unix time began on a Thursday."""
_MOST_AT_ONCE = 5
"""Marks in one second; more than these are not reading."""
_FLOWING = """
FROM article_states WHERE user_id = :user AND item_no > :bound AND arrived_at >= :since
AND hidden_at IS NULL AND (published_at >= :since OR subscription_id NOT IN
  (SELECT id FROM subscriptions WHERE user_id = :user AND added_at >= :since))
"""
"""What is fresh. A feed that was just added brings all it has: of that only what was
published since."""


def _newest(user_id: int) -> Script[int | None]:
    text = "SELECT max(item_no) AS newest FROM article_states WHERE user_id = :user"
    [row] = yield sql(text, user=user_id)
    newest: int | None = row["newest"]
    return newest


class OverviewStore(Store):
    @reads(as_user)
    def sidebar(self, user_id: int) -> Script[Sidebar]:
        rows = yield sql(_FEED_LINES, user=user_id)
        unread = yield from unread_counts(user_id)
        folders = yield from list_folders(user_id)
        text = "SELECT count(*) FROM article_states WHERE user_id = :user AND starred"
        tags = yield from person_tags(user_id)
        newest = yield from _newest(user_id)
        searches = yield from list_searches(user_id)
        lines = [
            value_of(FeedLine, row, title=shown_title(row), unread=unread.get(row["id"], 0))
            for row in rows
        ]
        return Sidebar(
            feeds=tuple(sorted(lines, key=lambda line: (line.title.casefold(), line.id))),
            folders=tuple(sorted(folders, key=lambda folder: (folder.name.casefold(), folder.id))),
            tags=tuple(tags),
            starred=(yield from number(sql(text, user=user_id))),
            newest_item=newest,
            searches=tuple(searches),
        )

    newest_item = reads(as_user).of(_newest)

    @reads(as_user)
    def fresh(self, user_id: int, since: datetime, *, per_feed: int, most: int) -> Script[Fresh]:
        since_us = to_us(since)
        bound = yield from _oldest_fresh(user_id, since_us)
        text = """SELECT item_no, subscription_id, total FROM (SELECT item_no, subscription_id,
            published_at, count(*) OVER (PARTITION BY subscription_id) AS total,
            row_number() OVER (PARTITION BY subscription_id
              ORDER BY published_at DESC, item_no DESC) AS place
            FROM article_states WHERE user_id = :user AND item_no > :bound
            AND arrived_at >= :since AND hidden_at IS NULL) AS ranked
            WHERE place <= :per_feed ORDER BY published_at DESC, item_no DESC LIMIT :most"""
        bounds = {"user": user_id, "bound": bound, "since": since_us}
        rows = yield sql(text, per_feed=per_feed, most=most, **bounds)
        totals = {row["subscription_id"]: row["total"] for row in rows}
        found = tuple(row["item_no"] for row in rows)
        page = yield from list_articles(user_id, Wanted(item_nos=found, limit=most))
        return Fresh(page.articles, totals)

    @reads(as_user)
    def river(
        self,
        user_id: int,
        since: datetime,
        *,
        per_feed: int,
        sources: int = 1,
        skip: int = 0,
        only: int | None = None,
    ) -> Script[Fresh]:
        since_us = to_us(since)
        bound = yield from _oldest_fresh(user_id, since_us)
        source = "" if only is None else "AND subscription_id = :only"
        bounds = {"user": user_id, "since": since_us, "bound": bound, "only": only}
        # The inner limit keeps SQLite from scanning all rows by subscription.
        text = f"""SELECT subscription_id, count(*) AS total, max(published_at) AS newest
            FROM (SELECT subscription_id, published_at {_FLOWING} {source}
              ORDER BY item_no DESC LIMIT 50000) AS recent
            GROUP BY subscription_id ORDER BY newest DESC, subscription_id
            LIMIT :sources OFFSET :skip"""
        groups = yield sql(text, sources=sources + 1, skip=skip, **bounds)
        shown = groups[:sources]
        text = f"""SELECT item_no FROM (SELECT item_no, row_number() OVER (PARTITION BY
              subscription_id ORDER BY published_at DESC, item_no DESC) AS place
            {_FLOWING} AND subscription_id = ANY(:ids)) AS ranked WHERE place <= :per_feed"""
        totals = {row["subscription_id"]: row["total"] for row in shown}
        shown_items = sql(text, per_feed=per_feed, ids=list(totals), **bounds)
        found = tuple((yield from numbers(shown_items)))
        page = yield from list_articles(user_id, Wanted(item_nos=found, limit=max(1, len(found))))
        return Fresh(page.articles, totals, has_more=len(groups) > sources)

    @reads(as_user)
    def fetching(self, user_id: int, since: datetime) -> Script[Fetching]:
        """Return the progress of requested and first fetches."""
        text = f"""SELECT count(*) FILTER (WHERE {_IS_AWAITED}) AS waiting,
            count(*) FILTER (WHERE {_IS_AWAITED} AND q.lease_token IS NOT NULL) AS running,
            count(*) FILTER (WHERE {_IS_OVER}) AS done,
            count(*) FILTER (WHERE {_IS_OVER} AND f.consecutive_failures > 0) AS failed
            {_FETCHED_FEEDS}"""
        [row] = yield sql(text, user=user_id, since=to_us(since))
        text = f"""SELECT q.host_key AS host, h.cooldown_until AS until, count(*) AS feeds
            {_FETCHED_FEEDS} AND h.cooldown_until > now_us() AND ({_IS_AWAITED}
              OR f.last_attempt_at >= :since AND f.consecutive_failures > 0)
            GROUP BY q.host_key, h.cooldown_until ORDER BY feeds DESC, host"""
        hosts = yield from values(PatientHost, sql(text, user=user_id, since=to_us(since)))
        return value_of(Fetching, row, hosts=tuple(hosts))

    @reads(as_user)
    def arrivals_per_feed(
        self, user_id: int, subscription_ids: Sequence[int], days: int
    ) -> Script[dict[int, tuple[int, ...]]]:
        subscription_ids = list(subscription_ids)
        first = (yield from now_us()) // _DAY - days + 1
        # The plus makes a planner without statistics use the index by feed.
        text = f"""SELECT subscription_id, published_at / {_DAY} AS day, count(*) AS n
            FROM article_states WHERE subscription_id = ANY(:ids) AND +user_id = :user
            AND published_at >= :since GROUP BY subscription_id, published_at / {_DAY}"""
        rows = yield sql(text, user=user_id, ids=subscription_ids, since=first * _DAY)
        counts: dict[int, list[int]] = {id_: [0] * days for id_ in subscription_ids}
        for row in rows:
            place = row["day"] - first
            if place < days:
                counts[row["subscription_id"]][place] = row["n"]
        return {id_: tuple(found) for id_, found in counts.items()}

    @reads(as_user)
    def statistics(self, user_id: int, weeks: int) -> Script[Statistics]:
        """Count what was published and read, by week and by feed.

        Articles marked as read many at a time were not read.
        """
        now = yield from now_us()
        first = (now + _MONDAY) // _WEEK - weeks + 1
        bounds = {"user": user_id, "since": first * _WEEK - _MONDAY}
        text = f"""SELECT (published_at + {_MONDAY}) / {_WEEK} AS week, count(*) AS n
            FROM article_states WHERE user_id = :user AND published_at >= :since GROUP BY 1"""
        published = yield sql(text, **bounds)
        # last_modified is never before read_at, and has an index.
        text = f"""SELECT read_at / {SECOND} AS second, subscription_id, count(*) AS n
            FROM article_states WHERE user_id = :user AND last_modified >= :since
            AND read_at >= :since GROUP BY 1, 2"""
        marks = yield sql(text, **bounds)
        text = """SELECT s.id, coalesce(s.title, f.title, '') AS title, f.url, f.favicon_id,
            s.added_at, s.read_after_days, (SELECT count(*) FROM article_states t
              WHERE t.subscription_id = s.id AND t.published_at >= :since) AS published
            FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
            WHERE s.user_id = :user AND s.paused_at IS NULL"""
        feeds = yield sql(text, **bounds)
        at_once: Counter[int] = Counter()
        for row in marks:
            at_once[row["second"]] += row["n"]
        by_week, by_feed = Counter[int](), Counter[int]()
        for row in marks:
            if at_once[row["second"]] <= _MOST_AT_ONCE:
                by_week[(row["second"] * SECOND + _MONDAY) // _WEEK] += row["n"]
                by_feed[row["subscription_id"]] += row["n"]
        arrived = {row["week"]: row["n"] for row in published}
        found = [
            Week(from_us(week * _WEEK - _MONDAY), arrived.get(week, 0), by_week[week])
            for week in range(first, first + weeks)
        ]
        uses = [
            value_of(
                FeedUse,
                row,
                read=by_feed[row["id"]],
                title=row["title"] or host_of(row["url"]),
                weeks=min(weeks, max(1.0, (now - row["added_at"]) / _WEEK)),
            )
            for row in feeds
            if row["published"]
        ]
        return Statistics(tuple(found), tuple(uses))

    @reads(as_user)
    def outcomes(self, user_id: int, days: int) -> Script[list[OutcomeCount]]:
        first = (yield from now_us()) // _DAY - days + 1
        text = f"""SELECT l.at / {_DAY} AS day, l.outcome, count(*) AS n
            FROM subscriptions s JOIN fetch_log l ON l.feed_id = s.feed_id
            WHERE s.user_id = :user AND l.at >= :since
            GROUP BY l.at / {_DAY}, l.outcome ORDER BY day, l.outcome"""
        rows = yield sql(text, user=user_id, since=first * _DAY)
        return [OutcomeCount(from_us(row["day"] * _DAY), row["outcome"], row["n"]) for row in rows]

    @writes(as_user)
    def sweep(self, user_id: int, wanted: Wanted) -> Script[Sweep]:
        now = yield from now_us()
        conditions = yield from conditions_of(user_id, wanted)
        text = f"SELECT count(*) FROM article_states t WHERE {conditions.where} AND unread"
        count = yield from number(conditions.sql(text))
        text = f"""UPDATE article_states AS t SET unread = false, read_at = :now,
            last_modified = GREATEST(:now, last_modified + 1)
            WHERE {conditions.where} AND unread"""
        yield conditions.sql(text, now=now)
        return Sweep(count, now)

    @writes(as_user)
    def undo_sweep(self, user_id: int, token: int) -> Script[int]:
        # last_modified is never before read_at, and has an index.
        text = """UPDATE article_states SET unread = true, read_at = NULL, unread_at = now_us(),
            last_modified = GREATEST(now_us(), last_modified + 1)
            WHERE user_id = :user AND last_modified >= :token AND read_at = :token
            AND NOT unread AND hidden_at IS NULL RETURNING item_no"""
        return len((yield sql(text, user=user_id, token=token)))


_FETCHED_FEEDS = """FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
    JOIN feed_schedules q ON q.feed_id = s.feed_id LEFT JOIN hosts h ON h.host_key = q.host_key
    WHERE s.user_id = :user AND s.paused_at IS NULL"""
_IS_AWAITED = """
q.urgency < 2 AND q.due_at IS NOT NULL AND (q.lease_token IS NOT NULL OR q.due_at <= now_us()
  OR q.due_at <> q.next_run_at OR f.last_attempt_at IS NULL)
"""
"""Somebody asked for it, or it was never fetched; not a scheduled poll."""
_IS_OVER = f"f.last_attempt_at >= :since AND ({_IS_AWAITED}) IS NOT TRUE"
_FEED_LINES = """
SELECT s.id, s.feed_id, s.title AS own_title, s.folder_id, d.is_root AS in_root, s.retention,
  f.title, coalesce(f.url, '') AS url, f.favicon_id, f.is_mailing_list, f.last_fetch_status,
  f.last_fetch_error, coalesce(f.consecutive_failures, 0) AS consecutive_failures,
  f.last_attempt_at, f.latest_item_published_at AS latest_item_at,
  f.avg_update_interval_s AS interval_s, s.paused_at
FROM subscriptions s JOIN folders d ON d.id = s.folder_id
LEFT JOIN feeds f ON f.id = s.feed_id WHERE s.user_id = :user
"""


def _oldest_fresh(user_id: int, since: int) -> Script[int]:
    text = """SELECT item_no FROM article_states WHERE user_id = :user
        AND arrived_at < :since ORDER BY item_no DESC LIMIT 1"""
    return next(iter((yield from numbers(sql(text, user=user_id, since=since)))), 0)
