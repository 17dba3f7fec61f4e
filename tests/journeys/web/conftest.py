import pytest

from tests.journeys.web.people import Person, arrive
from tests.journeys.web.town import town, town_publisher
from tests.serving import Server, publisher, serve, server, shared_server

__all__ = ["publisher", "serve", "server", "shared_server", "town", "town_publisher"]


@pytest.fixture
async def ada(shared_server: Server) -> Person:
    """Hand out somebody new at the module's server."""
    return await arrive(shared_server)
