"""One application per module and engine; every test brings its own people and feeds."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from feedloom.app import open_container
from tests.containers import settings_for
from tests.databases import ENGINES
from tests.journeys.sync.desk import Desk, Person
from tests.templates import fresh_databases


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=ENGINES)
async def desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Desk]:
    """Hand out the application in process on a database of its own."""
    folder = tmp_path_factory.mktemp("sync")
    with fresh_databases(request, folder) as databases:
        async with open_container(settings_for(databases, folder)) as container:
            yield Desk(container)


@pytest_asyncio.fixture(loop_scope="module")
async def ada(desk: Desk) -> Person:
    return await desk.person()


@pytest_asyncio.fixture(loop_scope="module")
async def bob(desk: Desk) -> Person:
    return await desk.person()
