from tests.journeys.proxies.conftest import lab, open_lab
from tests.serving import publisher, serve, server

__all__ = ["lab", "open_lab", "publisher", "serve", "server"]
