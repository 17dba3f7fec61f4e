"""Fault tests take their time in the long form, and are bounded in both."""

import logging
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tests.conftest import IS_LONG_RUN
from tests.databases import Databases, sqlite_databases
from tests.postgres import PostgresServer, private_server

LONGEST_S = 1_200 if IS_LONG_RUN else 240


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "faults":
            item.add_marker(pytest.mark.timeout(LONGEST_S))


@pytest.fixture
def other(
    request: pytest.FixtureRequest, empty_engine_url: Databases, tmp_path: Path
) -> Iterator[Databases]:
    """Hand out a second empty database on the same engine."""
    if empty_engine_url.kind == "sqlite":
        (tmp_path / "other").mkdir()
        yield sqlite_databases(tmp_path / "other")
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    yield postgres.create_database(name)
    postgres.drop_database(name)


@pytest.fixture
def durable_postgres() -> Iterator[PostgresServer]:
    """Hand out a server that writes to its disk as in production."""
    with private_server(fsync=True) as server:
        yield server


@pytest.fixture(autouse=True)
def quiet_logs() -> Iterator[None]:
    """Leave out what is expected here by the hundred: drawn tracebacks take seconds."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)
