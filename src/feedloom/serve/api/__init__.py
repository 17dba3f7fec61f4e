"""JSON resources: one module each, with its own ``ROUTES``."""

from feedloom.serve.api import (
    account,
    articles,
    bookmarks,
    discovery,
    feeds,
    folders,
    hubs,
    interests,
    probes,
    rules,
    stories,
    summaries,
)
from feedloom.serve.routes import Route
from feedloom.serve.wire.openapi import api_document

__all__ = ["ROUTES", "api_document"]

ROUTES: tuple[Route, ...] = (
    *probes.ROUTES,
    *hubs.ROUTES,
    *feeds.ROUTES,
    *articles.ROUTES,
    *interests.ROUTES,
    *folders.ROUTES,
    *bookmarks.ROUTES,
    *rules.ROUTES,
    *stories.ROUTES,
    *summaries.ROUTES,
    *discovery.ROUTES,
    *account.ROUTES,
)
"""Every route of this package."""
