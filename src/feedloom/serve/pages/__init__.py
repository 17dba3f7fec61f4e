"""Pages for people: htmx parts and whole pages, one module per resource."""

from feedloom.serve.pages import (
    accounts,
    admin,
    assets,
    digest,
    feeds,
    front_page,
    handbook,
    players,
    reader,
    settings,
)
from feedloom.serve.pages.errors import error_page
from feedloom.serve.routes import Route

__all__ = ["ROUTES", "error_page"]

ROUTES: tuple[Route, ...] = (
    *assets.ROUTES,
    *accounts.ROUTES,
    *admin.ROUTES,
    *handbook.ROUTES,
    *front_page.ROUTES,
    *reader.ROUTES,
    *players.ROUTES,
    *feeds.ROUTES,
    *feeds.HTML,
    *digest.ROUTES,
    *settings.ROUTES,
)
"""Every route of this package, in the order they are tried."""
