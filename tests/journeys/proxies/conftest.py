"""A desk on either engine; the server and its database are shared by a module."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from feedloom.app import Container, open_container
from tests.containers import settings_for
from tests.databases import ENGINES
from tests.journeys.proxies.desk import Desk
from tests.journeys.proxies.lab import Lab
from tests.model_api import ModelAPI
from tests.publisher import Publisher
from tests.serving import Server, publisher, serve, server, shared_server
from tests.templates import fresh_databases

__all__ = ["publisher", "serve", "server", "shared_server"]


@pytest.fixture
async def desk(shared_server: Server, publisher: Publisher) -> Desk:
    """Hand out a desk with a publisher of its own."""
    return Desk(shared_server, publisher)


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=ENGINES)
async def open_lab(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Container, Publisher, ModelAPI]]:
    """Open a house, a publisher and a model service once per module and engine."""
    folder = tmp_path_factory.mktemp("lab")
    async with AsyncExitStack() as stack:
        databases = stack.enter_context(fresh_databases(request, folder))
        container = await stack.enter_async_context(open_container(settings_for(databases, folder)))
        running = await stack.enter_async_context(Publisher())
        api = await stack.enter_async_context(ModelAPI())
        yield container, running, api


@pytest_asyncio.fixture(loop_scope="module")
async def lab(open_lab: tuple[Container, Publisher, ModelAPI]) -> Lab:
    """Hand out a lab with a feed address of its own."""
    return await Lab.open(*open_lab)
