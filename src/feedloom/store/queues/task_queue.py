"""The queue of everything else that runs later: discovery, imports, enrichment."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from feedloom.model.errors import LeaseLost, NotFound
from feedloom.model.work import MAX_ATTEMPTS, NewTask, QueueDepth, Task
from feedloom.store.engine.steps import (
    WORKER,
    Database,
    Many,
    Nudge,
    Row,
    Scope,
    Steps,
    sql,
)
from feedloom.store.queues.leases import (
    PARKED,
    TASKS,
    depth_of,
    due_rows,
    new_secret,
    release,
    renew,
    take,
)
from feedloom.store.times import maybe_time, maybe_us

_COLUMNS = (
    "id, kind, payload, user_id, attempts, lease_token, last_error, progress, result,"
    " created_at, done_at"
)


class TaskQueue:
    """Tasks as rows. Implements the port of the same name."""

    def __init__(self, database: Database, *, lease_s: float, worker: str) -> None:
        self._database = database
        self._lease_s = lease_s
        self._worker = worker

    async def add(self, task: NewTask) -> int:
        """Queue a task; one unfinished task per ``unique_key``: its id is returned."""
        return await self._database.write(Scope(user_id=task.user_id), add_task, task)

    async def add_claimed(self, task: NewTask) -> Task:
        """Queue a task that this process is doing already; others get it if we end."""
        return await self._database.write(
            Scope(user_id=task.user_id),
            _add_claimed,
            task,
            lease_s=self._lease_s,
            worker=self._worker,
        )

    async def hand_over(self, task: Task, progress: Mapping[str, object]) -> None:
        """Give a task to the workers at once, with what was found out so far."""
        await self._database.write(
            Scope(user_id=task.user_id), _hand_over, task, json.dumps(progress)
        )

    async def claim(self, limit: int, *, for_people: bool | None = None) -> list[Task]:
        """Lease up to ``limit`` due tasks; those that never finish are parked.

        Only those somebody waits for, or only those of the house; None for both.
        """
        return await self._database.write(
            WORKER,
            _claim,
            limit,
            for_people=for_people,
            lease_s=self._lease_s,
            worker=self._worker,
        )

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        """Renew leases; whoever is missing from the answer has lost its task."""
        return await self._database.write(
            WORKER, renew, TASKS, list(tokens), lease_s=self._lease_s
        )

    async def release(self, tasks: Sequence[Task]) -> None:
        """Give tasks back unfinished, without burning an attempt."""
        await self._database.write(WORKER, release, TASKS, _tokens(tasks))

    async def progress(self, task: Task, progress: Mapping[str, object]) -> None:
        """Tell how far a task is; raise ``LeaseLost`` when it is no longer ours."""
        await self._database.write(
            WORKER, _fenced, task, "progress = :value", json.dumps(progress)
        )

    async def finish(self, task: Task, result: Mapping[str, object]) -> None:
        """Settle a task with its result."""
        change = (
            "result = :value, last_error = NULL, again = false,"
            " done_at = CASE WHEN again THEN NULL ELSE now_us() END,"
            " run_at = CASE WHEN again THEN now_us() ELSE run_at END,"
            " attempts = CASE WHEN again THEN 0 ELSE attempts END,"
            " progress = CASE WHEN again THEN NULL ELSE progress END"
        )
        await self._database.write(
            WORKER, _fenced, task, f"{change}, {_UNLOCKED}", json.dumps(result)
        )

    async def fail(self, task: Task, error: str, retry_at: datetime | None) -> None:
        """Settle a failed try: run again at ``retry_at``, or park (None)."""
        await self._database.write(WORKER, _fail, task, error, maybe_us(retry_at))

    async def find(self, user_id: int, task_id: int) -> Task:
        """Return one of a person's tasks; raise ``NotFound`` for others'."""
        return await self._database.read(
            Scope(user_id=user_id), _find, user_id, task_id
        )

    async def latest(self, user_id: int, kind: str) -> Task | None:
        """Return a person's newest task of a kind."""
        return await self._database.read(Scope(user_id=user_id), _latest, user_id, kind)

    async def depth(self) -> QueueDepth:
        """Count what waits, runs and is parked."""
        return await self._database.read(WORKER, _depth)


# The plus keeps SQLite from reading all that ever was done for nobody.
WHOSE = {None: "true", True: "user_id IS NOT NULL", False: "+user_id IS NULL"}
_UNLOCKED = "lease_token = NULL, locked_until = NULL, locked_by = NULL"


def add_task(task: NewTask) -> Steps[int]:
    """Queue a task inside a caller's transaction."""
    rows = yield sql(
        "INSERT INTO tasks (kind, payload, unique_key, user_id, run_at, created_at)"
        " VALUES (:kind, :payload, :key, :user, coalesce(CAST(:at AS BIGINT), now_us()),"
        " now_us())"
        " ON CONFLICT (unique_key) WHERE done_at IS NULL"
        # What runs already is left alone and runs once more: it may be too far on.
        " DO UPDATE SET again = coalesce(tasks.locked_until > now_us(), false),"
        " run_at = CASE WHEN tasks.locked_until > now_us() THEN tasks.run_at"
        "   ELSE LEAST(tasks.run_at, excluded.run_at) END"
        " RETURNING id",
        kind=task.kind.value,
        payload=json.dumps(task.payload),
        key=task.unique_key,
        user=task.user_id,
        at=maybe_us(task.run_at),
    )
    yield Nudge()
    id_: int = rows[0]["id"]
    return id_


def _add_claimed(task: NewTask, *, lease_s: float, worker: str) -> Steps[Task]:
    id_ = yield from add_task(task)
    secret = new_secret()
    yield from take(TASKS, [id_], secret=secret, lease_s=lease_s, worker=worker)
    rows = yield sql(f"SELECT {_COLUMNS} FROM tasks WHERE id = :id", id=id_)
    return _task(rows[0])


def _hand_over(task: Task, progress: str) -> Steps[None]:
    yield from _fenced(
        task,
        f"progress = :value, run_at = now_us(), attempts = 0, {_UNLOCKED}",
        progress,
    )
    yield Nudge()


def _claim(
    limit: int, *, for_people: bool | None, lease_s: float, worker: str
) -> Steps[list[Task]]:
    rows = yield from due_rows(TASKS, "kind", limit, only=WHOSE[for_people])
    parked = [row["id"] for row in rows if row["attempts"] >= MAX_ATTEMPTS]
    if parked:
        yield sql(
            f"UPDATE tasks SET done_at = now_us(), last_error = :why, {_UNLOCKED}"
            " WHERE id = ANY(:ids)",
            ids=parked,
            why=PARKED,
        )
    ids = [row["id"] for row in rows if row["id"] not in parked]
    if not ids:
        return []
    secret = new_secret()
    yield from take(TASKS, ids, secret=secret, lease_s=lease_s, worker=worker)
    found = yield sql(
        f"SELECT {_COLUMNS} FROM tasks WHERE id = ANY(:ids) ORDER BY id",
        ids=ids,
    )
    return [_task(row) for row in found]


def _fenced(task: Task, change: str, value: object) -> Steps[None]:
    rows = yield sql(
        f"UPDATE tasks SET {change} WHERE id = :id AND lease_token = :token"
        " AND locked_until > now_us() RETURNING id",
        id=task.id,
        token=task.lease_token,
        value=value,
    )
    if not rows:
        raise LeaseLost


def _fail(task: Task, error: str, retry_at: int | None) -> Steps[None]:
    if retry_at is None:
        change = f"last_error = :value, done_at = now_us(), {_UNLOCKED}"
        yield from _fenced(task, change, error)
        return
    yield from _fenced(task, "last_error = :value", error)
    yield Many(
        f"UPDATE tasks SET run_at = :at, {_UNLOCKED} WHERE id = :id",
        [{"id": task.id, "at": retry_at}],
    )


def _find(user_id: int, task_id: int) -> Steps[Task]:
    rows = yield sql(
        f"SELECT {_COLUMNS} FROM tasks WHERE id = :id AND user_id = :user",
        id=task_id,
        user=user_id,
    )
    if not rows:
        raise NotFound("There is no such task.")
    return _task(rows[0])


def _latest(user_id: int, kind: str) -> Steps[Task | None]:
    rows = yield sql(
        f"SELECT {_COLUMNS} FROM tasks WHERE user_id = :user AND kind = :kind"
        " ORDER BY id DESC LIMIT 1",
        user=user_id,
        kind=kind,
    )
    return _task(rows[0]) if rows else None


def _depth() -> Steps[QueueDepth]:
    rows = yield sql(
        "SELECT now_us() AS now,"
        " (SELECT count(*) FROM tasks WHERE run_at <= now_us() AND done_at IS NULL)"
        "   AS due,"
        " (SELECT min(run_at) FROM tasks WHERE run_at <= now_us() AND done_at IS NULL)"
        "   AS oldest,"
        " (SELECT count(*) FROM tasks WHERE lease_token IS NOT NULL"
        "   AND locked_until > now_us()) AS running,"
        " (SELECT count(*) FROM tasks WHERE done_at IS NOT NULL AND result IS NULL)"
        "   AS parked"
    )
    return depth_of(rows[0])


def _task(row: Row) -> Task:
    return Task(
        id=row["id"],
        kind=row["kind"],
        payload=json.loads(row["payload"]),
        user_id=row["user_id"],
        attempts=row["attempts"],
        lease_token=row["lease_token"],
        last_error=row["last_error"],
        progress=_maybe_json(row["progress"]),
        result=_maybe_json(row["result"]),
        created_at=maybe_time(row["created_at"]),
        done_at=maybe_time(row["done_at"]),
    )


def _maybe_json(text: str | None) -> dict[str, Any] | None:
    return None if text is None else json.loads(text)


def _tokens(tasks: Sequence[Task]) -> list[str]:
    return [task.lease_token for task in tasks if task.lease_token is not None]
