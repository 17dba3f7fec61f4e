"""JSON resources: one module each, with its own ``DOORS``."""

from feedloom.serve.api import (
    articles,
    bookmarks,
    discovering,
    documentation,
    feeds,
    folders,
    full_texts,
    me,
    opml,
    probes,
    rules,
    searching,
    summaries,
    tasks,
)
from feedloom.serve.api.document import api_document
from feedloom.serve.doors import Door

__all__ = ["DOORS", "api_document"]

DOORS: tuple[Door, ...] = (
    *probes.DOORS,
    *feeds.DOORS,
    *articles.DOORS,
    *full_texts.DOORS,
    *folders.DOORS,
    *bookmarks.DOORS,
    *rules.DOORS,
    *summaries.DOORS,
    *discovering.DOORS,
    *searching.DOORS,
    *opml.DOORS,
    *tasks.DOORS,
    *me.DOORS,
    *documentation.DOORS,
)
"""Every door of this package."""
