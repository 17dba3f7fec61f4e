"""Changes to entries: custom titles and texts, imported entries, media positions."""

from http import HTTPStatus

from starlette.responses import Response

from feedloom.flow.refresh.prepared_articles import single_article
from feedloom.markup import clean_html
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.feed import ParsedEntry
from feedloom.model.reader import Article
from feedloom.model.urls import normalise
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.miniflux import shapes
from feedloom.serve.sync.miniflux.calls import Call, nothing
from feedloom.serve.sync.miniflux.entries import find_article, shown_entry
from feedloom.serve.sync.miniflux.translation import ENCLOSURES_EACH, enclosure_shapes
from feedloom.serve.sync.parameters import Given, row_id
from feedloom.serve.sync.times import from_seconds

_LONGEST_TITLE = 10_000
_LONGEST_CONTENT = 1_000_000
_LONGEST_PATH = 18
"""Digits of the number of an enclosure: 64 bits."""


async def update_entry(call: Call) -> Response:
    """Give an entry another title or text, for this person only."""
    article = await find_article(call)
    title, content = _text(call.given, "title"), _text(call.given, "content")
    if title is None and content is None:
        raise InvalidInput("Specify a title or content.")
    clean = None if content is None else clean_html(content, base_url=article.url)
    await call.services.reading.edit(call.user.id, article.item_no, title=title, content=clean)
    return json_answer(await shown_entry(call), status=HTTPStatus.CREATED)


def _text(given: Given, name: str) -> str | None:
    """Read a text that is to be changed; one that is empty is refused."""
    if not given.says(name):
        return None
    text = given.text(name).strip()
    longest = _LONGEST_TITLE if name == "title" else _LONGEST_CONTENT
    if not text or len(text) > longest:
        raise InvalidInput(f"The {name} must have 1 to {longest} characters.")
    return text


async def import_entry(call: Call) -> Response:
    """Put an entry into a feed, for this person only; 200 when it is there already."""
    given, user_id = call.given, call.user.id
    feed = await call.services.subscriptions.subscription(user_id, call.id())
    status = given.text("status") or "read"
    if status not in {"read", "unread"}:
        raise InvalidInput("The status must be unread or read.")
    article = single_article(_entry(call), feed_url=feed.url, now=call.services.clock.now())
    item_no, is_new = await call.services.reading.import_article(
        user_id, feed.id, article, tenant_id=call.user.tenant_id
    )
    reading = call.services.reading
    await reading.mark(user_id, [item_no], status)
    if given.flag("starred", default=False):
        await reading.mark(user_id, [item_no], "starred")
    http_status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
    return json_answer({"id": item_no}, status=http_status)


def _entry(call: Call) -> ParsedEntry:
    given = call.given
    if not given.text("url").strip():
        raise InvalidInput("A URL is required.", field="url")
    url = normalise(given.text("url"))
    published_at = given.number("published_at", 0)
    return ParsedEntry(
        guid=given.text("external_id") or url,
        url=url,
        title=" ".join(given.text("title").split())[:_LONGEST_TITLE] or url,
        author=given.text("author") or None,
        content_html=given.text("content")[:_LONGEST_CONTENT],
        published_at=from_seconds(published_at) if published_at > 0 else None,
        categories=tuple(given.texts("tags")),
        comments_url=given.text("comments_url") or None,
    )


async def enclosure(call: Call) -> Response:
    article, place = await _enclosure(call)
    return json_answer(await _shown(call, article, place))


async def update_enclosure(call: Call) -> Response:
    """Remember the place in an audio or video file."""
    article, place = await _enclosure(call)
    if not call.given.says("media_progression"):
        raise InvalidInput("Specify media_progression in seconds.")
    seconds = call.given.number("media_progression", 0)
    url = article.enclosures[place].url
    await call.services.reading.set_media_position(call.user.id, article.item_no, url, seconds)
    return nothing()


async def _enclosure(call: Call) -> tuple[Article, int]:
    number = call.request.path_params["id"]
    if not (number.isascii() and number.isdecimal()) or len(number) > _LONGEST_PATH:
        raise NotFound
    entry, place = divmod(int(number), ENCLOSURES_EACH)
    article = await call.services.reading.article(call.user.id, row_id(entry))
    if place >= len(article.enclosures):
        raise NotFound
    return article, place


async def _shown(call: Call, article: Article, place: int) -> shapes.Enclosure:
    positions = await call.services.reading.media_positions(call.user.id, [article.article_id])
    return enclosure_shapes(article, call.user.id, positions)[place]
