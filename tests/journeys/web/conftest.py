from tests.serving import publisher, serve, server, shared_server

__all__ = ["publisher", "serve", "server", "shared_server"]
