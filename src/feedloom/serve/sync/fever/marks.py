"""Changes by Fever clients: marks on an item, a feed, a group."""

from dataclasses import replace

from feedloom.model.errors import NotAllowed
from feedloom.model.reader import Wanted
from feedloom.serve.sync.calls import READ_ONLY, Call
from feedloom.serve.sync.parameters import row_ids
from feedloom.serve.sync.times import from_seconds

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
