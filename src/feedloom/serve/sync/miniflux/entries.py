"""Entries: filtered lists, their ids, one entry, its full text."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta

import msgspec
from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Article, Order, Wanted
from feedloom.serve.sync.bodies import BLOCK, blocks_of, content_of, encode, json_answer, listed
from feedloom.serve.sync.feeds import wait_for_task
from feedloom.serve.sync.miniflux.calls import Call
from feedloom.serve.sync.miniflux.shapes import Positions, Shape, entry_shape, reading_time
from feedloom.serve.sync.parameters import LARGEST_ID, Given, row_id
from feedloom.serve.sync.times import from_seconds

_DEFAULT_LIMIT = 100
_MOST_IDS = 10_000
_UNKEYED_BLOCK = 1_000
"""Of orders without a key the next block starts wherever rows stand by then."""
_INSTANT = timedelta(microseconds=1)
_STATUSES = {"unread", "read", "removed"}
_ORDERS = {
    "id": (Order.ITEM_ASC, Order.ITEM_DESC),
    "created_at": (Order.ITEM_ASC, Order.ITEM_DESC),
    "published_at": (Order.OLDEST, Order.NEWEST),
    "changed_at": (Order.CHANGED_ASC, Order.CHANGED_DESC),
    "status": (Order.STATUS_ASC, Order.STATUS_DESC),
    "title": (Order.TITLE_ASC, Order.TITLE_DESC),
    "author": (Order.AUTHOR_ASC, Order.AUTHOR_DESC),
    "category_title": (Order.FOLDER_ASC, Order.FOLDER_DESC),
    "category_id": (Order.FOLDER_ASC, Order.FOLDER_DESC),
}
_KEYED = {Order.ITEM_ASC, Order.ITEM_DESC, Order.OLDEST, Order.NEWEST}


async def all_entries(call: Call) -> Response:
    return await _list(call, await _in_query(call))


async def entry_ids(call: Call) -> Response:
    """List ids only, as many as ten thousand at a time."""
    limit = call.given.number("limit", _MOST_IDS)
    asked = _asked(call.given, await _in_query(call), limit=limit)
    most = min(limit or _MOST_IDS, _MOST_IDS)
    reading = call.services.reading
    ids = await reading.item_nos(call.user_id, replace(asked, limit=most))
    return json_answer({"total": await reading.count(call.user_id, asked), "entry_ids": ids})


async def _in_query(call: Call) -> Wanted:
    wanted = Wanted()
    if category := call.given.text("category_id"):
        category_id = await call.own_category(row_id(category))
        wanted = Wanted(folder_id=category_id, folder_only=True)
    if feed := call.given.text("feed_id"):
        wanted = replace(wanted, subscription_id=row_id(feed))
    return wanted


async def feed_entries(call: Call) -> Response:
    feed = await call.subscription()
    return await _list(call, Wanted(subscription_id=feed.id))


async def category_entries(call: Call) -> Response:
    category_id = await call.own_category(call.id())
    return await _list(call, Wanted(folder_id=category_id, folder_only=True))


async def _list(call: Call, wanted: Wanted) -> Response:
    limit = call.given.number("limit", _DEFAULT_LIMIT)
    asked = _asked(call.given, wanted, limit=limit)
    total = await call.services.reading.count(call.user_id, asked)
    block = BLOCK if asked.order in _KEYED else _UNKEYED_BLOCK
    blocks = blocks_of(call.services.reading, call.user_id, asked, most=limit or None, block=block)
    head = b'{"total":' + encode(total) + b',"entries":['
    return await listed(_shown(call, blocks), head=head)


def _asked(given: Given, wanted: Wanted, *, limit: int) -> Wanted:
    """Add conditions, order and offset of the query."""
    skip = given.number("offset", 0)
    if limit < 0 or skip < 0:
        raise InvalidInput("Offset and limit must not be negative.")
    wanted = replace(
        wanted,
        starred=given.flag("starred") if given.text("starred") else None,
        text=given.text("search").strip() or None,
        labels=tuple(given.texts("tags")),
        globally_visible=given.flag("globally_visible"),
        before_item=_bound(given, "before_entry_id"),
        after_item=_bound(given, "after_entry_id"),
        skip=min(skip, LARGEST_ID),
    )
    wanted = _between(given, _with_status(given, wanted))
    order = given.text("order") or "published_at"
    direction = given.text("direction") or "asc"
    if order not in _ORDERS:
        raise InvalidInput(f"The order must be one of {', '.join(_ORDERS)}.")
    if direction not in {"asc", "desc"}:
        raise InvalidInput("The direction must be asc or desc.")
    return replace(wanted, order=_ORDERS[order][direction == "desc"])


def _bound(given: Given, name: str) -> int | None:
    number = given.number(name, 0)
    return min(number, LARGEST_ID) if number > 0 else None


def _with_status(given: Given, wanted: Wanted) -> Wanted:
    statuses = set(given.texts("status"))
    if not statuses <= _STATUSES:
        raise InvalidInput("The status must be unread, read or removed.")
    if statuses == {"removed"}:
        return replace(wanted, hidden=True)
    statuses.discard("removed")
    if len(statuses) == 1:
        return replace(wanted, unread="unread" in statuses)
    return wanted


def _between(given: Given, wanted: Wanted) -> Wanted:
    """Add bounds in time; they are exclusive there, whichever name is used."""
    before = given.number("published_before", given.number("before", 0))
    after = given.number("published_after", given.number("after", 0))
    changed_before = given.number("changed_before", 0)
    changed_after = given.number("changed_after", 0)
    return replace(
        wanted,
        published_before=from_seconds(before) if before > 0 else None,
        published_since=from_seconds(after) + _INSTANT if after > 0 else None,
        modified_until=from_seconds(changed_before) - _INSTANT if changed_before > 0 else None,
        modified_since=from_seconds(changed_after) + _INSTANT if changed_after > 0 else None,
    )


async def _shown(
    call: Call, blocks: AsyncIterator[Sequence[Article]]
) -> AsyncIterator[Sequence[Shape]]:
    """Show entries in their feeds; feeds may come and go while a list is read."""
    feeds: dict[int, msgspec.Raw] = {}
    async for block in blocks:
        # Of a thousand feeds a page needs few.
        missing = {article.subscription_id for article in block} - set(feeds)
        if missing:
            found = await call.services.syncing.subscriptions(call.user_id, sorted(missing))
            shown = await call.shown_feeds(found)
            feeds |= {id_: msgspec.Raw(encode(shape)) for id_, shape in shown.items()}
        media = [article.article_id for article in block if article.enclosures]
        positions: Positions = {}
        if media:
            positions = await call.services.reading.media_positions(call.user_id, media)
        yield [
            entry_shape(article, call.user_id, feeds[article.subscription_id], positions)
            for article in block
            if article.subscription_id in feeds
        ]


async def one_entry(call: Call) -> Response:
    return json_answer(await shown_entry(call))


async def shown_entry(call: Call) -> Shape:
    """Show one entry, wherever it is, or only in the feed or folder that is named."""
    article = await call.article()
    [feed] = await call.services.syncing.subscriptions(call.user_id, [article.subscription_id])
    shown = await call.shown_feeds([feed])
    named = {"feeds": feed.id, "categories": feed.folder_id}
    for word, id_ in named.items():
        path, place = call.request.url.path, call.request.path_params.get("id")
        if f"/{word}/" in path and str(id_) != place:
            raise NotFound("Article not found")
    positions = await call.services.reading.media_positions(call.user_id, [article.article_id])
    return entry_shape(article, call.user_id, shown[feed.id], positions)


async def fetch_content(call: Call) -> Response:
    """Give an entry's full text, read from its page if need be; else what there is."""
    article = await call.article()
    if article.full_content is None:
        await wait_for_task(call, await call.services.full_texts.ask(call.user_id, article))
        article = await call.services.reading.article(call.user_id, article.item_no)
    content = content_of(article)
    return json_answer({"content": content, "reading_time": reading_time(content)})
