"""A desk on either engine; the server and its database are shared by a module."""

import pytest

from tests.journeys.proxies.desk import Desk
from tests.publisher import Publisher
from tests.serving import Server, publisher, serve, server, shared_server

__all__ = ["publisher", "serve", "server", "shared_server"]


@pytest.fixture
async def desk(shared_server: Server, publisher: Publisher) -> Desk:
    """Hand out a desk with a publisher of its own."""
    return Desk(shared_server, publisher)
