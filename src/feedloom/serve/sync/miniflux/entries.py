"""Entries: filtered lists, one entry, marks, custom texts, imports, media positions."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus

import msgspec
from starlette.responses import Response

from feedloom.flow.refresh.documents import single_article
from feedloom.markup import clean_html
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.feed import ParsedEntry
from feedloom.model.reader import Article, Order, Wanted
from feedloom.model.urls import normalise
from feedloom.serve.sync.bodies import BLOCK, blocks_of, content_of, encode, json_answer, listed
from feedloom.serve.sync.feeds import wait_for_task
from feedloom.serve.sync.miniflux.calls import Call
from feedloom.serve.sync.miniflux.feeds import shown_feed, shown_feeds
from feedloom.serve.sync.miniflux.shapes import (
    ENCLOSURES_EACH,
    Positions,
    Shape,
    enclosure_shapes,
    entry_shape,
    reading_time,
)
from feedloom.serve.sync.parameters import LARGEST_ID, Given, row_id, row_ids

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
_MARKS = {
    "read": ["read"],
    # Else it would be unread where nobody sees it.
    "unread": ["shown", "unread"],
    "removed": ["hidden"],
}
_LONGEST_TITLE = 10_000
_LONGEST_CONTENT = 1_000_000
_LONGEST_PATH = 18
"""Digits of the number of an enclosure: 64 bits."""
_KEYED = {Order.ITEM_ASC, Order.ITEM_DESC, Order.OLDEST, Order.NEWEST}


async def all_entries(call: Call) -> Response:
    return await _list(call, await _in_query(call))


async def entry_ids(call: Call) -> object:
    """List ids only, as many as ten thousand at a time."""
    limit = call.given.number("limit", _MOST_IDS)
    asked = _asked(call.given, await _in_query(call), limit=limit)
    most = min(limit or _MOST_IDS, _MOST_IDS)
    reading = call.services.reading
    ids = await reading.item_nos(call.user_id, replace(asked, limit=most))
    return {"total": await reading.count(call.user_id, asked), "entry_ids": ids}


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
    before = given.moment("published_before", given.number("before", 0))
    after = given.moment("published_after", given.number("after", 0))
    changed_before, changed_after = given.moment("changed_before"), given.moment("changed_after")
    return replace(
        wanted,
        published_before=before,
        published_since=after and after + _INSTANT,
        modified_until=changed_before and changed_before - _INSTANT,
        modified_since=changed_after and changed_after + _INSTANT,
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
            shown = await shown_feeds(call, found)
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


async def one_entry(call: Call) -> Shape:
    """Show one entry, wherever it is, or only in the feed or folder that is named."""
    article = await call.article()
    feed = await call.services.subscriptions.subscription(call.user_id, article.subscription_id)
    shown = await shown_feed(call, feed)
    path, place = call.request.url.path, call.request.path_params.get("id")
    for word, id_ in (("feeds", feed.id), ("categories", feed.folder_id)):
        if f"/{word}/" in path and str(id_) != place:
            raise NotFound("Article not found")
    positions = await call.services.reading.media_positions(call.user_id, [article.article_id])
    return entry_shape(article, call.user_id, shown, positions)


async def fetch_content(call: Call) -> object:
    """Give an entry's full text, read from its page if need be; else what there is."""
    article = await call.article()
    if article.full_content is None:
        await wait_for_task(call, await call.services.full_texts.ask(call.user_id, article))
        article = await call.services.reading.article(call.user_id, article.item_no)
    content = content_of(article)
    return {"content": content, "reading_time": reading_time(content)}


async def update_entries(call: Call) -> None:
    """Mark entries, star them, or both; unknown ones are passed over."""
    marks: list[str] = []
    if call.given.says("status"):
        status = call.given.text("status")
        if status not in _MARKS:
            raise InvalidInput("The status must be unread, read or removed.")
        marks += _MARKS[status]
    if call.given.says("starred"):
        marks.append("starred" if call.given.flag("starred") else "unstarred")
    if not marks:
        raise InvalidInput("Specify a status or whether the entries are starred.")
    named = call.given.all("entry_ids")
    if not named:
        raise InvalidInput("entry_ids must not be empty.")
    items = row_ids(named)
    for mark in marks:
        await call.services.reading.mark(call.user_id, items, mark)


async def toggle_star(call: Call) -> None:
    article = await call.article()
    mark = "unstarred" if article.starred else "starred"
    await call.services.reading.mark(call.user_id, [article.item_no], mark)


async def save(call: Call) -> Response:
    article, store = await call.article(), call.services.bookmarks
    await store.save_article(call.user_id, article.subscription_id, article.item_no)
    return Response(status_code=HTTPStatus.ACCEPTED)


async def flush_history(call: Call) -> Response:
    wanted = Wanted(unread=False, starred=False, saved=False)
    await call.services.reading.mark_all(call.user_id, wanted, "hidden")
    return Response(status_code=HTTPStatus.ACCEPTED)


async def update_entry(call: Call) -> Response:
    """Give an entry another title or text, for this person only."""
    article = await call.article()
    title = _text(call.given, "title", _LONGEST_TITLE)
    content = _text(call.given, "content", _LONGEST_CONTENT)
    if title is None and content is None:
        raise InvalidInput("Specify a title or content.")
    clean = None if content is None else clean_html(content, base_url=article.url)
    await call.services.reading.edit(call.user_id, article.item_no, title=title, content=clean)
    return json_answer(await one_entry(call), status=HTTPStatus.CREATED)


def _text(given: Given, name: str, longest: int) -> str | None:
    """Read a text that is to be changed; one that is empty is refused."""
    if not given.says(name):
        return None
    text = given.text(name).strip()
    if not text or len(text) > longest:
        raise InvalidInput(f"The {name} must have 1 to {longest} characters.")
    return text


async def import_entry(call: Call) -> Response:
    """Put an entry into a feed, for this person only; 200 when it is there already."""
    reading = call.services.reading
    feed = await call.subscription()
    status = call.given.text("status") or "read"
    if status not in {"read", "unread"}:
        raise InvalidInput("The status must be unread or read.")
    article = single_article(_entry(call.given), feed_url=feed.url, now=call.services.clock.now())
    item_no, is_new = await reading.import_article(
        call.user_id, feed.id, article, tenant_id=call.user.tenant_id
    )
    await reading.mark(call.user_id, [item_no], status)
    if call.given.flag("starred"):
        await reading.mark(call.user_id, [item_no], "starred")
    return json_answer({"id": item_no}, status=HTTPStatus.CREATED if is_new else HTTPStatus.OK)


def _entry(given: Given) -> ParsedEntry:
    if not given.text("url").strip():
        raise InvalidInput("A URL is required.", field="url")
    url = normalise(given.text("url"))
    return ParsedEntry(
        guid=given.text("external_id") or url,
        url=url,
        title=given.line("title")[:_LONGEST_TITLE] or url,
        author=given.text("author") or None,
        content_html=given.text("content")[:_LONGEST_CONTENT],
        published_at=given.moment("published_at"),
        categories=tuple(given.texts("tags")),
        comments_url=given.text("comments_url") or None,
    )


async def enclosure(call: Call) -> object:
    article, place = await _enclosure(call)
    positions = await call.services.reading.media_positions(call.user_id, [article.article_id])
    return enclosure_shapes(article, call.user_id, positions)[place]


async def update_enclosure(call: Call) -> None:
    article, place = await _enclosure(call)
    if not call.given.says("media_progression"):
        raise InvalidInput("Specify media_progression in seconds.")
    seconds = call.given.number("media_progression", 0)
    url = article.enclosures[place].url
    await call.services.reading.set_media_position(call.user_id, article.item_no, url, seconds)


async def _enclosure(call: Call) -> tuple[Article, int]:
    number = call.request.path_params["id"]
    if not (number.isascii() and number.isdecimal()) or len(number) > _LONGEST_PATH:
        raise NotFound
    entry, place = divmod(int(number), ENCLOSURES_EACH)
    article = await call.services.reading.article(call.user_id, row_id(entry))
    if place >= len(article.enclosures):
        raise NotFound
    return article, place
