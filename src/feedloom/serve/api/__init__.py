"""JSON resources: one module each, with its own ``DOORS``."""

from feedloom.serve.api import (
    articles,
    bookmarks,
    discovering,
    documentation,
    feeds,
    folders,
    hubs,
    mine,
    opml,
    probes,
    rules,
    searching,
    summaries,
)
from feedloom.serve.doors import Door
from feedloom.serve.wire.document import api_document

__all__ = ["DOORS", "api_document"]

DOORS: tuple[Door, ...] = (
    *probes.DOORS,
    *hubs.DOORS,
    *feeds.DOORS,
    *articles.DOORS,
    *folders.DOORS,
    *bookmarks.DOORS,
    *rules.DOORS,
    *summaries.DOORS,
    *discovering.DOORS,
    *searching.DOORS,
    *opml.DOORS,
    *mine.DOORS,
    *documentation.DOORS,
)
"""Every door of this package."""
