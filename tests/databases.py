"""The databases a test may be given: where they are, never how they are made.

Both addresses of a SQLite database are the same file. On PostgreSQL the web address
signs in as a plain role that owns nothing, the worker address as the owner of the
database: row-level security is therefore as real in tests as in production.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from feedloom.store.engine.scripts import Script, sql

EngineKind = Literal["sqlite", "postgresql"]
KINDS: tuple[EngineKind, ...] = ("sqlite", "postgresql")
ENGINES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.second_engine))
"""What fixtures take as ``params``; `tests.selection` says which tests use both."""


@dataclass(frozen=True, slots=True)
class Databases:
    """One fresh, empty database and the two addresses Feedloom is given for it."""

    kind: EngineKind
    web_url: str
    worker_url: str


def sqlite_databases(folder: Path) -> Databases:
    """Name a database file in ``folder``; the file itself does not exist yet."""
    url = f"sqlite:///{folder / 'feedloom.db'}"
    return Databases(kind="sqlite", web_url=url, worker_url=url)


def schema_hash(kind: str) -> Script[str]:
    """Digest the schema of an open database."""
    if kind == "sqlite":
        rows = yield sql("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
    else:
        rows = yield sql(
            "SELECT 'column' AS type, table_name || '.' || column_name AS name,"
            " data_type || coalesce(column_default, '') || is_nullable AS sql"
            " FROM information_schema.columns WHERE table_schema = current_schema()"
            " UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes"
            " WHERE schemaname = current_schema()"
            " UNION ALL SELECT 'policy', tablename || policyname, coalesce(qual, '')"
            " FROM pg_policies ORDER BY 1, 2, 3"
        )
    lines = [f"{row['type']} {row['name']} {row['sql']}" for row in rows]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
