"""Queries and writes that many scripts share: one row, a number, a quota, a row by its columns."""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar, cast

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.store.engine.scripts import Query, Row, Script, Search, sql
from feedloom.store.values import value_of

T = TypeVar("T")

NOW: Final = object()
"""As the value of a column: the database's time."""


def first(query: Query | Search) -> Script[Row | None]:
    rows = yield query
    return rows[0] if rows else None


def one(query: Query, missing: str) -> Script[Row]:
    """Return the first row; raise ``NotFound`` with a sentence when there is none."""
    rows = yield query
    if not rows:
        raise NotFound(missing)
    return rows[0]


def value(kind: Callable[..., T], query: Query) -> Script[T | None]:
    """Return the first row as a value, whose fields are named like its columns."""
    rows = yield query
    return value_of(kind, rows[0]) if rows else None


def values(kind: Callable[..., T], query: Query) -> Script[list[T]]:
    rows = yield query
    return [value_of(kind, row) for row in rows]


def exists(query: Query) -> Script[bool]:
    rows = yield query
    return bool(rows)


def numbers(query: Query | Search) -> Script[list[int]]:
    """Return the first column."""
    rows = yield query
    # Iterated, rows give their values on both engines.
    return [next(iter(cast("Iterable[int]", row))) for row in rows]


def number(query: Query | Search) -> Script[int]:
    """Return the first column of the only row."""
    [found] = yield from numbers(query)
    return found


def now_us() -> Script[int]:
    return (yield from number(sql("SELECT now_us()")))


def check_quota(
    table: str, user_id: int, *, most: int, noun: str, field: str, more: int = 1
) -> Script[None]:
    """Raise ``InvalidInput`` when a person would have more rows than they may."""
    text = f"SELECT count(*) FROM {table} WHERE user_id = :user"
    if (yield from number(sql(text, user=user_id))) + more > most:
        raise InvalidInput(f"You have {most} {noun}, which is the maximum.", field=field)


def insert(table: str, tail: str = "", /, **values: object) -> Query:
    """Write one row; ``tail`` is what follows its values."""
    names, marks = ", ".join(values), ", ".join(map(_mark, values, values.values()))
    return Query(f"INSERT INTO {table} ({names}) VALUES ({marks}) {tail}", values)


def upsert(table: str, key: str, tail: str = "", /, **values: object) -> Query:
    """Write one row, over the one that has the same ``key``."""
    return insert(table, f"{overwriting(key, values)} {tail}", **values)


def overwriting(key: str, columns: Iterable[str]) -> str:
    """Say that a new row takes the place of the one that has the same ``key``."""
    keys = key.split(", ")
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in keys)
    return f"ON CONFLICT ({key}) DO UPDATE SET {changes}"


def update(table: str, row_id: int, /, **values: object) -> Query:
    changes = ", ".join(f"{name} = {_mark(name, value)}" for name, value in values.items())
    return Query(f"UPDATE {table} SET {changes} WHERE id = :row_id", values | {"row_id": row_id})


def _mark(name: str, value: object) -> str:
    return "now_us()" if value is NOW else f":{name}"


def audit(
    actor: str,
    action: str,
    subject: str,
    *,
    why: str,
    before: str | None = None,
    after: str | None = None,
) -> Query:
    """Record who changed what, the old and new value, and why."""
    changed = {"before_value": before, "after_value": after, "why": why}
    return insert("audit_log", at=NOW, actor=actor, action=action, subject=subject, **changed)


def like_pattern(text: str) -> str:
    r"""Match a part of a text in ``LIKE … ESCAPE '\'``."""
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"
