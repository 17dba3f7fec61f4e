"""Changes to entries: marks, custom titles and texts, imported entries, media positions."""

from http import HTTPStatus

from starlette.responses import Response

from feedloom.flow.refresh.documents import single_article
from feedloom.markup import clean_html
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.feed import ParsedEntry
from feedloom.model.reader import Article, Wanted
from feedloom.model.urls import normalise
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.miniflux.calls import Call
from feedloom.serve.sync.miniflux.entries import shown_entry
from feedloom.serve.sync.miniflux.shapes import ENCLOSURES_EACH, enclosure_shapes
from feedloom.serve.sync.parameters import Given, row_id, row_ids
from feedloom.serve.sync.times import from_seconds

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
    return json_answer(await shown_entry(call), status=HTTPStatus.CREATED)


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
    published_at = given.number("published_at", 0)
    return ParsedEntry(
        guid=given.text("external_id") or url,
        url=url,
        title=given.line("title")[:_LONGEST_TITLE] or url,
        author=given.text("author") or None,
        content_html=given.text("content")[:_LONGEST_CONTENT],
        published_at=from_seconds(published_at) if published_at > 0 else None,
        categories=tuple(given.texts("tags")),
        comments_url=given.text("comments_url") or None,
    )


async def enclosure(call: Call) -> Response:
    article, place = await _enclosure(call)
    positions = await call.services.reading.media_positions(call.user_id, [article.article_id])
    return json_answer(enclosure_shapes(article, call.user_id, positions)[place])


async def update_enclosure(call: Call) -> None:
    """Remember the place in an audio or video file."""
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
