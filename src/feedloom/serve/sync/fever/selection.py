"""What a Fever client asks for: marks on an item, feed or group; pages of items."""

from collections.abc import Sequence
from dataclasses import replace

from feedloom.model.errors import NotAllowed
from feedloom.model.reader import Order, Wanted
from feedloom.model.sync import ListedSubscription
from feedloom.serve.sync.calls import READ_ONLY, Call
from feedloom.serve.sync.parameters import LARGEST_ID, Given, row_ids
from feedloom.serve.sync.times import from_seconds

PAGE = 50
"""Clients stop at the first shorter page."""
_MARKS = {"read": "read", "unread": "unread", "saved": "starred", "unsaved": "unstarred"}
UNREAD, SAVED = "unread_item_ids", "saved_item_ids"


async def mark(call: Call) -> str | None:
    """Do what is asked; answer which list of ids it changed, if any."""
    kind, how = call.given.text("mark"), call.given.text("as")
    if call.given.text("unread_recently_read") == "1":
        return UNREAD
    if kind not in {"item", "feed", "group"} or how not in _MARKS:
        return None
    if not call.actor.may_write:
        raise NotAllowed(READ_ONLY)
    if kind == "item":
        ids = row_ids(call.given.all("id")[-1:])
        await call.services.reading.mark(call.user.id, ids, _MARKS[how])
        return SAVED if "saved" in how else UNREAD
    if how != "read":
        return None
    wanted = _place(kind, call.given.number("id", -1))
    if wanted is not None:
        before = call.given.number("before", 0)
        # Compared with arrival, to spare what the client has not got.
        until = from_seconds(before) if before > 0 else None
        wanted = replace(wanted, arrived_until=until)
        await call.services.reading.mark_all(call.user.id, wanted, "read")
    return UNREAD


def _place(kind: str, number: int) -> Wanted | None:
    """Say what a feed or group holds; group 0 is everything, -1 nothing."""
    if kind == "group" and number == 0:
        return Wanted()
    if not row_ids([number]):
        return None
    if kind == "group":
        return Wanted(folder_id=number, folder_only=True)
    return Wanted(subscription_id=number)


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
