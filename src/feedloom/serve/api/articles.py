"""Articles in JSON: paged lists, single articles, full texts, marks."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from feedloom.flow.distill.vectors import MOST_RELATED
from feedloom.flow.reader.changes import told
from feedloom.model.errors import NotFound
from feedloom.model.reader import Article, Line, Order, Wanted
from feedloom.serve.wire.json_io import APIRoutes, Body, Call, Cursor, Id, Limit, Name, answer
from feedloom.serve.wire.shapes import (
    ArticleList,
    ArticleShape,
    TaskShape,
    article_list,
    article_shape,
    shape,
    task_shape,
)

ROUTES = APIRoutes()

Mark = Literal["read", "unread", "starred", "unstarred", "hidden", "shown"]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
_MOST_IDS = 1_000


class ArticleQuery(msgspec.Struct):
    """Which articles are asked for. All conditions hold together."""

    feed_id: Id | None = None
    folder_id: Id | None = None
    tag: Name | None = None
    unread: bool | None = None
    starred: bool | None = None
    saved: bool | None = None
    changed: bool | None = None
    modified_since: Moment | None = None
    published_since: Moment | None = None
    published_before: Moment | None = None
    order: Literal["newest", "oldest"] = "newest"
    content: bool = False
    cursor: Cursor | None = None
    limit: Limit = 50


class PieceShape(msgspec.Struct):
    """Words: ``same`` in both versions, ``old`` in the earlier or ``new`` in the later one."""

    kind: str
    text: str


class ChangeShape(msgspec.Struct):
    """One time that the publisher changed an article."""

    id: int
    changed_at: datetime
    title_before: str
    title_after: str
    slant_before: float | None
    """How loaded the headline's wording was, 0 to 1; None where it was not judged."""
    slant_after: float | None
    title: list[PieceShape]
    text: list[list[PieceShape]]
    """Line by line; empty if only the headline changed."""


class ChangeList(msgspec.Struct):
    """What the publisher changed, the newest change first."""

    summary: str
    changes: list[ChangeShape]


class ArticleChanges(Body):
    """Marks to set on an article; tags replace those it has."""

    unread: bool | UnsetType = UNSET
    starred: bool | UnsetType = UNSET
    hidden: bool | UnsetType = UNSET
    tags: Annotated[list[Name], msgspec.Meta(max_length=50)] | UnsetType = UNSET


class MarkSome(Body):
    """A mark for articles by their ids; unknown ids are passed over."""

    ids: Annotated[list[Id], msgspec.Meta(max_length=_MOST_IDS)]
    mark: Mark


class MarkAll(Body):
    """A mark for everything up to an id: what arrives meanwhile is left alone."""

    mark: Mark = "read"
    up_to: Id | None = None
    feed_id: Id | None = None
    folder_id: Id | None = None
    tag: Name | None = None


class MarkedShape(msgspec.Struct):
    """What a mark changed."""

    count: int
    ids: list[int]


@ROUTES.add("GET /api/articles", "List articles", asks=ArticleQuery)
async def list_articles(call: Call) -> ArticleList:
    query = msgspec.structs.asdict(call.query(ArticleQuery))
    wanted = Wanted(
        subscription_id=query.pop("feed_id"),
        order=Order(query.pop("order")),
        with_content=query.pop("content"),
        **query,
    )
    page = await call.services.reading.articles(call.user_id, wanted)
    return article_list(page.articles, page.next_cursor, with_content=wanted.with_content)


@ROUTES.add("GET /api/articles/{id}", "Show an article")
async def show_article(call: Call) -> ArticleShape:
    return article_shape(await _article(call), with_content=True)


@ROUTES.add("GET /api/articles/{id}/changes", "Show what the publisher changed")
async def show_changes(call: Call) -> ChangeList:
    article = await _article(call)
    found = await call.services.changes.of_article(call.user_id, article)
    changes = [
        shape(
            ChangeShape,
            change,
            changed_at=change.at,
            title=_pieces(change.title),
            text=[_pieces(line) for line in change.text],
        )
        for change in found
    ]
    return ChangeList(told(found), changes)


def _pieces(line: Line) -> list[PieceShape]:
    return [PieceShape(piece.kind, piece.text) for piece in line]


@ROUTES.add("GET /api/articles/{id}/related", "List related articles")
async def list_related(call: Call) -> ArticleList:
    """List articles of one's own feeds that are close to this one in meaning.

    Nothing is found without an embeddings server.
    """
    article = await _article(call)
    likeness = call.services.likeness
    found = await likeness.related(call.user_id, article, MOST_RELATED) if likeness else []
    return article_list(found)


@ROUTES.add("PATCH /api/articles/{id}", "Mark or tag an article", takes=ArticleChanges)
async def change_article(call: Call) -> ArticleShape:
    article = await _article(call)
    changes = await call.body(ArticleChanges, shown=ArticleShape)
    reading = call.services.reading
    for mark in _marks(changes):
        await reading.mark(call.user_id, [article.item_no], mark)
    if changes.tags is not UNSET:
        wanted = {" ".join(tag.split()) for tag in changes.tags} - {""}
        for tag in sorted(wanted - set(article.tags)):
            await reading.tag(call.user_id, [article.item_no], tag)
        for tag in sorted(set(article.tags) - wanted):
            await reading.untag(call.user_id, [article.item_no], tag)
    changed = await reading.article(call.user_id, article.item_no)
    return article_shape(changed, with_content=True)


@ROUTES.add("POST /api/articles/mark", "Mark articles", takes=MarkSome)
async def mark_some(call: Call) -> MarkedShape:
    asked = await call.body(MarkSome)
    marked = await call.services.reading.mark(call.user_id, asked.ids, asked.mark)
    return MarkedShape(marked.count, list(marked.item_nos))


@ROUTES.add("POST /api/articles/mark-all", "Mark all articles in a view", takes=MarkAll)
async def mark_all(call: Call) -> MarkedShape:
    asked = await call.body(MarkAll)
    wanted = Wanted(
        subscription_id=asked.feed_id,
        folder_id=asked.folder_id,
        tag=asked.tag,
        before_item=None if asked.up_to is None else asked.up_to + 1,
    )
    marked = await call.services.reading.mark_all(call.user_id, wanted, asked.mark)
    return MarkedShape(marked.count, [])


@ROUTES.add(
    "POST /api/articles/{id}/full-text",
    "Fetch an article's full text",
    gives={200: ArticleShape, 202: TaskShape},
)
async def read_full_text(call: Call) -> Response:
    """Have an article's own page read; one that was read already is shown."""
    article = await call.services.reading.article(call.user_id, call.id())
    if article.hidden:
        raise NotFound("Article not found")
    if article.full_content is not None:
        return answer(article_shape(article, with_content=True))
    task_id = await call.services.full_texts.ask(call.user_id, article)
    task = await call.services.tasks.find(call.user_id, task_id)
    return answer(task_shape(task), 202, {"Location": f"/api/tasks/{task_id}"})


async def _article(call: Call) -> Article:
    article = await call.services.reading.article(call.user_id, call.id())
    if article.hidden and call.request.method != "PATCH":
        raise NotFound("Article not found")
    return article


def _marks(changes: ArticleChanges) -> list[str]:
    table: tuple[tuple[bool | UnsetType, str, str], ...] = (
        (changes.unread, "unread", "read"),
        (changes.starred, "starred", "unstarred"),
        (changes.hidden, "hidden", "shown"),
    )
    return [on if value else off for value, on, off in table if value is not UNSET]
