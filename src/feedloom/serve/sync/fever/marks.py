"""Changes by Fever clients: marks on an item, a feed, a group."""

from datetime import datetime

from starlette.requests import Request

from feedloom.model.errors import NotAllowed
from feedloom.model.reader import Wanted
from feedloom.serve.auth import actor, services
from feedloom.serve.sync.calls import READ_ONLY
from feedloom.serve.sync.parameters import Given, row_ids
from feedloom.serve.sync.times import from_seconds

_MARKS = {"read": "read", "unread": "unread", "saved": "starred", "unsaved": "unstarred"}
UNREAD, SAVED = "unread_item_ids", "saved_item_ids"


async def mark(request: Request, given: Given) -> str | None:
    """Do what is asked; answer which list of ids it changed, if any."""
    kind, how = given.text("mark"), given.text("as")
    if given.text("unread_recently_read") == "1":
        return UNREAD
    if kind not in {"item", "feed", "group"} or how not in _MARKS:
        return None
    if not actor(request).may_write:
        raise NotAllowed(READ_ONLY)
    if kind == "item":
        ids = row_ids(given.all("id")[-1:])
        await services(request).reading.mark(actor(request).user.id, ids, _MARKS[how])
        return SAVED if "saved" in how else UNREAD
    if how != "read":
        return None
    await _mark_read(request, given, kind)
    return UNREAD


async def _mark_read(request: Request, given: Given, kind: str) -> None:
    number = given.number("id", -1)
    ids = row_ids([number])
    until = _until(given)
    if kind == "group" and number == 0:
        wanted = Wanted(arrived_until=until)
    elif not ids:
        return
    elif kind == "group":
        wanted = Wanted(folder_id=ids[0], folder_only=True, arrived_until=until)
    else:
        wanted = Wanted(subscription_id=ids[0], arrived_until=until)
    await services(request).reading.mark_all(actor(request).user.id, wanted, "read")


def _until(given: Given) -> datetime | None:
    """Read up to when; compared with arrival, to spare what the client has not got."""
    before = given.number("before", 0)
    return from_seconds(before) if before > 0 else None
