"""Entries: pages of them, one, and which are unread or starred."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from urllib.parse import quote

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Article, Order, Wanted
from feedloom.serve.origin import own_address
from feedloom.serve.sync.bodies import blocks_of, json_answer, listed
from feedloom.serve.sync.calls import Handler
from feedloom.serve.sync.feedbin import shapes
from feedloom.serve.sync.feedbin.calls import Call, tagged
from feedloom.serve.sync.feedbin.translation import entry_shape
from feedloom.serve.sync.parameters import LARGEST_ID, Given, row_ids

_PAGE = 100
_MOST_IDS = 100
_MOST_MARKED = 1_000
_INSTANT = timedelta(microseconds=1)


async def list_entries(call: Call) -> Response:
    wanted = Wanted()
    if call.given.has("ids"):
        named = ",".join(call.given.texts("ids")).split(",")
        if len(named) > _MOST_IDS:
            raise InvalidInput(f"At most {_MOST_IDS} ids can be requested at once.")
        wanted = Wanted(item_nos=tuple(row_ids(named)))
    return await page_of(call, wanted)


async def of_feed(call: Call) -> Response:
    feed_id = call.id()
    await call.services.subscriptions.subscription(call.user.id, feed_id)
    return await page_of(call, Wanted(subscription_id=feed_id))


async def page_of(call: Call, wanted: Wanted) -> Response:
    page = call.given.number("page", 1)
    size = min(call.given.number("per_page", _PAGE), _PAGE)
    if page < 1 or size < 1:
        raise InvalidInput("page and per_page must be 1 or more.")
    wanted = _filtered(call, wanted)
    total = await call.services.reading.count(call.user.id, wanted)
    last = max(1, -(-total // size))
    if page > last:
        raise NotFound("Page not found.")
    asked = replace(wanted, order=Order.ITEM_DESC, skip=(page - 1) * size)
    blocks = blocks_of(call.services.reading, call.user.id, asked, most=size)
    answer = await listed(blocks, _shape_for(call.given), head=b"[", tail=lambda: b"]")
    answer.headers["X-Feedbin-Record-Count"] = str(total)
    if last > 1:
        answer.headers["Link"] = _links(call, page, last)
    return answer


def _filtered(call: Call, wanted: Wanted) -> Wanted:
    since, given = call.since(), call.given
    return replace(
        wanted,
        arrived_since=since + _INSTANT if since else None,
        unread=not given.flag("read", default=False) if given.text("read") else None,
        starred=given.flag("starred", default=False) if given.text("starred") else None,
    )


def _shape_for(given: Given) -> Callable[[Article], shapes.Entry]:
    return partial(
        entry_shape,
        extended=given.text("mode") == "extended",
        enclosure=given.flag("include_enclosure", default=False),
    )


def _links(call: Call, page: int, last: int) -> str:
    """Name the pages around this one, and the ends."""
    pages = {"first": 1, "last": last}
    if page > 1:
        pages["prev"] = page - 1
    if page < last:
        pages["next"] = page + 1
    path = own_address(call.request) + quote(call.request.url.path, safe="/%")
    queries = {
        rel: call.request.url.include_query_params(page=number).query
        for rel, number in pages.items()
    }
    return ", ".join(f'<{path}?{query}>; rel="{rel}"' for rel, query in queries.items())


async def one(call: Call) -> Response:
    article = await call.services.reading.article(call.user.id, call.id("entry"))
    if article.hidden and not article.starred:
        raise NotFound("Article not found")
    return json_answer(_shape_for(call.given)(article))


async def unread(call: Call) -> Response:
    return await ids_of(call, Wanted(unread=True))


async def starred(call: Call) -> Response:
    return await ids_of(call, Wanted(starred=True))


async def ids_of(call: Call, wanted: Wanted) -> Response:
    asked = replace(wanted, order=Order.ITEM_DESC, limit=LARGEST_ID)
    return tagged(call, await call.services.reading.item_nos(call.user.id, asked))


async def none(_call: Call) -> Response:
    """List nothing: what is not kept here, or has no such lists."""
    return json_answer([])


def _marking(name: str, *marks: str) -> Handler[Call]:
    async def handler(call: Call) -> Response:
        named = call.given.all(name)
        if len(named) > _MOST_MARKED:
            raise InvalidInput(f"At most {_MOST_MARKED} entries can be marked at once.")
        reading, user_id = call.services.reading, call.user.id
        wanted = Wanted(
            item_nos=tuple(row_ids(named)),
            include_hidden=True,
            order=Order.ITEM_ASC,
            limit=_MOST_MARKED,
        )
        items = await reading.item_nos(user_id, wanted)
        for mark in marks:
            await reading.mark(user_id, items, mark)
        return json_answer(items)

    return handler


# What was put away is shown again: else it would be unread where nobody sees it.
mark_unread = _marking("unread_entries", "shown", "unread")
mark_read = _marking("unread_entries", "read")
star = _marking("starred_entries", "starred")
unstar = _marking("starred_entries", "unstarred")
