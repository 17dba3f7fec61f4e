"""Articles in JSON: paged lists, single articles, full texts, marks."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.distill.vectors import MOST_RELATED
from feedloom.flow.reader.changes import told
from feedloom.model.errors import NotFound
from feedloom.model.reader import Article, Line, Order, Wanted
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.wire.json_io import (
    APIRoutes,
    Body,
    Cursor,
    Id,
    Limit,
    Name,
    answer,
    read_body,
    read_query,
)
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
async def list_articles(request: Request) -> ArticleList:
    query = msgspec.structs.asdict(read_query(request, ArticleQuery))
    wanted = Wanted(
        subscription_id=query.pop("feed_id"),
        order=Order(query.pop("order")),
        with_content=query.pop("content"),
        **query,
    )
    page = await services(request).reading.articles(actor(request).user.id, wanted)
    return article_list(page.articles, page.next_cursor, with_content=wanted.with_content)


@ROUTES.add("GET /api/articles/{id}", "Show an article")
async def show_article(request: Request) -> ArticleShape:
    return article_shape(await _article(request), with_content=True)


@ROUTES.add("GET /api/articles/{id}/changes", "Show what the publisher changed")
async def show_changes(request: Request) -> ChangeList:
    article = await _article(request)
    found = await services(request).changes.of_article(actor(request).user.id, article)
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
async def list_related(request: Request) -> ArticleList:
    """List articles of one's own feeds that are close to this one in meaning.

    Nothing is found without an embeddings server.
    """
    article = await _article(request)
    likeness, user_id = services(request).likeness, actor(request).user.id
    found = await likeness.related(user_id, article, MOST_RELATED) if likeness else []
    return article_list(found)


@ROUTES.add("PATCH /api/articles/{id}", "Mark or tag an article", takes=ArticleChanges)
async def change_article(request: Request) -> ArticleShape:
    article = await _article(request)
    changes = await read_body(request, ArticleChanges, shown=ArticleShape)
    reading = services(request).reading
    user_id = actor(request).user.id
    for mark in _marks(changes):
        await reading.mark(user_id, [article.item_no], mark)
    if changes.tags is not UNSET:
        wanted = {" ".join(tag.split()) for tag in changes.tags} - {""}
        for tag in sorted(wanted - set(article.tags)):
            await reading.tag(user_id, [article.item_no], tag)
        for tag in sorted(set(article.tags) - wanted):
            await reading.untag(user_id, [article.item_no], tag)
    changed = await reading.article(user_id, article.item_no)
    return article_shape(changed, with_content=True)


@ROUTES.add("POST /api/articles/mark", "Mark articles", takes=MarkSome)
async def mark_some(request: Request) -> MarkedShape:
    asked = await read_body(request, MarkSome)
    marked = await services(request).reading.mark(actor(request).user.id, asked.ids, asked.mark)
    return MarkedShape(marked.count, list(marked.item_nos))


@ROUTES.add("POST /api/articles/mark-all", "Mark all articles in a view", takes=MarkAll)
async def mark_all(request: Request) -> MarkedShape:
    asked = await read_body(request, MarkAll)
    wanted = Wanted(
        subscription_id=asked.feed_id,
        folder_id=asked.folder_id,
        tag=asked.tag,
        before_item=None if asked.up_to is None else asked.up_to + 1,
    )
    marked = await services(request).reading.mark_all(actor(request).user.id, wanted, asked.mark)
    return MarkedShape(marked.count, [])


@ROUTES.add(
    "POST /api/articles/{id}/full-text",
    "Fetch an article's full text",
    gives={200: ArticleShape, 202: TaskShape},
)
async def read_full_text(request: Request) -> Response:
    """Have an article's own page read; one that was read already is shown."""
    user_id = actor(request).user.id
    app_services = services(request)
    article = await app_services.reading.article(user_id, path_id(request))
    if article.hidden:
        raise NotFound("Article not found")
    if article.full_content is not None:
        return answer(article_shape(article, with_content=True))
    task_id = await app_services.full_texts.ask(user_id, article)
    task = await app_services.tasks.find(user_id, task_id)
    return answer(task_shape(task), 202, {"Location": f"/api/tasks/{task_id}"})


async def _article(request: Request) -> Article:
    article = await services(request).reading.article(actor(request).user.id, path_id(request))
    if article.hidden and request.method != "PATCH":
        raise NotFound("Article not found")
    return article


def _marks(changes: ArticleChanges) -> list[str]:
    table: tuple[tuple[bool | UnsetType, str, str], ...] = (
        (changes.unread, "unread", "read"),
        (changes.starred, "starred", "unstarred"),
        (changes.hidden, "hidden", "shown"),
    )
    return [on if value else off for value, on, off in table if value is not UNSET]
