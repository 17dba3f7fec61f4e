"""Bookmarks in JSON."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from feedloom.model.bookmarks import NewBookmark, WantedBookmarks
from feedloom.serve.wire.json_io import (
    Address,
    APIRoutes,
    Body,
    Call,
    Cursor,
    Limit,
    Name,
    Text,
    answer,
    given,
)
from feedloom.serve.wire.shapes import BookmarkList, BookmarkShape, bookmark_shape

ROUTES = APIRoutes()

State = Literal["inbox", "archive"]
Tags = Annotated[list[Name], msgspec.Meta(max_length=50)]


class BookmarkQuery(msgspec.Struct):
    """Which bookmarks are asked for."""

    state: State | None = None
    tag: Name | None = None
    pinned: bool | None = None
    q: Name | None = None
    cursor: Cursor | None = None
    limit: Limit = 50


class PageToKeep(Body):
    """A page to be kept."""

    url: Address
    title: Name = ""
    description: Text = ""
    tags: Tags = []  # noqa: RUF012 - msgspec copies it
    state: State = "inbox"


class BookmarkChanges(Body):
    """What is to be changed."""

    title: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    state: State | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET


@ROUTES.add("GET /api/bookmarks", "List bookmarks", asks=BookmarkQuery)
async def list_bookmarks(call: Call) -> BookmarkList:
    query = msgspec.structs.asdict(call.query(BookmarkQuery))
    tag, text = query.pop("tag"), query.pop("q")
    wanted = WantedBookmarks(text=text, tags=() if tag is None else (tag,), **query)
    page = await call.services.bookmarks.bookmarks(call.user_id, wanted)
    shapes = [bookmark_shape(each, with_content=False) for each in page.bookmarks]
    return BookmarkList(shapes, page.next_cursor)


@ROUTES.add(
    "POST /api/bookmarks",
    "Save a page",
    gives={201: BookmarkShape, 200: BookmarkShape},
    takes=PageToKeep,
)
async def add_bookmark(call: Call) -> Response:
    """Keep a page; one that is kept already is answered with 200."""
    page = await call.body(PageToKeep)
    new = NewBookmark(
        url=page.url,
        title=" ".join(page.title.split()),
        description=page.description.strip(),
        tags=_tags(page.tags),
        state=page.state,
    )
    kept = await call.services.bookmarks.add(call.user_id, new)
    where = {"Location": f"/api/bookmarks/{kept.bookmark.id}"}
    return answer(bookmark_shape(kept.bookmark), 201 if kept.is_new else 200, where)


@ROUTES.add("GET /api/bookmarks/{id}", "Show a bookmark")
async def show_bookmark(call: Call) -> BookmarkShape:
    return bookmark_shape(await call.services.bookmarks.bookmark(call.user_id, call.id()))


@ROUTES.add("PATCH /api/bookmarks/{id}", "Update a bookmark", takes=BookmarkChanges)
async def change_bookmark(call: Call) -> BookmarkShape:
    store = call.services.bookmarks
    await store.bookmark(call.user_id, call.id())
    changes = given(await call.body(BookmarkChanges, shown=BookmarkShape))
    if "tags" in changes:
        changes["tags"] = list(_tags(changes["tags"]))
    return bookmark_shape(await store.change(call.user_id, call.id(), changes))


@ROUTES.add("DELETE /api/bookmarks/{id}", "Delete a bookmark")
async def delete_bookmark(call: Call) -> None:
    await call.services.bookmarks.delete(call.user_id, call.id())


@ROUTES.add("POST /api/bookmarks/{id}/enrich", "Fetch a bookmark's page again", status=202)
async def enrich_bookmark(call: Call) -> BookmarkShape:
    return bookmark_shape(await call.services.bookmarks.retry(call.user_id, call.id()))


def _tags(given: list[str]) -> tuple[str, ...]:
    trimmed = (" ".join(tag.split()) for tag in given)
    return tuple(dict.fromkeys(tag for tag in trimmed if tag))
