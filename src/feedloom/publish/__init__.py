"""Publish: rows in, documents out. Pure: the same input gives the same bytes.

Feeds that we serve (deframed, or a person's view), subscriptions as OPML, bookmarks in
three forms, lookups and exports. Input and output types are in
``feedloom.model.distilled.documents``.
"""

from feedloom.publish.bookmarks import (
    MAX_IMPORTED,
    bookmarks_json,
    bookmarks_markdown,
    netscape_bookmarks,
    read_netscape,
)
from feedloom.publish.deframed import deframed_rss, filter_by_score
from feedloom.publish.exports import data_export, digest_markdown, opml
from feedloom.publish.lookups import interleave, item_document, rating
from feedloom.publish.views import view_feed

__all__ = [
    "MAX_IMPORTED",
    "bookmarks_json",
    "bookmarks_markdown",
    "data_export",
    "deframed_rss",
    "digest_markdown",
    "filter_by_score",
    "interleave",
    "item_document",
    "netscape_bookmarks",
    "opml",
    "rating",
    "read_netscape",
    "view_feed",
]
