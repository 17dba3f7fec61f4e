"""Pages for people: htmx parts and whole pages, one module per resource."""

from feedloom.serve.doors import Door
from feedloom.serve.pages import (
    accounts,
    admin,
    assets,
    digest,
    feeds,
    handbook,
    landing,
    reading,
    settings,
)
from feedloom.serve.pages.errors import error_page

__all__ = ["DOORS", "error_page"]

DOORS: tuple[Door, ...] = (
    *assets.DOORS,
    *accounts.DOORS,
    *admin.DOORS,
    *handbook.DOORS,
    *landing.DOORS,
    *reading.DOORS,
    *feeds.DOORS,
    *feeds.HTML,
    *digest.DOORS,
    *settings.DOORS,
)
"""Every door of this package, in the order they are tried."""
