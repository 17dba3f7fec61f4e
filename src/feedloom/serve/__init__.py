"""The web server for people and programs: pages, JSON, sync protocols. Thin: flow decides."""

from feedloom.serve.application import build_application
from feedloom.serve.middleware.server import server_options
from feedloom.serve.services import Services

__all__ = ["Services", "build_application", "server_options"]
