"""Encryption of stored values: passwords, cookies and secrets of feeds.

A script passes a ``Secret`` as a parameter; the engine stores ``{sealed:key:text}`` in its
place and gives back what it was when a row is read. The cipher (AES-SIV) makes the same
of the same, so that encrypted values can be compared. Whoever has the database alone
cannot read them; whoever has the key as well can.

Only values that a script marked are encrypted, and only columns in ``_COLUMNS`` are
opened, at the two places where nobody else's text can stand: at the beginning of a value,
and between ``://`` and ``@``.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from feedloom.model.errors import ConfigError
from feedloom.store.engine.scripts import Insert, Query, Row, Script, Statement, sql

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

T = TypeVar("T")

_COLUMNS = frozenset({"url", "feed_url", "cookie", "payload", "result", "progress", "secret"})
_CREDENTIALS = re.compile(r"(?<=://)([^/?#\s\"]+)(?=@)")
SEALED = "{sealed:"
TOKEN = re.compile(r"\{sealed:([^:}]*):?([^}]*)\}@?")
_IN_PLACE = re.compile(rf"(?:^|(?<=://)){TOKEN.pattern}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A text of which every second part is encrypted, the second first."""

    parts: tuple[str, ...]


def hide_passwords(text: str) -> str | Secret:
    """Mark the user names and passwords of all addresses in a text."""
    parts = _CREDENTIALS.split(text)
    return Secret(tuple(parts)) if len(parts) > 1 else text


def hide(text: str | None) -> Secret | None:
    """Mark all of a text."""
    return Secret(("", text, "")) if text else None


class _Key:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.id = hmac.digest(secret, b"id of the key", "sha256").hex()[:8]

    @cached_property
    def cipher(self) -> AESSIV:
        from cryptography.hazmat.primitives.ciphers import aead  # noqa: PLC0415 - loaded late

        return aead.AESSIV(hmac.digest(self._secret, b"feed passwords", hashlib.sha512))


class _Opened(dict[str, Any]):
    """A row with its secrets; iterated it gives its values, as the engines' own do."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values())


class Keys:
    """The key that values are encrypted with, and earlier ones; loaded for the first secret."""

    def __init__(self, load: Callable[[], Iterable[bytes]] | None = None) -> None:
        self._load = load
        self.may_encrypt = load is not None

    @cached_property
    def _keys(self) -> list[_Key]:
        return [_Key(secret) for secret in self._load()] if self._load else []

    def has(self, key_id: str) -> bool:
        return any(key.id == key_id for key in self._keys)

    def sealed(self, statement: Statement) -> Statement:
        """Encrypt the parameters that are secrets."""
        if isinstance(statement, Query):
            if not any(isinstance(one, Secret) for one in statement.params.values()):
                return statement
            params = {n: self._sealed(one) for n, one in statement.params.items()}
            return Query(statement.text, params)
        if isinstance(statement, Insert) and statement.has_secrets:
            rows = [tuple(map(self._sealed, row)) for row in statement.rows]
            return msgspec.structs.replace(statement, rows=rows)
        return statement

    def opened(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Decrypt what rows hold; what no key opens is left out."""
        if self._load is None or not rows:
            return rows
        # By place: a first sync reads tens of thousands of rows.
        places = [place for place, name in enumerate(rows[0].keys()) if name in _COLUMNS]
        return [self._opened(row, places) for row in rows] if places else rows

    def _opened(self, row: Any, places: Sequence[int]) -> Row:
        for place in places:
            text = row[place]
            if isinstance(text, str) and SEALED in text:
                break
        else:
            return row  # type: ignore[no-any-return]
        return _Opened(
            (name, self.open(value) if name in _COLUMNS and isinstance(value, str) else value)
            for name, value in zip(row.keys(), row, strict=True)
        )

    def _sealed(self, value: T | Secret) -> T | str:
        return self.seal(value) if isinstance(value, Secret) else value

    def seal(self, secret: Secret) -> str:
        if not self.may_encrypt:
            raise ConfigError(OTHER_KEY)
        key, parts = self._keys[0], list(secret.parts)
        for place in range(1, len(parts), 2):
            data = urlsafe_b64encode(key.cipher.encrypt(parts[place].encode(), None)).decode()
            parts[place] = f"{SEALED}{key.id}:{data}}}"
        return "".join(parts)

    def open(self, text: str) -> str:
        """Return a stored value as it was; what no key opens is left out."""
        return _IN_PLACE.sub(self._open, text)

    def opens(self, token: str) -> bool:
        return bool(TOKEN.sub(self._open, token))

    def _open(self, match: re.Match[str]) -> str:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - loaded late

        for key in self._keys:
            if key.id == match[1]:
                try:
                    text = key.cipher.decrypt(urlsafe_b64decode(match[2]), None)
                    return text.decode() + match[0].rpartition("}")[2]
                except (InvalidTag, ValueError):
                    return ""
        return ""


OTHER_KEY = (
    "Feed passwords and cookies in this database are encrypted with another key. Set"
    " FEEDLOOM_SECRET_KEY to the same value for all processes, or put the file"
    " `secret-key` that belongs to the database into the data folder. If the key is"
    " lost, `feedloom db forget-passwords` removes what it encrypted."
)
NO_KEYS = Keys()


_HAS_CREDENTIALS = "CAST({column} AS TEXT) LIKE '%://%@%'"
_IS_SEALED = f"CAST({{column}} AS TEXT) LIKE '%{SEALED}%'"
_HOLDERS: tuple[tuple[str, str, str, Callable[[str], str | Secret | None]], ...] = (
    ("feeds", "url", _HAS_CREDENTIALS, hide_passwords),
    ("subscriptions", "cookie", "cookie IS NOT NULL", hide),
    ("tasks", "payload", _HAS_CREDENTIALS, hide_passwords),
    ("tasks", "result", _HAS_CREDENTIALS, hide_passwords),
    ("tasks", "progress", _HAS_CREDENTIALS, hide_passwords),
    ("websub", "secret", "secret <> ''", hide),
)
"""Table, column, a quick condition that finds secrets, and how they are marked."""


def encrypt_all(kind: str, keys: Keys) -> Script[int]:
    """Encrypt secrets that are in plain text or under an earlier key; count them."""
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
                text = f"UPDATE {table} SET {column} = :value WHERE {_key(table)} = :id"
                yield sql(text, value=hidden, id=id_)
    return count


def forget_unreadable(keys: Keys) -> Script[int]:
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
            else:
                text = f"UPDATE {table} SET {column} = :kept WHERE id = :id"
                yield sql(text, kept=kept or None, id=id_)
    return count


def find_unreadable(keys: Keys) -> Script[list[str]]:
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
    rows = yield from _stored("feeds", "url", f"{_IS_SEALED} LIMIT 1")
    rows += yield from _stored("websub", "secret", f"{_IS_SEALED} LIMIT 1")
    return any(not keys.has(match[1]) for _, stored in rows for match in TOKEN.finditer(stored))


def _stored(table: str, column: str, condition: str) -> Script[list[tuple[int, str]]]:
    """Read ids and values as they are stored: under this name they are not opened."""
    rows = yield sql(f"""SELECT {_key(table)} AS id, {column} AS stored FROM {table}
        WHERE {condition.replace("{column}", column)}""")
    return [(row["id"], row["stored"]) for row in rows]


def _key(table: str) -> str:
    return "feed_id" if table == "websub" else "id"
