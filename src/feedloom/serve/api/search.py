"""Search in JSON: articles of your feeds, feeds of the directory."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.reader import DirectoryWanted, ListedFeed, Order, Wanted
from feedloom.model.urls import shown_address
from feedloom.serve.auth import actor, services
from feedloom.serve.routes import APIRoutes
from feedloom.serve.wire.json_io import NO_NUL, Cursor, Limit, Name, answer_list, read_query
from feedloom.serve.wire.shapes import ArticleList, article_list, shape

ROUTES = APIRoutes()

Words = Annotated[str, msgspec.Meta(pattern=NO_NUL, max_length=10_000)]
PageLink = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,6000}$")]
"""Long enough for the longest title of a feed."""
Health = Literal["healthy", "unchecked", "degraded", "unhealthy", "paused"]


class SearchQuery(msgspec.Struct):
    """Words and conditions: ``feed:x is:unread before:2026-01-31 "a phrase" -word``."""

    q: Words = ""
    order: Literal["newest", "oldest", "meaning"] = "newest"
    """``meaning`` compares the whole text with articles and reads no conditions."""
    content: bool = False
    cursor: Cursor | None = None
    limit: Limit = 50


class DirectoryQuery(msgspec.Struct):
    """Which feeds are looked for; the language ``en`` also finds ``en-GB``."""

    q: Words = ""
    topic: Name | None = None
    language: Name | None = None
    state: Health | None = None
    cursor: PageLink | None = None
    limit: Limit = 50


class ListedFeedShape(msgspec.Struct):
    """A feed of the directory."""

    url: str
    title: str
    description: str
    site_url: str | None
    domain: str
    language: str | None
    language_name: str | None
    country: str | None
    topic: str | None
    tags: tuple[str, ...]
    format: str | None
    state: str
    last_fetched_at: datetime | None
    last_fetch_status: str | None
    is_canonical: bool
    latest_item_published_at: datetime | None
    avg_update_interval_s: int | None
    recent_titles: tuple[str, ...]


class DirectoryList(msgspec.Struct):
    """One page of the directory; ask again with ``next_cursor`` for the next."""

    feeds: list[ListedFeedShape]
    next_cursor: str | None


def listed_shape(feed: ListedFeed) -> ListedFeedShape:
    return shape(
        ListedFeedShape,
        feed,
        url=shown_address(feed.url),
        topic=feed.approved_topic,
        last_fetched_at=feed.last_attempt_at,
        latest_item_published_at=feed.latest_at,
        avg_update_interval_s=feed.interval_s,
    )


@ROUTES.add(
    "GET /api/search", "Search articles", {200: ArticleList}, asks=SearchQuery, refuses=(409, 503)
)
async def search_articles(request: Request) -> Response:
    """Find articles of one's own feeds by words; without any word, none."""
    query = read_query(request, SearchQuery)
    if not query.q.strip():
        return answer_list(request, article_list(()))
    if query.order == "meaning":
        likeness = services(request).require_likeness()
        found = await likeness.search(actor(request).user, query.q, query.limit)
        return answer_list(request, article_list(found, with_content=query.content))
    wanted = Wanted(
        text=query.q,
        order=Order(query.order),
        cursor=query.cursor,
        limit=query.limit,
        with_content=query.content,
    )
    page = await services(request).reading.articles(actor(request).user.id, wanted)
    shown = article_list(page.articles, page.next_cursor, with_content=query.content)
    return answer_list(request, shown)


@ROUTES.add("GET /api/directory", "Search the directory", {200: DirectoryList}, asks=DirectoryQuery)
async def search_directory(request: Request) -> Response:
    query = msgspec.structs.asdict(read_query(request, DirectoryQuery))
    text, cursor = query.pop("q"), query.pop("cursor")
    wanted = DirectoryWanted(text=text, tenant_id=actor(request).user.tenant_id, **query)
    page = await services(request).directory.search(wanted, cursor)
    shapes = [listed_shape(feed) for feed in page.feeds]
    return answer_list(request, DirectoryList(shapes, page.next_cursor))
