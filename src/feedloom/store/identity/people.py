"""Rows of ``users`` as people, for every script that finds somebody."""

import json

from feedloom.model.reader import Role, User, password_mark
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.times import from_us, maybe_time

USER_COLUMNS = (
    "id, email, role, tenant_id, settings, password_hash, created_at, disabled_at"
)


def find_person(user_id: int) -> Script[User | None]:
    rows = yield sql(f"SELECT {USER_COLUMNS} FROM users WHERE id = :id", id=user_id)
    return read_user(rows[0]) if rows else None


def read_user(row: Row) -> User:
    """Read a row of ``users``."""
    return User(
        id=row["id"],
        email=row["email"],
        role=Role(row["role"]),
        tenant_id=row["tenant_id"],
        settings=json.loads(settings) if (settings := row["settings"]) != "{}" else {},
        has_password=row["password_hash"] is not None,
        created_at=from_us(row["created_at"]),
        disabled_at=maybe_time(row["disabled_at"]),
        password_mark=password_mark(row["password_hash"]),
    )
