"""Entries: pages of them, one, which are unread or starred; and searches that are saved."""

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Article, Order, SavedSearch, Wanted
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.origin import own_address
from feedloom.serve.sync.bodies import blocks_of, content_of, listed
from feedloom.serve.sync.calls import Handler
from feedloom.serve.sync.feedbin.calls import Call, moment, tagged
from feedloom.serve.sync.parameters import LARGEST_ID, row_ids

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
    return await _page_of(call, wanted)


async def of_feed(call: Call) -> Response:
    feed = await call.subscription()
    return await _page_of(call, Wanted(subscription_id=feed.id))


async def _page_of(call: Call, wanted: Wanted) -> Response:
    page = call.given.number("page", 1)
    size = min(call.given.number("per_page", _PAGE), _PAGE)
    if page < 1 or size < 1:
        raise InvalidInput("page and per_page must be 1 or more.")
    since, given = call.since(), call.given
    wanted = replace(
        wanted,
        arrived_since=since + _INSTANT if since else None,
        unread=not given.flag("read") if given.text("read") else None,
        starred=given.flag("starred") if given.text("starred") else None,
    )
    total = await call.services.reading.count(call.user_id, wanted)
    last = max(1, -(-total // size))
    if page > last:
        raise NotFound("Page not found.")
    asked = replace(wanted, order=Order.ITEM_DESC, skip=(page - 1) * size)
    blocks = blocks_of(call.services.reading, call.user_id, asked, most=size)
    shape = _shape_for(call)
    shown = ([shape(article) for article in block] async for block in blocks)
    answer = await listed(shown, head=b"[", tail=lambda: b"]")
    answer.headers["X-Feedbin-Record-Count"] = str(total)
    if last > 1:
        answer.headers["Link"] = _links(call, page, last)
    return answer


def _shape_for(call: Call) -> Callable[[Article], dict[str, object]]:
    extended = call.given.text("mode") == "extended"
    enclosure = call.given.flag("include_enclosure") or extended
    return partial(_shape, extended=extended, enclosure=enclosure)


def _shape(article: Article, *, extended: bool, enclosure: bool) -> dict[str, object]:
    entry: dict[str, object] = {
        "id": article.item_no,
        "feed_id": article.subscription_id,
        "title": article.shown_title or None,
        "author": article.author or None,
        "summary": article.summary,
        "content": content_of(article) or None,
        "url": article.url,
        "extracted_content_url": None,
        "published": moment(article.published_at),
        "created_at": moment(article.arrived_at),
    }
    if extended:
        entry |= {"original": None, "images": None}
    if enclosure:
        entry["enclosure"] = _enclosure(article)
    return entry


def _enclosure(article: Article) -> dict[str, str] | None:
    if not article.enclosures:
        return None
    first = article.enclosures[0]
    return {
        "enclosure_url": file_for_app(first.url, first.mime),
        "enclosure_type": first.mime or "application/octet-stream",
        "enclosure_length": str(first.length or 0),
    }


def _links(call: Call, page: int, last: int) -> str:
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


async def one(call: Call) -> object:
    return _shape_for(call)(await call.article())


async def unread(call: Call) -> Response:
    return await _ids_of(call, Wanted(unread=True))


async def starred(call: Call) -> Response:
    return await _ids_of(call, Wanted(starred=True))


async def _ids_of(call: Call, wanted: Wanted) -> Response:
    asked = replace(wanted, order=Order.ITEM_DESC, limit=LARGEST_ID)
    return tagged(call, await call.services.reading.item_nos(call.user_id, asked))


def _marking(name: str, *marks: str) -> Handler[Call]:
    async def handler(call: Call) -> object:
        named = call.given.all(name)
        if len(named) > _MOST_MARKED:
            raise InvalidInput(f"At most {_MOST_MARKED} entries can be marked at once.")
        reading, user_id = call.services.reading, call.user_id
        wanted = Wanted(
            item_nos=tuple(row_ids(named)),
            include_hidden=True,
            order=Order.ITEM_ASC,
            limit=_MOST_MARKED,
        )
        items = await reading.item_nos(user_id, wanted)
        for mark in marks:
            await reading.mark(user_id, items, mark)
        return items

    return handler


# What was put away is shown again: else it would be unread where nobody sees it.
mark_unread = _marking("unread_entries", "shown", "unread")
mark_read = _marking("unread_entries", "read")
star = _marking("starred_entries", "starred")
unstar = _marking("starred_entries", "unstarred")


async def list_searches(call: Call) -> Response:
    found = await call.services.saved_searches.searches(call.user_id)
    return tagged(call, [asdict(search) for search in found])


async def found(call: Call) -> Response:
    """Tell which entries a search finds; with ``include_entries`` show them."""
    search = await call.services.saved_searches.search(call.user_id, call.id())
    wanted = Wanted(text=search.query)
    if call.given.flag("include_entries"):
        return await _page_of(call, wanted)
    if call.given.number("page", 1) != 1:
        # All ids are on the first: else whoever asks for pages would never come to an end.
        raise NotFound("Page not found.")
    return await _ids_of(call, wanted)


async def create_search(call: Call) -> Response:
    name, query = call.given.text("name"), call.given.text("query")
    made = await call.services.saved_searches.save(call.user_id, name, query)
    return _shown(call, made, HTTPStatus.CREATED)


async def change_search(call: Call) -> Response:
    store, given = call.services.saved_searches, call.given
    old = await store.search(call.user_id, call.id())
    changed = await store.change(
        call.user_id,
        old.id,
        name=given.text("name") if given.says("name") else old.name,
        query=given.text("query") if given.says("query") else old.query,
    )
    return _shown(call, changed, HTTPStatus.OK)


def _shown(call: Call, search: SavedSearch, status: HTTPStatus) -> Response:
    return call.located(asdict(search), f"/saved_searches/{search.id}.json", status)


async def delete_search(call: Call) -> None:
    await call.services.saved_searches.delete(call.user_id, call.id())
