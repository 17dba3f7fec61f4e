"""Leases: which worker holds a row of the two queues, and the token that proves it.

A claim moves a row's due time to the end of its lease, so a row can be claimed exactly when it
is due, and an expired lease needs no rescue. All times are the database's.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from feedloom.model.work import MAX_ATTEMPTS, SUSPECT_ATTEMPTS, QueueDepth
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.values import SECOND, value_of

PARKED = f"Gave up after {MAX_ATTEMPTS} attempts that never finished."
UNREADABLE = "Its row is unreadable. Run `feedloom db check` for details."


@dataclass(frozen=True, slots=True)
class LeaseTable:
    name: str
    key: str
    due: str
    parked: str
    """Condition for rows that were given up."""
    open_rows: str = "true"
    """Condition for rows that are not finished."""


SCHEDULES = LeaseTable(
    "feed_schedules", "feed_id", "due_at", "next_run_at IS NULL AND last_error = ANY(:why)"
)
TASKS = LeaseTable(
    "tasks", "id", "run_at", "done_at IS NOT NULL AND result IS NULL", "done_at IS NULL"
)


def new_secret() -> str:
    """All tokens of one claim contain it."""
    return secrets.token_hex(16)


def token_of(secret: str, id_: int) -> str:
    return f"{secret}-{id_}"


def due_rows(
    table: LeaseTable, columns: str, limit: int, *, only: str = "true", first: str = ""
) -> Script[Sequence[Row]]:
    """Lock the rows due longest that no other claim has locked; ``first`` comes before the time."""
    text = f"""SELECT {table.key} AS id, attempts, now_us() AS now, {columns}
        FROM {table.name} WHERE {table.due} <= now_us() AND {table.open_rows}
        AND {only} ORDER BY {first}{table.due} LIMIT :limit FOR UPDATE SKIP LOCKED"""
    rows = yield sql(text, limit=limit)
    return apart(rows)


def apart(rows: Sequence[Row]) -> Sequence[Row]:
    """Return a job alone if two attempts at it never finished.

    It may be what killed its process. Jobs claimed together with it would die each time,
    too, and be parked in the end.
    """
    suspects = [row for row in rows if SUSPECT_ATTEMPTS <= row["attempts"] < MAX_ATTEMPTS]
    return suspects[:1] or rows


def take(
    table: LeaseTable, ids: list[int], secret: str, *, lease_s: float, worker: str
) -> Script[None]:
    """Lease locked rows. The attempt is counted now, because a job may kill its process."""
    text = f"""UPDATE {table.name} SET locked_by = :worker, attempts = attempts + 1,
        lease_token = CAST(:secret AS TEXT) || '-' || {table.key},
        locked_until = now_us() + :us, {table.due} = now_us() + :us
        WHERE {table.key} = ANY(:ids)"""
    yield sql(text, ids=ids, secret=secret, worker=worker, us=int(lease_s * SECOND))


def renew(table: LeaseTable, tokens: list[str], *, lease_s: float) -> Script[set[str]]:
    text = f"""UPDATE {table.name} SET locked_until = now_us() + :us, {table.due} = now_us() + :us
        WHERE lease_token = ANY(:tokens) AND locked_until > now_us() RETURNING lease_token"""
    rows = yield sql(text, tokens=tokens, us=int(lease_s * SECOND))
    return {row["lease_token"] for row in rows}


def release(table: LeaseTable, tokens: list[str]) -> Script[int]:
    text = f"""UPDATE {table.name} SET lease_token = NULL, locked_until = NULL,
        locked_by = NULL, attempts = attempts - 1, {table.due} = now_us()
        WHERE lease_token = ANY(:tokens) RETURNING {table.key}"""
    rows = yield sql(text, tokens=tokens)
    return len(rows)


def depth(table: LeaseTable) -> Script[QueueDepth]:
    due = f"{table.name} WHERE {table.due} <= now_us() AND {table.open_rows}"
    text = f"""SELECT now_us() AS now, (SELECT count(*) FROM {due}) AS due,
        (SELECT min({table.due}) FROM {due}) AS oldest,
        (SELECT count(*) FROM {table.name} WHERE lease_token IS NOT NULL
          AND locked_until > now_us()) AS running,
        (SELECT count(*) FROM {table.name} WHERE {table.parked}) AS parked"""
    [row] = yield sql(text, why=[PARKED, UNREADABLE])
    oldest = row["now"] if row["oldest"] is None else row["oldest"]
    return value_of(QueueDepth, row, lag_s=(row["now"] - oldest) / SECOND)
