"""Fault tests take their time in the long form, and are bounded in both."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import IS_LONG_RUN
from tests.databases import Databases, sqlite_databases
from tests.postgres import PostgresServer

LONGEST_S = 1_250 if IS_LONG_RUN else 240


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "faults":
            item.add_marker(pytest.mark.timeout(LONGEST_S))


@pytest.fixture
def other(
    request: pytest.FixtureRequest, engine_url: Databases, tmp_path: Path
) -> Iterator[Databases]:
    """Hand out a second empty database on the same engine."""
    if engine_url.kind == "sqlite":
        (tmp_path / "other").mkdir()
        yield sqlite_databases(tmp_path / "other")
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    yield postgres.create_database(name)
    postgres.drop_database(name)
