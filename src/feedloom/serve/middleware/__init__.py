"""The HTTP server, the middleware around every response, and authorization."""
