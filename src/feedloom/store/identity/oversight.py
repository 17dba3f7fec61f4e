"""What operators see and do, across all people: queues, workers, people, feeds and events.

``OversightStore`` runs as an operator of the web's role, ``OperationsStore`` as a worker.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.oversight import (
    Condition,
    EventLine,
    FeedLine,
    PersonLine,
    Signs,
    TaskLine,
    WorkerLine,
)
from feedloom.model.urls import url_key
from feedloom.store.engine import migrate
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import WORKER, NotifyWorkers, Script, sql
from feedloom.store.ingest.feeds import fetch_now, read_number
from feedloom.store.queries import (
    NOW,
    audit,
    insert,
    now_us,
    number,
    one,
    overwriting,
    update,
    values,
)
from feedloom.store.queues.leases import SCHEDULES, TASKS, depth
from feedloom.store.values import SECOND, from_us, maybe_time

_LAST_ID = 2**62


class OversightStore(Store):
    @reads(OPERATOR)
    def condition(self) -> Script[Condition]:
        """Tell how everything is; ``StoreUnavailable`` when the database is not there."""
        version = yield from migrate.current_version(self.database.kind)
        wanted = migrate.migrations(self.database.kind)[-1].version
        return Condition(
            is_current=version == wanted,
            feeds=(yield from depth(SCHEDULES)),
            tasks=(yield from depth(TASKS)),
            worker_seen_s=(yield from _worker_seen_s()),
        )

    @reads(OPERATOR)
    def signs(self) -> Script[Signs]:
        """Tell quickly whether a worker lives and the database is set up safely."""
        seen_s = yield from _worker_seen_s()
        if self.database.kind != "postgresql":
            return Signs(seen_s, shares_role=False)
        # Tables belong to the workers' role: the web's must be another one.
        [row] = yield sql("""SELECT pg_get_userbyid(relowner) = current_user AS is_owner
            FROM pg_class WHERE oid = 'users'::regclass""")
        return Signs(seen_s, shares_role=row["is_owner"])

    @reads(OPERATOR)
    def feeds_by_state(self) -> Script[dict[str, int]]:
        rows = yield sql("SELECT state, count(*) AS n FROM feeds GROUP BY state ORDER BY state")
        return {row["state"]: row["n"] for row in rows}

    @reads(OPERATOR)
    def workers(self) -> Script[list[WorkerLine]]:
        text = "SELECT * FROM workers ORDER BY seen_at DESC LIMIT 100"
        return (yield from values(WorkerLine, sql(text)))

    @reads(OPERATOR)
    def people(
        self, *, text: str = "", after: int = 0, limit: int = 50
    ) -> Script[list[PersonLine]]:
        # A function that finds a text is named differently on each engine; this is not.
        query = """SELECT u.id, u.email, u.role, u.created_at, u.disabled_at,
            (SELECT count(*) FROM subscriptions s WHERE s.user_id = u.id
              AND s.feed_id IS NOT NULL) AS subscriptions,
            (SELECT max(e.seen_at) FROM sessions e WHERE e.user_id = u.id) AS seen_at
            FROM users u WHERE u.id > :after
            AND replace(u.email, :text, '') <> CASE WHEN :text = '' THEN '' ELSE u.email END
            ORDER BY u.id LIMIT :limit"""
        wanted = sql(query, text=text.casefold(), after=after, limit=limit)
        return (yield from values(PersonLine, wanted))

    @reads(OPERATOR)
    def feeds(
        self, *, state: str | None = None, after: int = 0, limit: int = 50
    ) -> Script[list[FeedLine]]:
        condition = "" if state is None else " AND f.state = :state"
        text = f"""SELECT f.id, f.url, f.title, f.state, f.consecutive_failures,
            CASE WHEN q.next_run_at IS NULL THEN coalesce(q.last_error, f.last_fetch_error)
              ELSE f.last_fetch_error END AS last_fetch_error, f.last_attempt_at, q.next_run_at,
            (SELECT count(*) FROM subscriptions s WHERE s.feed_id = f.id) AS readers
            FROM feeds f LEFT JOIN feed_schedules q ON q.feed_id = f.id
            WHERE f.id > :after{condition} ORDER BY f.id LIMIT :limit"""
        return (yield from values(FeedLine, sql(text, after=after, limit=limit, state=state)))

    @reads(OPERATOR)
    def events(self, *, before: int | None = None, limit: int = 100) -> Script[list[EventLine]]:
        text = """SELECT e.id, e.created_at AS at, u.email, e.event_type, e.metadata FROM events e
            JOIN users u ON u.id = e.user_id WHERE e.id < :before ORDER BY e.id DESC LIMIT :limit"""
        return (yield from values(EventLine, sql(text, before=before or _LAST_ID, limit=limit)))

    @reads(OPERATOR)
    def parked_tasks(self, *, limit: int = 50) -> Script[list[TaskLine]]:
        text = """SELECT id, kind, attempts, last_error AS error, done_at FROM tasks
            WHERE done_at IS NOT NULL AND result IS NULL ORDER BY id DESC LIMIT :limit"""
        return (yield from values(TaskLine, sql(text, limit=limit)))

    @writes(OPERATOR)
    def refresh(self, feed_id: int) -> Script[None]:
        """Fetch a feed now; ``NotFound`` when there is none."""
        yield from one(sql("SELECT id FROM feeds WHERE id = :id", id=feed_id), "Feed not found")
        yield from fetch_now(feed_id, afresh=True)

    @writes(OPERATOR)
    def note(self, actor: str, action: str, subject: str, *, after: str = "") -> Script[None]:
        yield audit(actor, action, subject, after=after or None, why="changed by an operator")


def _worker_seen_s() -> Script[float | None]:
    [row] = yield sql("SELECT max(seen_at) AS at, now_us() AS now FROM workers")
    return None if row["at"] is None else (row["now"] - row["at"]) / SECOND


_OFFLINE_S = 300


class OperationsStore(Store):
    @writes(WORKER)
    def make_due(self, feed: str | None, *, everything: bool) -> Script[int]:
        """Make one feed (by id or address) or all feeds due; return how many are due now."""
        if feed is not None:
            yield from fetch_now((yield from _find_feed(feed)), afresh=True)
        elif everything:
            yield sql("""UPDATE feed_schedules SET due_at = now_us() WHERE lease_token IS NULL
                AND next_run_at IS NOT NULL AND (due_at > now_us() OR due_at IS NULL
                  AND EXISTS (SELECT 1 FROM subscriptions s
                    WHERE s.feed_id = feed_schedules.feed_id))""")
        yield NotifyWorkers()
        text = "SELECT count(*) FROM feed_schedules WHERE due_at <= now_us()"
        return (yield from number(sql(text)))

    @writes(WORKER)
    def beat(self, worker: str, stats: Mapping[str, object]) -> Script[None]:
        again = overwriting("name", ("seen_at", "stats"))
        told = json.dumps(stats)
        yield insert("workers", again, name=worker, started_at=NOW, seen_at=NOW, stats=told)

    @reads(WORKER)
    def worker_seen_at(self) -> Script[datetime | None]:
        [row] = yield sql("SELECT max(seen_at) AS at FROM workers")
        return maybe_time(row["at"])

    @writes(WORKER)
    def set_direct(self, feed: str, *, direct: bool) -> Script[None]:
        """Set whether a feed (id or URL) bypasses the outbound proxy."""
        yield update("feeds", (yield from _find_feed(feed)), direct=direct)

    @reads(WORKER)
    def database_time(self) -> Script[datetime]:
        return from_us((yield from now_us()))

    @writes(WORKER)
    def forgive(self, feed_ids: list[int]) -> Script[None]:
        text = """UPDATE feeds SET consecutive_failures = GREATEST(consecutive_failures - 1, 0),
            retry_count = GREATEST(retry_count - 1, 0),
            failing_since = CASE WHEN consecutive_failures <= 1 THEN NULL ELSE failing_since END,
            last_fetch_status = CASE WHEN consecutive_failures > 1 THEN last_fetch_status
              WHEN last_success_at IS NOT NULL THEN 'success' END,
            last_fetch_error = CASE WHEN consecutive_failures > 1 THEN last_fetch_error END,
            state = CASE WHEN consecutive_failures <= 1 AND last_success_at IS NOT NULL
              THEN 'healthy' WHEN consecutive_failures <= 1 THEN 'unchecked'
              ELSE state END WHERE id = ANY(:ids)"""
        yield sql(text, ids=feed_ids)
        now = yield from now_us()
        reason = {"rule": "offline", "at": from_us(now).isoformat(), "interval_s": _OFFLINE_S}
        text = """UPDATE feed_schedules SET next_run_at = :next, due_at = :next,
            reason = :reason, last_error = NULL WHERE feed_id = ANY(:ids) AND lease_token IS NULL"""
        next_at = now + _OFFLINE_S * SECOND
        yield sql(text, next=next_at, reason=json.dumps(reason), ids=feed_ids)

    @writes(WORKER)
    def date_back_arrivals(self) -> Script[None]:
        """Set the arrival of articles to their fetch, which the demo runs on a clock set back."""
        yield sql("""UPDATE article_states SET arrived_at =
            (SELECT a.fetched_at FROM articles a WHERE a.id = article_states.article_id)""")


def _find_feed(feed: str) -> Script[int]:
    feed_id = read_number(feed)
    if feed_id is not None:
        query = sql("SELECT id FROM feeds WHERE id = :id", id=feed_id)
    else:
        query = sql("SELECT id FROM feeds WHERE url_key = :key ORDER BY id", key=url_key(feed))
    found: int = (yield from one(query, f"There is no feed {feed}."))["id"]
    return found
