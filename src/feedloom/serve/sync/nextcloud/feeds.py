"""Feeds: list, add, move, rename, delete, mark read, and the requests of updaters."""

import hashlib

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotAllowed, NotFound
from feedloom.model.reader import Subscription, Wanted
from feedloom.serve.auth import actor, services
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import shown_address
from feedloom.serve.sync.icons import NO_ICON, icon_address, icon_answer
from feedloom.serve.sync.nextcloud import shapes
from feedloom.serve.sync.nextcloud.error_responses import nothing
from feedloom.serve.sync.nextcloud.items import read_up_to
from feedloom.serve.sync.nextcloud.translation import feed_shape
from feedloom.serve.sync.parameters import LARGEST_ID, Given, read_given, row_id
from feedloom.serve.sync.routes import SyncRoute
from feedloom.serve.sync.subscribe import add_feed

_EITHER = ("PUT", "POST")


def _shape(request: Request, feed: Subscription) -> shapes.Feed:
    return feed_shape(
        feed, url=shown_address(request, feed), icon=icon_address(request, feed.favicon_id)
    )


async def _list(request: Request) -> Response:
    user_id = actor(request).user.id
    feeds = await services(request).subscriptions.subscriptions(user_id)
    starred = await services(request).reading.count(user_id, Wanted(starred=True))
    frontier = await services(request).syncing.frontier(user_id)
    shown = [_shape(request, feed) for feed in feeds]
    return json_answer(shapes.Feeds(shown, starred, frontier.newest_item or None))


async def _add(request: Request) -> Response:
    given = await read_given(request)
    user = actor(request).user
    feed = await add_feed(
        services(request),
        user,
        given.text("url"),
        title=given.text("feedTitle") or None,
        folder_id=_folder(given),
    )
    frontier = await services(request).syncing.frontier(user.id)
    newest = frontier.newest_item or None
    return json_answer(shapes.Feeds([_shape(request, feed)], newest_item_id=newest))


def _folder(given: Given) -> int | None:
    """Read where a feed shall be: null, nothing and 0 all mean the root."""
    if given.text("folderId") == "null":
        # What command lines make of null.
        return None
    folder_id = given.number("folderId", 0)
    if not 0 <= folder_id <= LARGEST_ID:
        raise NotFound("Folder not found")
    return folder_id or None


async def _delete(request: Request) -> Response:
    feed_id = row_id(request.path_params["id"])
    await services(request).subscriptions.unsubscribe(actor(request).user.id, feed_id)
    return nothing()


async def _move(request: Request) -> Response:
    feed_id = row_id(request.path_params["id"])
    folder_id = _folder(await read_given(request))
    await services(request).subscriptions.change(
        actor(request).user.id, feed_id, {"folder_id": folder_id}
    )
    return nothing()


async def _rename(request: Request) -> Response:
    feed_id = row_id(request.path_params["id"])
    given = await read_given(request)
    title = " ".join(given.text("feedTitle").split())
    if not title:
        raise InvalidInput("A title is required.", field="feedTitle")
    await services(request).subscriptions.change(actor(request).user.id, feed_id, {"title": title})
    return nothing()


async def _read(request: Request) -> Response:
    feed_id = row_id(request.path_params["id"])
    await services(request).subscriptions.subscription(actor(request).user.id, feed_id)
    return await read_up_to(request, Wanted(subscription_id=feed_id))


async def _favicon(request: Request) -> Response:
    wanted = request.path_params["hash"].lower()
    feeds = await services(request).syncing.feeds(actor(request).user.id)
    for feed in feeds:
        if feed.favicon_id is not None and _hash(shown_address(request, feed)) == wanted:
            return icon_answer(await services(request).icons.icon(feed.favicon_id))
    return icon_answer(NO_ICON)


def _hash(address: str) -> str:
    return hashlib.md5(address.encode(), usedforsecurity=False).hexdigest()


async def _all(request: Request) -> Response:
    _operators_only(request)
    owned = await services(request).syncing.all_feeds()
    feeds = [shapes.OwnedFeed(feed_id, email) for feed_id, email in owned]
    return json_answer({"feeds": feeds})


async def _update(request: Request) -> Response:
    given = await read_given(request)
    if not actor(request).may_write:
        raise NotAllowed("This app password is read-only.")
    user = actor(request).user
    owner = given.text("userId").strip().casefold()
    if user.is_operator and owner not in {"", user.email}:
        found = await services(request).accounts.store.by_email(owner)
        if found is None:
            raise NotFound("Feed not found")
        user = found[0]
    await services(request).subscriptions.refresh(
        user.id, row_id(given.text("feedId")), afresh=False
    )
    return nothing()


async def _cleanup(request: Request) -> Response:
    # Cleaning up is the worker's own business; scripts still ask for it.
    _operators_only(request)
    return nothing()


def _operators_only(request: Request) -> None:
    if not actor(request).user.is_operator:
        raise NotAllowed


ROUTES = (
    SyncRoute(("GET",), "/feeds", _list),
    SyncRoute(("POST",), "/feeds", _add),
    SyncRoute(("GET",), "/feeds/all", _all),
    SyncRoute(("GET",), "/feeds/update", _update),
    SyncRoute(_EITHER, "/feeds/{id}/move", _move),
    SyncRoute(_EITHER, "/feeds/{id}/rename", _rename),
    SyncRoute(_EITHER, "/feeds/{id}/read", _read),
    SyncRoute(("DELETE",), "/feeds/{id}", _delete),
    SyncRoute(("GET",), "/favicon/{hash}", _favicon),
    SyncRoute(("GET",), "/cleanup/before-update", _cleanup),
    SyncRoute(("GET",), "/cleanup/after-update", _cleanup),
)
