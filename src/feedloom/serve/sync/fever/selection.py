"""Which items a Fever client asks for: pages of exactly fifty."""

from collections.abc import Sequence
from dataclasses import replace

from feedloom.model.reader import Order, Wanted
from feedloom.model.sync import ListedSubscription
from feedloom.serve.sync.parameters import LARGEST_ID, Given, row_ids

PAGE = 50
"""Clients stop at the first shorter page."""


def select_items(given: Given) -> Wanted:
    """Say which page is asked for: before, by id, or after."""
    wanted = Wanted(limit=PAGE, with_content=True, order=Order.ITEM_ASC)
    if given.has("max_id") or not (given.has("since_id") or given.has("with_ids")):
        # Without bounds Miniflux and CommaFeed send the newest, the documents say nothing.
        before = max(0, min(given.number("max_id", 0), LARGEST_ID))
        # 0 is where a client starts that walks down from the newest.
        return replace(wanted, order=Order.ITEM_DESC, before_item=before or None)
    if given.has("with_ids"):
        ids = row_ids(given.text("with_ids").split(","))[:PAGE]
        return replace(wanted, item_nos=tuple(ids), include_hidden=True)
    after = max(0, min(given.number("since_id", 0), LARGEST_ID))
    return replace(wanted, after_item=after)


def narrow_feeds(wanted: Wanted, given: Given, feeds: Sequence[ListedSubscription]) -> Wanted:
    named = set(row_ids(given.text("feed_ids").split(",")))
    groups = set(row_ids(given.text("group_ids").split(",")))
    kept = [
        feed.id
        for feed in feeds
        if feed.id in named or (not feed.in_root and feed.folder_id in groups)
    ]
    return replace(wanted, subscription_ids=tuple(kept))
