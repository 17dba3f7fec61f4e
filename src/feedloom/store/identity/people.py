"""Rows of ``users`` as people, for every script that finds somebody."""

import json
from collections.abc import Mapping

from feedloom.model.reader import User, password_mark
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.values import read_object, value_of

USER_COLUMNS = (
    "id, email, role, tenant_id, settings, password_hash, created_at, disabled_at, learns"
)


def find_person(user_id: int) -> Script[User | None]:
    rows = yield sql(f"SELECT {USER_COLUMNS} FROM users WHERE id = :id", id=user_id)
    return read_user(rows[0]) if rows else None


def read_user(row: Row) -> User:
    password = row["password_hash"]
    return value_of(
        User,
        row,
        settings=read_object(row["settings"]) or {},
        has_password=password is not None,
        password_mark=password_mark(password),
    )


def record_event(user_id: int, event_type: str, metadata: Mapping[str, object]) -> Script[None]:
    yield sql(
        "INSERT INTO events (user_id, event_type, metadata, created_at)"
        " VALUES (:user, :type, :metadata, now_us())",
        user=user_id,
        type=event_type,
        metadata=json.dumps(metadata),
    )
