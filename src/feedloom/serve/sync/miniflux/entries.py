"""Entries: filtered lists, one entry, status, star."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Article, Order, Wanted
from feedloom.serve.sync.bodies import BLOCK, blocks_of, content_of, encode, json_answer, listed
from feedloom.serve.sync.miniflux import shapes
from feedloom.serve.sync.miniflux.calls import Call, nothing
from feedloom.serve.sync.miniflux.translation import entry_shape
from feedloom.serve.sync.parameters import LARGEST_ID, Given, row_id, row_ids
from feedloom.serve.sync.tasks import wait_for_task
from feedloom.serve.sync.times import from_seconds

_DEFAULT_LIMIT = 100
_MOST_IDS = 10_000
_UNKEYED_BLOCK = 1_000
"""Of orders without a key the next block starts wherever rows stand by then."""
_INSTANT = timedelta(microseconds=1)
_STATUSES = {"unread", "read", "removed"}
_MARKS = {
    "read": ["read"],
    # Else it would be unread where nobody sees it.
    "unread": ["shown", "unread"],
    "removed": ["hidden"],
}
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
    user_id = call.user.id
    ids = await call.services.reading.item_nos(user_id, replace(asked, limit=most))
    total = await call.services.reading.count(user_id, asked)
    return json_answer({"total": total, "entry_ids": ids})


async def _in_query(call: Call) -> Wanted:
    wanted = Wanted()
    if call.given.text("category_id"):
        wanted = await _in_category(call, row_id(call.given.text("category_id")))
    if call.given.text("feed_id"):
        wanted = replace(wanted, subscription_id=row_id(call.given.text("feed_id")))
    return wanted


async def feed_entries(call: Call) -> Response:
    feed_id = call.id()
    await call.services.subscriptions.subscription(call.user.id, feed_id)
    return await _list(call, Wanted(subscription_id=feed_id))


async def category_entries(call: Call) -> Response:
    return await _list(call, await _in_category(call, call.id()))


async def _in_category(call: Call, category_id: int) -> Wanted:
    if category_id not in await call.categories():
        raise NotFound
    return Wanted(folder_id=category_id, folder_only=True)


async def _list(call: Call, wanted: Wanted) -> Response:
    limit = call.given.number("limit", _DEFAULT_LIMIT)
    asked = _asked(call.given, wanted, limit=limit)
    total = await call.services.reading.count(call.user.id, asked)
    head = b'{"total":' + encode(total) + b',"entries":['
    blocks = blocks_of(
        call.services.reading,
        call.user.id,
        asked,
        most=limit or None,
        block=BLOCK if asked.order in _KEYED else _UNKEYED_BLOCK,
    )
    return await listed(_placed(call, blocks), _shape, head=head)


def _asked(given: Given, wanted: Wanted, *, limit: int) -> Wanted:
    """Add conditions, order and offset of the query."""
    skip = given.number("offset", 0)
    if limit < 0 or skip < 0:
        raise InvalidInput("Offset and limit must not be negative.")
    filtered = _filtered(given, wanted)
    return replace(filtered, order=_order(given), skip=min(skip, LARGEST_ID))


Positions = Mapping[tuple[int, str], int]
Placed = tuple[Article, shapes.Feed, Positions]


async def _placed(
    call: Call, blocks: AsyncIterator[Sequence[Article]]
) -> AsyncIterator[Sequence[Placed]]:
    """Put each article beside its feed; feeds may come and go while a list is read."""
    feeds: dict[int, shapes.Feed] = {}
    async for block in blocks:
        missing = {article.subscription_id for article in block} - set(feeds)
        if missing:
            feeds |= await _feeds(call, sorted(missing))
        media = [article.article_id for article in block if article.enclosures]
        positions: Positions = {}
        if media:
            reading = call.services.reading
            positions = await reading.media_positions(call.user.id, media)
        yield [
            (article, feeds[article.subscription_id], positions)
            for article in block
            if article.subscription_id in feeds
        ]


def _shape(shown: Placed) -> shapes.Entry:
    return entry_shape(*shown)


async def _feeds(call: Call, feed_ids: Sequence[int]) -> dict[int, shapes.Feed]:
    """Show the feeds that entries stand in: of a thousand a page needs few."""
    found = await call.services.syncing.subscriptions(call.user.id, feed_ids)
    return {feed.id: feed for feed in await call.feeds(found)}


def _order(given: Given) -> Order:
    order = given.text("order") or "published_at"
    direction = given.text("direction") or "asc"
    if order not in _ORDERS:
        raise InvalidInput(f"The order must be one of {', '.join(_ORDERS)}.")
    if direction not in {"asc", "desc"}:
        raise InvalidInput("The direction must be asc or desc.")
    ascending, descending = _ORDERS[order]
    return descending if direction == "desc" else ascending


def _filtered(given: Given, wanted: Wanted) -> Wanted:
    wanted = replace(
        wanted,
        starred=given.flag("starred", default=False) if given.text("starred") else None,
        text=given.text("search").strip() or None,
        labels=tuple(given.texts("tags")),
        globally_visible=given.flag("globally_visible", default=False),
        before_item=_bound(given, "before_entry_id"),
        after_item=_bound(given, "after_entry_id"),
    )
    return _between(given, _with_status(given, wanted))


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


async def one_entry(call: Call) -> Response:
    return json_answer(await shown_entry(call))


async def shown_entry(call: Call) -> shapes.Entry:
    """Show one entry, wherever it is, or only in the feed or folder that is named."""
    article = await find_article(call)
    feed = (await _feeds(call, [article.subscription_id]))[article.subscription_id]
    place = call.request.path_params.get("id")
    named = {"feeds": feed.id, "categories": feed.category.id}
    for word, id_ in named.items():
        if f"/{word}/" in call.request.url.path and str(id_) != place:
            raise NotFound("Article not found")
    reading, user_id = call.services.reading, call.user.id
    positions = await reading.media_positions(user_id, [article.article_id])
    return entry_shape(article, feed, positions)


async def find_article(call: Call) -> Article:
    """Find an entry; one that was removed is gone for good."""
    article = await call.services.reading.article(call.user.id, call.id("entry"))
    if article.hidden and not article.starred:
        raise NotFound("Article not found")
    return article


async def update_entries(call: Call) -> Response:
    """Mark entries, star them, or both; unknown ones are passed over."""
    marks = _marks(call.given)
    if not marks:
        raise InvalidInput("Specify a status or whether the entries are starred.")
    named = call.given.all("entry_ids")
    if not named:
        raise InvalidInput("entry_ids must not be empty.")
    items = row_ids(named)
    for mark in marks:
        await call.services.reading.mark(call.user.id, items, mark)
    return nothing()


def _marks(given: Given) -> list[str]:
    marks = []
    if given.says("status"):
        if given.text("status") not in _MARKS:
            raise InvalidInput("The status must be unread, read or removed.")
        marks += _MARKS[given.text("status")]
    if given.says("starred"):
        is_starred = given.flag("starred", default=False)
        marks.append("starred" if is_starred else "unstarred")
    return marks


async def toggle_star(call: Call) -> Response:
    article = await find_article(call)
    mark = "unstarred" if article.starred else "starred"
    await call.services.reading.mark(call.user.id, [article.item_no], mark)
    return nothing()


async def save(call: Call) -> Response:
    article = await find_article(call)
    await call.services.bookmarks.save_article(
        call.user.id, article.subscription_id, article.item_no
    )
    return Response(status_code=HTTPStatus.ACCEPTED)


async def fetch_content(call: Call) -> Response:
    """Give an entry's full text, read from its page if need be; else what there is."""
    reading = call.services.reading
    article = await find_article(call)
    if article.full_content is None:
        task_id = await call.services.full_texts.ask(call.user.id, article)
        await wait_for_task(call.services, call.user, task_id)
        article = await reading.article(call.user.id, article.item_no)
    content = content_of(article)
    minutes = max(1, content.count(" ") // 265)
    return json_answer({"content": content, "reading_time": minutes})


async def flush_history(call: Call) -> Response:
    wanted = Wanted(unread=False, starred=False, saved=False)
    await call.services.reading.mark_all(call.user.id, wanted, "hidden")
    return Response(status_code=HTTPStatus.ACCEPTED)
