"""One application per module and engine; every test brings its own people and feeds."""

import uuid
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from feedloom.app import open_house
from tests import postgres as pg
from tests.databases import ENGINES, sqlite_databases
from tests.houses import settings_for
from tests.journeys.sync.desk import Desk, Person


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=ENGINES)
async def desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Desk]:
    """Hand out the application in process on a database of its own."""
    folder = tmp_path_factory.mktemp("sync")
    if request.param == "sqlite":
        async with open_house(settings_for(sqlite_databases(folder), folder)) as house:
            yield Desk(house)
        return
    postgres: pg.PostgresServer = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    databases = postgres.create_database(name)
    async with open_house(settings_for(databases, folder)) as house:
        yield Desk(house)
    postgres.drop_database(name)


@pytest_asyncio.fixture(loop_scope="module")
async def ada(desk: Desk) -> Person:
    return await desk.person()


@pytest_asyncio.fixture(loop_scope="module")
async def bob(desk: Desk) -> Person:
    return await desk.person()
