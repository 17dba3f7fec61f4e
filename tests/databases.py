"""The databases a test may be given: where they are, never how they are made.

Both addresses of a SQLite database are the same file. On PostgreSQL the web address
signs in as a plain role that owns nothing, the worker address as the owner of the
database: row-level security is therefore as real in tests as in production.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

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
