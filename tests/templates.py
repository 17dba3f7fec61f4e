"""Fresh, migrated databases as copies of one that was migrated once per test process.

Copying a PostgreSQL database takes longer than most tests, so `tests.recycling` empties
used ones for the next test.
"""

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from feedloom.store import DatabaseURL, upgrade
from tests import postgres as pg
from tests import recycling
from tests.databases import Databases, sqlite_databases


@contextmanager
def fresh_databases(request: pytest.FixtureRequest, folder: Path) -> Iterator[Databases]:
    """Create the database of a fixture that is parametrised over the engines."""
    if request.param == "sqlite":
        shutil.copy(_migrated_file(), folder / "feedloom.db")
        yield sqlite_databases(folder)
        return
    with migrated_postgres(request.getfixturevalue("postgres")) as databases:
        yield databases


@contextmanager
def migrated_postgres(server: pg.PostgresServer) -> Iterator[Databases]:
    """Provide a migrated database without rows of other tests."""
    template = server.ensure_template("migrated", _migrate)
    used = recycling.take(server, template)
    yield server.databases(used.name)
    recycling.give_back(server, used)


@cache
def _migrated_file() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="feedloom-template-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _migrate(sqlite_databases(folder))
    return folder / "feedloom.db"


def _migrate(databases: Databases) -> None:
    web, worker = map(DatabaseURL.parse, (databases.web_url, databases.worker_url))
    steps = upgrade(web, worker)
    # A fixture may be asked for while a loop runs here, which allows no second one.
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(asyncio.run, steps).result()
