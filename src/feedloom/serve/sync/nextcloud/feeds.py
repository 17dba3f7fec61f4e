"""Feeds: list, add, move, rename, delete, mark read, and the requests of updaters."""

import hashlib

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Subscription, Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import add_feed, shown_address
from feedloom.serve.sync.icons import NO_ICON, icon_address, icon_answer
from feedloom.serve.sync.nextcloud import shapes
from feedloom.serve.sync.nextcloud.calls import Call, nothing
from feedloom.serve.sync.nextcloud.items import read_up_to
from feedloom.serve.sync.nextcloud.translation import feed_shape
from feedloom.serve.sync.parameters import LARGEST_ID, row_id


def _shape(call: Call, feed: Subscription) -> shapes.Feed:
    icon = icon_address(call.request, feed.favicon_id)
    return feed_shape(feed, url=shown_address(call.request, feed), icon=icon)


async def list_feeds(call: Call) -> Response:
    feeds = await call.services.subscriptions.subscriptions(call.user.id)
    starred = await call.services.reading.count(call.user.id, Wanted(starred=True))
    shown = [_shape(call, feed) for feed in feeds]
    return json_answer(shapes.Feeds(shown, starred, await _newest_item(call)))


async def _newest_item(call: Call) -> int | None:
    return (await call.services.syncing.frontier(call.user.id)).newest_item or None


async def add(call: Call) -> Response:
    feed = await add_feed(
        call.services,
        call.user,
        call.given.text("url"),
        title=call.given.text("feedTitle") or None,
        folder_id=_folder(call),
    )
    newest = await _newest_item(call)
    return json_answer(shapes.Feeds([_shape(call, feed)], newest_item_id=newest))


def _folder(call: Call) -> int | None:
    """Read where a feed shall be: null, nothing and 0 all mean the root."""
    if call.given.text("folderId") == "null":
        # What command lines make of null.
        return None
    folder_id = call.given.number("folderId", 0)
    if not 0 <= folder_id <= LARGEST_ID:
        raise NotFound("Folder not found")
    return folder_id or None


async def delete(call: Call) -> Response:
    await call.services.subscriptions.unsubscribe(call.user.id, call.id())
    return nothing()


async def move(call: Call) -> Response:
    return await _change(call, {"folder_id": _folder(call)})


async def rename(call: Call) -> Response:
    title = " ".join(call.given.text("feedTitle").split())
    if not title:
        raise InvalidInput("A title is required.", field="feedTitle")
    return await _change(call, {"title": title})


async def _change(call: Call, changes: dict[str, object]) -> Response:
    await call.services.subscriptions.change(call.user.id, call.id(), changes)
    return nothing()


async def mark_read(call: Call) -> Response:
    feed = await call.services.subscriptions.subscription(call.user.id, call.id())
    return await read_up_to(call, Wanted(subscription_id=feed.id))


async def favicon(call: Call) -> Response:
    wanted = call.request.path_params["hash"].lower()
    for feed in await call.services.syncing.feeds(call.user.id):
        if feed.favicon_id is not None and _hash(shown_address(call.request, feed)) == wanted:
            return icon_answer(await call.services.icons.icon(feed.favicon_id))
    return icon_answer(NO_ICON)


def _hash(address: str) -> str:
    return hashlib.md5(address.encode(), usedforsecurity=False).hexdigest()


async def all_feeds(call: Call) -> Response:
    call.require_operator()
    owned = await call.services.syncing.all_feeds()
    return json_answer({"feeds": [{"id": id_, "userId": email} for id_, email in owned]})


async def update(call: Call) -> Response:
    user, owner = call.user, call.given.text("userId").strip().casefold()
    if user.is_operator and owner not in {"", user.email}:
        found = await call.services.accounts.store.by_email(owner)
        if found is None:
            raise NotFound("Feed not found")
        user = found[0]
    feed_id = row_id(call.given.text("feedId"))
    await call.services.subscriptions.refresh(user.id, feed_id, afresh=False)
    return nothing()


async def cleanup(call: Call) -> Response:
    # Cleaning up is the worker's own business; scripts still ask for it.
    call.require_operator()
    return nothing()
