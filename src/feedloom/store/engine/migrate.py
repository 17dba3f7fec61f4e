"""Bring a schema up to date: forward only, all pending steps in one transaction.

The lock is the transaction itself on SQLite and an advisory lock on PostgreSQL, so of
ten starters one migrates and nine find nothing to do. A kill in between rolls back.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from feedloom.model.errors import SchemaTooNew
from feedloom.store.engine.dialect import TYPES
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.engine.sqlite import APPLICATION_ID

_TOKEN = re.compile(r"\{(\w+)\}")
_NAME = re.compile(r"(\d{4})\.sql")
_LOCK_KEY = 0x464C4F4D
_TABLE = (
    "CREATE TABLE IF NOT EXISTS schema_migrations ("
    "version INTEGER PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    statements: tuple[str, ...]

    @property
    def checksum(self) -> str:
        """A digest of the statements, to see that history was not rewritten."""
        return hashlib.sha256("\n".join(self.statements).encode()).hexdigest()[:16]


@cache
def migrations(kind: str) -> tuple[Migration, ...]:
    folder = resources.files("feedloom.store") / "migrations"
    versions = sorted(
        int(match[1]) for file in folder.iterdir() if (match := _NAME.fullmatch(file.name))
    )
    found = []
    for version in versions:
        texts = [(folder / f"{version:04}.sql").read_text("utf-8")]
        own = folder / f"{version:04}.{kind}.sql"
        if own.is_file():
            texts.append(own.read_text("utf-8"))
        statements = tuple(s for text in texts for s in _statements(text, kind))
        found.append(Migration(version, statements))
    return tuple(found)


def _statements(text: str, kind: str) -> Iterator[str]:
    types = TYPES[kind]
    text = _TOKEN.sub(lambda match: types.get(match[1], match[0]), text)
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    for statement in "\n".join(lines).split(";\n"):
        if statement.strip():
            yield statement.strip().removesuffix(";")


def migrate(kind: str) -> Script[list[int]]:
    known = migrations(kind)
    if kind == "postgresql":
        yield sql("SELECT pg_advisory_xact_lock(:key)", key=_LOCK_KEY)
    yield sql(_TABLE)
    [row] = yield sql("SELECT coalesce(max(version), 0) AS version FROM schema_migrations")
    current: int = row["version"]
    if current > known[-1].version:
        raise SchemaTooNew
    pending = [migration for migration in known if migration.version > current]
    for migration in pending:
        for statement in migration.statements:
            yield sql(statement)
        text = """INSERT INTO schema_migrations (version, checksum, applied_at)
            VALUES (:version, :checksum, now_us())"""
        yield sql(text, version=migration.version, checksum=migration.checksum)
    if kind == "sqlite" and pending:
        yield sql(f"PRAGMA application_id = {APPLICATION_ID}")
    return [migration.version for migration in pending]


def current_version(kind: str) -> Script[int]:
    is_there = {
        "sqlite": "sqlite_master WHERE name = 'schema_migrations'",
        "postgresql": "pg_class WHERE oid = to_regclass('schema_migrations')",
    }
    if not (yield sql(f"SELECT 1 FROM {is_there[kind]}")):
        return 0
    [row] = yield sql("SELECT coalesce(max(version), 0) AS version FROM schema_migrations")
    version: int = row["version"]
    return version
