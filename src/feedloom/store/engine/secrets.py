"""Rows that hold secrets: encrypting and checking all of them."""

from collections.abc import Callable

from feedloom.model.errors import ConfigError
from feedloom.store.engine.encryption import (
    OTHER_KEY,
    SEALED,
    TOKEN,
    Keys,
    Secret,
    hide,
    hide_passwords,
)
from feedloom.store.engine.scripts import Script, sql

_Hide = Callable[[str], str | Secret | None]
_HAS_CREDENTIALS = "CAST({column} AS TEXT) LIKE '%://%@%'"
_IS_SEALED = f"CAST({{column}} AS TEXT) LIKE '%{SEALED}%'"
_HOLDERS: tuple[tuple[str, str, str, _Hide], ...] = (
    ("feeds", "url", _HAS_CREDENTIALS, hide_passwords),
    ("subscriptions", "cookie", "cookie IS NOT NULL", hide),
    ("tasks", "payload", _HAS_CREDENTIALS, hide_passwords),
    ("tasks", "result", _HAS_CREDENTIALS, hide_passwords),
    ("tasks", "progress", _HAS_CREDENTIALS, hide_passwords),
    ("websub", "secret", "secret <> ''", hide),
)
"""Table, column, a quick condition that finds secrets, and how they are marked."""
_KEYS = {"websub": "feed_id"}
"""What rows are known by, where it is not their ``id``."""


def encrypt_all(kind: str, keys: Keys) -> Script[int]:
    """Encrypt secrets that are in plain text or under an earlier key; count them.

    Raises ``ConfigError`` when some are encrypted with a key that is not there.
    """
    if kind == "sqlite":
        # The plain text is overwritten, not only given up.
        yield sql("PRAGMA secure_delete = ON")
    count = 0
    for table, column, condition, mark in _HOLDERS:
        for id_, stored in (yield from _stored(table, column, condition)):
            if not all(keys.has(match[1]) for match in TOKEN.finditer(stored)):
                raise ConfigError(OTHER_KEY)
            hidden = mark(keys.open(stored))
            if isinstance(hidden, Secret) and keys.seal(hidden) != stored:
                count += 1
                yield sql(
                    f"UPDATE {table} SET {column} = :value WHERE {_key(table)} = :id",
                    value=hidden,
                    id=id_,
                )
    return count


def forget(keys: Keys) -> Script[int]:
    """Remove what none of the keys opens, and nothing else of its rows; count them."""
    count = 0
    for table, column, *_ in _HOLDERS:
        for id_, stored in (yield from _stored(table, column, _IS_SEALED)):
            kept = TOKEN.sub(lambda m: m[0] if keys.opens(m[0]) else "", stored)
            if kept == stored:
                continue
            count += 1
            if table == "websub":
                # A hub is asked anew, with another secret.
                yield sql("DELETE FROM websub WHERE feed_id = :id", id=id_)
                continue
            yield sql(
                f"UPDATE {table} SET {column} = :kept WHERE id = :id", kept=kept or None, id=id_
            )
    return count


def faults(keys: Keys) -> Script[list[str]]:
    """Tell which rows hold secrets that cannot be read."""
    found = []
    for table, column, *_ in _HOLDERS:
        rows = yield from _stored(table, column, _IS_SEALED)
        unreadable = sum(
            not all(keys.opens(match[0]) for match in TOKEN.finditer(stored)) for _, stored in rows
        )
        if unreadable:
            found.append(
                f"{unreadable} rows of {table} have a secret in {column} that cannot be decrypted."
            )
    return [*found, OTHER_KEY] if found else []


def has_unknown_key(keys: Keys) -> Script[bool]:
    """Tell whether secrets of feeds are encrypted with another key; for the web."""
    first = f"{_IS_SEALED} LIMIT 1"
    rows = yield from _stored("feeds", "url", first)
    rows += yield from _stored("websub", "secret", first)
    return any(not keys.has(match[1]) for _, stored in rows for match in TOKEN.finditer(stored))


def _stored(table: str, column: str, condition: str) -> Script[list[tuple[int, str]]]:
    """Read ids and values as they are stored: under this name they are not opened."""
    rows = yield sql(
        f"SELECT {_key(table)} AS id, {column} AS stored FROM {table}"
        f" WHERE {condition.replace('{column}', column)}"
    )
    return [(row["id"], row["stored"]) for row in rows]


def _key(table: str) -> str:
    return _KEYS.get(table, "id")
