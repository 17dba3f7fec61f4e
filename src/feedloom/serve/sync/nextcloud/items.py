"""Items: lists by id, changes since a time, and all marks."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeGuard

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Order, Wanted
from feedloom.model.urls import guid_hash
from feedloom.serve.auth import actor, services
from feedloom.serve.routes import Endpoint
from feedloom.serve.sync.bodies import blocks_of, listed
from feedloom.serve.sync.nextcloud.error_responses import nothing
from feedloom.serve.sync.nextcloud.translation import item_shape
from feedloom.serve.sync.parameters import LARGEST_ID, Given, read_given, row_id, row_ids
from feedloom.serve.sync.routes import SyncRoute
from feedloom.serve.sync.times import from_microseconds, from_seconds

_FEED, _FOLDER, _STARRED, _ALL, _UNREAD = 0, 1, 2, 3, 6
_MOST_SECONDS = 9_999_999_999
_EITHER = ("PUT", "POST")
_STARS = {"star": "starred", "unstar": "unstarred"}


async def _items(request: Request) -> Response:
    given = await read_given(request)
    oldest_first = given.flag("oldestFirst", default=False)
    # An offset is the last id of the page before, whichever way the pages go.
    offset = max(0, min(given.number("offset", 0), LARGEST_ID))
    size = given.number("batchSize", -1)
    frontier = await services(request).syncing.frontier(actor(request).user.id)
    wanted = Wanted(
        unread=None if given.flag("getRead", default=True) else True,
        after_item=offset if oldest_first and offset else None,
        # What arrives while a long answer is sent belongs to the next one.
        before_item=offset if offset and not oldest_first else frontier.newest_item + 1,
        order=Order.ITEM_ASC if oldest_first else Order.ITEM_DESC,
    )
    wanted = await _scope(request, given, wanted)
    # Else a client would ask for changes after one that came while it was answered.
    latest = frontier.changed_at
    return await _listed(request, wanted, most=size if size > 0 else None, latest=latest)


async def _updated(request: Request) -> Response:
    given = await read_given(request)
    since = given.number("lastModified", 0)
    frontier = await services(request).syncing.frontier(actor(request).user.id)
    wanted = Wanted(
        modified_since=from_seconds(since) if since <= _MOST_SECONDS else from_microseconds(since),
        modified_until=frontier.changed_at,
        before_item=frontier.newest_item + 1,
        order=Order.ITEM_DESC,
        # Somebody dismissed them elsewhere: a client that has them must hear of it.
        include_hidden=True,
    )
    wanted = await _scope(request, given, wanted)
    return await _listed(request, wanted, most=None, latest=frontier.changed_at)


async def _scope(request: Request, given: Given, wanted: Wanted) -> Wanted:
    kind = given.number("type", _ALL)
    id_ = given.number("id", 0)
    if kind == _FEED:
        return replace(wanted, subscription_id=_place(id_))
    if kind == _FOLDER:
        folder_id = await folder_of(request, id_)
        return replace(wanted, folder_id=folder_id, folder_only=True)
    if kind == _STARRED:
        return replace(wanted, starred=True)
    if kind == _UNREAD:
        return replace(wanted, unread=True)
    if kind != _ALL:
        raise InvalidInput("type must be 0, 1, 2, 3 or 6.", field="type")
    return wanted


def _place(id_: int) -> int:
    return id_ if 0 < id_ <= LARGEST_ID else 0


async def folder_of(request: Request, folder_id: int) -> int:
    if folder_id == 0:
        return await services(request).folders.root(actor(request).user.id)
    return _place(folder_id)


async def _listed(
    request: Request, wanted: Wanted, *, most: int | None, latest: datetime | None
) -> Response:
    blocks = blocks_of(services(request).reading, actor(request).user.id, wanted, most=most)
    shape = partial(item_shape, latest=latest)
    return await listed(blocks, shape, head=b'{"items":[')


def _mark_one(mark: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        item = row_id(request.path_params["id"])
        await _require(request, [item])
        await _mark(request, [item], mark)
        return nothing()

    return endpoint


async def _mark_by_guid(request: Request) -> Response:
    """Star an item that is named by its feed and the hash of its GUID.

    Or by the GUID itself: newsboat before 2.22 sends it as it is, slashes and question
    marks included, so that its end may arrive as the query.
    """
    query = request.url.query
    named = request.path_params["rest"] + (f"?{query}" if query else "")
    guid, _, word = named.rpartition("/")
    if word not in _STARS or not guid:
        raise NotFound("Item not found")
    feed = row_id(request.path_params["id"])
    items = await services(request).syncing.by_guid_hashes(
        actor(request).user.id, [(feed, guid), (feed, guid_hash(guid))]
    )
    if not items:
        raise NotFound("Item not found")
    await _mark(request, items, _STARS[word])
    return nothing()


def _mark_many(mark: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        given = await read_given(request)
        named = given.all("items") + given.all("itemIds")
        items = row_ids(named)
        pairs = list(_pairs(named))
        if pairs:
            items += await services(request).syncing.by_guid_hashes(actor(request).user.id, pairs)
        await _mark(request, items, mark)
        return nothing()

    return endpoint


def _pairs(named: Iterable[object]) -> Iterable[tuple[int, str]]:
    """Read feed id and GUID hash where items are named the old way."""
    for entry in named:
        if isinstance(entry, dict) and _is_hash(hashed := entry.get("guidHash")):
            yield from ((feed, hashed) for feed in row_ids([entry.get("feedId")]))


def _is_hash(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value.isalnum()


async def _require(request: Request, items: list[int]) -> None:
    wanted = Wanted(item_nos=tuple(items), include_hidden=True)
    if not await services(request).reading.count(actor(request).user.id, wanted):
        raise NotFound("Item not found")


async def _mark(request: Request, items: list[int], mark: str) -> None:
    if items:
        await services(request).reading.mark(actor(request).user.id, items, mark)


async def read_up_to(request: Request, wanted: Wanted) -> Response:
    given = await read_given(request)
    newest = given.number("newestItemId", LARGEST_ID)
    before = max(0, min(newest, LARGEST_ID - 1)) + 1
    await services(request).reading.mark_all(
        actor(request).user.id, replace(wanted, before_item=before), "read"
    )
    return nothing()


async def _all_read(request: Request) -> Response:
    return await read_up_to(request, Wanted())


ROUTES = (
    SyncRoute(("GET",), "/items", _items),
    SyncRoute(("GET",), "/items/updated", _updated),
    SyncRoute(_EITHER, "/items/read", _all_read),
    *(
        SyncRoute(_EITHER, f"/items/{word}/multiple", _mark_many(mark))
        for word, mark in (
            ("read", "read"),
            ("unread", "unread"),
            ("star", "starred"),
            ("starred", "starred"),
            ("unstar", "unstarred"),
            ("unstarred", "unstarred"),
        )
    ),
    *(
        SyncRoute(_EITHER, f"/items/{{id}}/{word}", _mark_one(mark))
        for word, mark in (
            ("read", "read"),
            ("unread", "unread"),
            ("star", "starred"),
            ("unstar", "unstarred"),
        )
    ),
    SyncRoute(_EITHER, "/items/{id}/{rest:path}", _mark_by_guid),
)
