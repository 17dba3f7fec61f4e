"""The queue of everything else that runs later: discovery, imports, enrichment."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

import structlog

from feedloom.model.errors import LeaseLost
from feedloom.model.work import MAX_ATTEMPTS, NewTask, Task
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.encryption import Secret, hide_passwords
from feedloom.store.engine.scripts import WORKER, Database, NotifyWorkers, Scope, Script, sql
from feedloom.store.queries import exists, number, one, value
from feedloom.store.queues.leases import (
    PARKED,
    TASKS,
    UNREADABLE,
    due_rows,
    new_secret,
    release,
    renew,
    take,
)
from feedloom.store.values import maybe_us, read_object, to_us, value_of

log = structlog.get_logger()

_COLUMNS = """id, kind, payload, user_id, attempts, lease_token, last_error, progress, result,
    created_at, done_at"""


def add_task(task: NewTask) -> Script[int]:
    """Queue a task and return its id; there is one unfinished task per ``unique_key``."""
    # A running task is not changed; it runs once more, as it may be past this point.
    text = """INSERT INTO tasks (kind, payload, unique_key, user_id, run_at, created_at)
        VALUES (:kind, :payload, :key, :user, coalesce(CAST(:at AS BIGINT), now_us()), now_us())
        ON CONFLICT (unique_key) WHERE done_at IS NULL
        DO UPDATE SET again = coalesce(tasks.locked_until > now_us(), false),
        run_at = CASE WHEN tasks.locked_until > now_us() THEN tasks.run_at
          ELSE LEAST(tasks.run_at, excluded.run_at) END RETURNING id"""
    what = {"kind": task.kind.value, "payload": _dumped(task.payload), "key": task.unique_key}
    query = sql(text, user=task.user_id, at=maybe_us(task.run_at), **what)
    yield NotifyWorkers()
    return (yield from number(query))


def _dumped(value: Mapping[str, object]) -> str | Secret:
    # Pasted or imported addresses may contain passwords.
    return hide_passwords(json.dumps(value))


class TaskQueue(Store):
    def __init__(self, database: Database, *, lease_s: float, worker: str) -> None:
        super().__init__(database)
        self._lease_s = lease_s
        self._worker = worker

    add = writes(lambda task: Scope(user_id=task.user_id)).of(add_task)

    @writes(lambda task: Scope(user_id=task.user_id))
    def add_claimed(self, task: NewTask) -> Script[Task]:
        """Queue a task that this process runs itself; others take over if it dies."""
        id_ = yield from add_task(task)
        yield from take(TASKS, [id_], new_secret(), lease_s=self._lease_s, worker=self._worker)
        [row] = yield sql(f"SELECT {_COLUMNS} FROM tasks WHERE id = :id", id=id_)
        return value_of(Task, row)

    @writes(lambda task, *_, **__: Scope(user_id=task.user_id))
    def hand_over(self, task: Task, progress: Mapping[str, object]) -> Script[None]:
        change = f"progress = :value, run_at = now_us(), attempts = 0, {_UNLOCKED}"
        yield from _fenced(task, change, _dumped(progress))
        yield NotifyWorkers()

    @writes(WORKER)
    def claim(self, limit: int, *, for_people: bool | None = None) -> Script[list[Task]]:
        """Lease up to ``limit`` due tasks; park those that never finish.

        ``for_people`` selects tasks that somebody waits for, background tasks, or both (None).
        """
        rows = yield from due_rows(TASKS, "kind", limit, only=WHOSE[for_people])
        parked = [row["id"] for row in rows if row["attempts"] >= MAX_ATTEMPTS]
        if parked:
            yield from _park(parked, PARKED)
        ids = [row["id"] for row in rows if row["id"] not in parked]
        if not ids:
            return []
        yield from take(TASKS, ids, new_secret(), lease_s=self._lease_s, worker=self._worker)
        found = yield sql(f"SELECT {_COLUMNS} FROM tasks WHERE id = ANY(:ids) ORDER BY id", ids=ids)
        unreadable = [
            row["id"]
            for row in found
            if read_object(row["payload"]) is None
            or (row["progress"] is not None and read_object(row["progress"]) is None)
        ]
        if unreadable:
            log.critical("tasks_unreadable", tasks=unreadable, why=UNREADABLE)
            yield from _park(unreadable, UNREADABLE)
        return [value_of(Task, row) for row in found if row["id"] not in unreadable]

    @writes(WORKER)
    def heartbeat(self, tokens: Sequence[str]) -> Script[set[str]]:
        """Renew leases; return the tokens of those that still hold."""
        return (yield from renew(TASKS, list(tokens), lease_s=self._lease_s))

    @writes(WORKER)
    def release(self, tasks: Sequence[Task]) -> Script[None]:
        tokens = [task.lease_token for task in tasks if task.lease_token is not None]
        yield from release(TASKS, tokens)

    @writes(WORKER)
    def progress(self, task: Task, progress: Mapping[str, object]) -> Script[None]:
        """Store how far a task is; raise ``LeaseLost`` if the lease is lost."""
        yield from _fenced(task, "progress = :value", _dumped(progress))

    @writes(WORKER)
    def finish(self, task: Task, result: Mapping[str, object]) -> Script[None]:
        change = """result = :value, last_error = NULL, again = false,
            done_at = CASE WHEN again THEN NULL ELSE now_us() END,
            run_at = CASE WHEN again THEN now_us() ELSE run_at END,
            attempts = CASE WHEN again THEN 0 ELSE attempts END,
            progress = CASE WHEN again THEN NULL ELSE progress END"""
        yield from _fenced(task, f"{change}, {_UNLOCKED}", _dumped(result))

    @writes(WORKER)
    def fail(self, task: Task, error: str, retry_at: datetime | None) -> Script[None]:
        if retry_at is None:
            change = f"last_error = :value, done_at = now_us(), {_UNLOCKED}"
            yield from _fenced(task, change, error)
            return
        yield from _fenced(task, "last_error = :value", error)
        text = f"UPDATE tasks SET run_at = :at, {_UNLOCKED} WHERE id = :id"
        yield sql(text, id=task.id, at=to_us(retry_at))

    @reads(as_user)
    def find(self, user_id: int, task_id: int) -> Script[Task]:
        """Return one of a person's tasks; raise ``NotFound`` for others'."""
        text = f"SELECT {_COLUMNS} FROM tasks WHERE id = :id AND user_id = :user"
        query = sql(text, id=task_id, user=user_id)
        return value_of(Task, (yield from one(query, "Task not found.")))

    @reads(as_user)
    def latest(self, user_id: int, kind: str) -> Script[Task | None]:
        text = f"SELECT {_COLUMNS} FROM tasks WHERE user_id = :user AND kind = :kind"
        query = sql(f"{text} ORDER BY id DESC LIMIT 1", user=user_id, kind=kind)
        return (yield from value(Task, query))

    @reads(as_user)
    def stored_size(self, user_id: int, kind: str) -> Script[int]:
        """Return the stored size of a person's tasks of a kind, finished ones included."""
        text = """SELECT coalesce(sum(length(CAST(payload AS TEXT))), 0) FROM tasks
            WHERE user_id = :user AND kind = :kind"""
        return (yield from number(sql(text, user=user_id, kind=kind)))


# The plus keeps SQLite from reading all that ever was done for nobody.
WHOSE = {None: "true", True: "user_id IS NOT NULL", False: "+user_id IS NULL"}
_UNLOCKED = "lease_token = NULL, locked_until = NULL, locked_by = NULL"


def _park(ids: list[int], why: str) -> Script[None]:
    text = f"UPDATE tasks SET done_at = now_us(), last_error = :why, {_UNLOCKED}"
    yield sql(f"{text} WHERE id = ANY(:ids)", ids=ids, why=why)


def _fenced(task: Task, change: str, what: object) -> Script[None]:
    text = f"""UPDATE tasks SET {change} WHERE id = :id AND lease_token = :token
        AND locked_until > now_us() RETURNING id"""
    changed = sql(text, id=task.id, token=task.lease_token, value=what)
    if not (yield from exists(changed)):
        raise LeaseLost
