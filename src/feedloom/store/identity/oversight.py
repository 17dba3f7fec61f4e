"""An overview of the installation: queues, workers, people, feeds and events.

Runs as an operator of the web's role: it sees everybody's rows, and gives out counts and
lines that operators may see.
"""

from feedloom.model.errors import NotFound
from feedloom.model.oversight import (
    Condition,
    EventLine,
    FeedLine,
    PersonLine,
    Signs,
    TaskLine,
    WorkerLine,
)
from feedloom.store.audit import audit
from feedloom.store.engine import migrate
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.ingest.feeds import fetch_now
from feedloom.store.queues.leases import SCHEDULES, TASKS, depth
from feedloom.store.times import SECOND, from_us
from feedloom.store.values import read_object, value_of

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
        rows = yield sql(
            "SELECT pg_get_userbyid(relowner) = current_user AS is_owner"
            " FROM pg_class WHERE oid = 'users'::regclass"
        )
        return Signs(seen_s, shares_role=rows[0]["is_owner"])

    @reads(OPERATOR)
    def feeds_by_state(self) -> Script[dict[str, int]]:
        rows = yield sql("SELECT state, count(*) AS n FROM feeds GROUP BY state ORDER BY state")
        return {row["state"]: row["n"] for row in rows}

    @reads(OPERATOR)
    def workers(self) -> Script[list[WorkerLine]]:
        rows = yield sql("SELECT * FROM workers ORDER BY seen_at DESC LIMIT 100")
        return [
            WorkerLine(
                row["name"],
                from_us(row["started_at"]),
                from_us(row["seen_at"]),
                read_object(row["stats"]) or {},
            )
            for row in rows
        ]

    @reads(OPERATOR)
    def people(
        self, *, text: str = "", after: int = 0, limit: int = 50
    ) -> Script[list[PersonLine]]:
        # A function that finds a text is named differently on each engine; this is not.
        rows = yield sql(
            "SELECT u.id, u.email, u.role, u.created_at, u.disabled_at,"
            " (SELECT count(*) FROM subscriptions s WHERE s.user_id = u.id"
            "   AND s.feed_id IS NOT NULL) AS subscriptions,"
            " (SELECT max(e.seen_at) FROM sessions e WHERE e.user_id = u.id) AS seen_at"
            " FROM users u WHERE u.id > :after"
            " AND replace(u.email, :text, '') <> CASE WHEN :text = '' THEN '' ELSE u.email END"
            " ORDER BY u.id LIMIT :limit",
            text=text.casefold(),
            after=after,
            limit=limit,
        )
        return [value_of(PersonLine, row) for row in rows]

    @reads(OPERATOR)
    def feeds(
        self, *, state: str | None = None, after: int = 0, limit: int = 50
    ) -> Script[list[FeedLine]]:
        condition = "" if state is None else " AND f.state = :state"
        params = {} if state is None else {"state": state}
        rows = yield sql(
            "SELECT f.id, f.url, f.title, f.state, f.consecutive_failures,"
            " CASE WHEN q.next_run_at IS NULL"
            "   THEN coalesce(q.last_error, f.last_fetch_error)"
            "   ELSE f.last_fetch_error END AS last_fetch_error,"
            " f.last_attempt_at, q.next_run_at,"
            " (SELECT count(*) FROM subscriptions s WHERE s.feed_id = f.id) AS readers"
            " FROM feeds f LEFT JOIN feed_schedules q ON q.feed_id = f.id"
            f" WHERE f.id > :after{condition} ORDER BY f.id LIMIT :limit",
            after=after,
            limit=limit,
            **params,
        )
        return [value_of(FeedLine, row) for row in rows]

    @reads(OPERATOR)
    def events(self, *, before: int | None = None, limit: int = 100) -> Script[list[EventLine]]:
        rows = yield sql(
            "SELECT e.id, e.created_at, u.email, e.event_type, e.metadata FROM events e"
            " JOIN users u ON u.id = e.user_id WHERE e.id < :before"
            " ORDER BY e.id DESC LIMIT :limit",
            before=before or _LAST_ID,
            limit=limit,
        )
        return [
            EventLine(
                row["id"],
                from_us(row["created_at"]),
                row["email"],
                row["event_type"],
                read_object(row["metadata"]) or {},
            )
            for row in rows
        ]

    @reads(OPERATOR)
    def parked_tasks(self, *, limit: int = 50) -> Script[list[TaskLine]]:
        rows = yield sql(
            "SELECT id, kind, attempts, last_error, done_at FROM tasks"
            " WHERE done_at IS NOT NULL AND result IS NULL ORDER BY id DESC LIMIT :limit",
            limit=limit,
        )
        return [value_of(TaskLine, row, error=row["last_error"]) for row in rows]

    @writes(OPERATOR)
    def refresh(self, feed_id: int) -> Script[None]:
        """Fetch a feed now; ``NotFound`` when there is none."""
        rows = yield sql("SELECT id FROM feeds WHERE id = :id", id=feed_id)
        if not rows:
            raise NotFound("Feed not found")
        yield from fetch_now(feed_id, afresh=True)

    @writes(OPERATOR)
    def note(self, actor: str, action: str, subject: str, *, after: str = "") -> Script[None]:
        yield from audit(
            actor=actor,
            action=action,
            subject=subject,
            before=None,
            after=after or None,
            why="changed by an operator",
        )


def _worker_seen_s() -> Script[float | None]:
    seen = yield sql("SELECT max(seen_at) AS at, now_us() AS now FROM workers")
    at, now = seen[0]["at"], seen[0]["now"]
    return None if at is None else (now - at) / SECOND
