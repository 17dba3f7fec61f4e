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
from feedloom.serve.pages.front_page import error_page as error_page
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (
    *assets.ROUTES,
    *accounts.ROUTES,
    *admin.ROUTES,
    *handbook.ROUTES,
    *front_page.ROUTES,
    *reader.ROUTES,
    *players.ROUTES,
    *feeds.ROUTES,
    *digest.ROUTES,
    *settings.ROUTES,
)
