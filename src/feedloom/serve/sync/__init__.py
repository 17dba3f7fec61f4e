"""Sync protocols: one package each, all with app passwords."""

from feedloom.serve.routes import Route
from feedloom.serve.sync import feedbin, fever, greader, icons, miniflux, nextcloud, views, wallabag

ROUTES: tuple[Route, ...] = (
    *nextcloud.ROUTES,
    *greader.ROUTES,
    *fever.ROUTES,
    *miniflux.ROUTES,
    *wallabag.ROUTES,
    *feedbin.ROUTES,
    *icons.ROUTES,
    *views.ROUTES,
)
"""Every address of every protocol, in the order they are tried."""
