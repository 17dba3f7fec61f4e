"""Items: lists by id, changes since a time, and all marks."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Article, Order, Wanted
from feedloom.model.urls import guid_hash
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.sync.bodies import blocks_of, content_of, listed
from feedloom.serve.sync.calls import Call, Handler
from feedloom.serve.sync.parameters import LARGEST_ID, row_ids
from feedloom.serve.sync.times import from_microseconds, from_seconds, seconds, whole_second

_FEED, _FOLDER, _STARRED, _ALL, _UNREAD = 0, 1, 2, 3, 6
_MOST_SECONDS = 9_999_999_999
_MEDIA = ("audio/", "video/", "image/")
_STARS = {"star": "starred", "unstar": "unstarred"}


async def list_items(call: Call) -> Response:
    given = call.given
    oldest_first = given.flag("oldestFirst")
    # An offset is the last id of the page before, whichever way the pages go.
    offset = max(0, min(given.number("offset", 0), LARGEST_ID))
    size = given.number("batchSize", -1)
    frontier = await call.services.syncing.frontier(call.user_id)
    wanted = Wanted(
        unread=None if given.flag("getRead", default=True) else True,
        after_item=offset if oldest_first and offset else None,
        # What arrives while a long answer is sent belongs to the next one.
        before_item=offset if offset and not oldest_first else frontier.newest_item + 1,
        order=Order.ITEM_ASC if oldest_first else Order.ITEM_DESC,
    )
    wanted = await _scope(call, wanted)
    # Else a client would ask for changes after one that came while it was answered.
    latest = frontier.changed_at
    return await _listed(call, wanted, most=size if size > 0 else None, latest=latest)


async def updated(call: Call) -> Response:
    since = call.given.number("lastModified", 0)
    frontier = await call.services.syncing.frontier(call.user_id)
    wanted = Wanted(
        modified_since=from_seconds(since) if since <= _MOST_SECONDS else from_microseconds(since),
        modified_until=frontier.changed_at,
        before_item=frontier.newest_item + 1,
        order=Order.ITEM_DESC,
        # Somebody dismissed them elsewhere: a client that has them must hear of it.
        include_hidden=True,
    )
    wanted = await _scope(call, wanted)
    return await _listed(call, wanted, most=None, latest=frontier.changed_at)


async def _scope(call: Call, wanted: Wanted) -> Wanted:
    kind = call.given.number("type", _ALL)
    id_ = call.given.number("id", 0)
    if kind == _FEED:
        return replace(wanted, subscription_id=_place(id_))
    if kind == _FOLDER:
        folder_id = await folder_of(call, id_)
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


async def folder_of(call: Call, folder_id: int) -> int:
    if folder_id == 0:
        return await call.services.folders.root(call.user_id)
    return _place(folder_id)


async def _listed(
    call: Call, wanted: Wanted, *, most: int | None, latest: datetime | None
) -> Response:
    blocks = blocks_of(call.services.reading, call.user_id, wanted, most=most)
    shown = ([_shape(article, latest) for article in block] async for block in blocks)
    return await listed(shown, head=b'{"items":[')


def _shape(article: Article, latest: datetime | None) -> dict[str, object]:
    """Show an article, changed at ``latest`` or before."""
    # Something to hear or see, if any: there is room for one enclosure.
    media = [e for e in article.enclosures if (e.mime or "").startswith(_MEDIA)]
    enclosure = next(iter(media or article.enclosures), None)
    picture = article.thumbnail_url
    return {
        "id": article.item_no,
        "guid": article.guid,
        "guidHash": article.guid_hash,
        "url": article.url,
        "title": article.shown_title or article.url,
        # Never null, whatever the protocol says: newsboat ends at one.
        "author": article.author or "",
        "pubDate": seconds(article.published_at),
        "updatedDate": None,
        "body": content_of(article),
        "enclosureMime": enclosure.mime if enclosure else None,
        "enclosureLink": file_for_app(enclosure.url, enclosure.mime) if enclosure else None,
        "mediaThumbnail": picture and file_for_app(picture, "image/*"),
        "mediaDescription": None,
        "feedId": article.subscription_id,
        "unread": article.unread,
        "starred": article.starred,
        "filtered": article.hidden,
        "rtl": article.rtl,
        "lastModified": whole_second(min(article.last_modified, latest or article.last_modified)),
        "fingerprint": article.fingerprint,
        "contentHash": article.content_hash,
    }


def mark_one(mark: str) -> Handler[Call]:
    async def handler(call: Call) -> None:
        wanted = Wanted(item_nos=(call.id(),), include_hidden=True)
        if not await call.services.reading.count(call.user_id, wanted):
            raise NotFound("Item not found")
        await _mark(call, [call.id()], mark)

    return handler


async def mark_by_guid(call: Call) -> None:
    """Star an item that is named by its feed and the hash of its GUID.

    Or by the GUID itself: newsboat before 2.22 sends it as it is, slashes and question
    marks included, so that its end may arrive as the query.
    """
    query = call.request.url.query
    named = call.request.path_params["rest"] + (f"?{query}" if query else "")
    guid, _, word = named.rpartition("/")
    if word not in _STARS or not guid:
        raise NotFound("Item not found")
    pairs = [(call.id(), guid), (call.id(), guid_hash(guid))]
    items = await call.services.syncing.by_guid_hashes(call.user_id, pairs)
    if not items:
        raise NotFound("Item not found")
    await _mark(call, items, _STARS[word])


def mark_many(mark: str) -> Handler[Call]:
    async def handler(call: Call) -> None:
        named = call.given.all("items") + call.given.all("itemIds")
        items = row_ids(named)
        if pairs := list(_pairs(named)):
            items += await call.services.syncing.by_guid_hashes(call.user_id, pairs)
        await _mark(call, items, mark)

    return handler


def _pairs(named: Iterable[object]) -> Iterable[tuple[int, str]]:
    """Read feed id and GUID hash where items are named the old way."""
    for entry in named:
        if not isinstance(entry, dict):
            continue
        hashed = entry.get("guidHash")
        if isinstance(hashed, str) and hashed.isalnum():
            yield from ((feed, hashed) for feed in row_ids([entry.get("feedId")]))


async def _mark(call: Call, items: list[int], mark: str) -> None:
    if items:
        await call.services.reading.mark(call.user_id, items, mark)


async def read_up_to(call: Call, wanted: Wanted) -> None:
    newest = call.given.number("newestItemId", LARGEST_ID)
    before = max(0, min(newest, LARGEST_ID - 1)) + 1
    await call.mark_read(replace(wanted, before_item=before))


async def all_read(call: Call) -> None:
    await read_up_to(call, Wanted())
