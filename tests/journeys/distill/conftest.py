from tests.serving import publisher, serve, server

__all__ = ["publisher", "serve", "server"]
