"""Bookmarks: three tabs of one list, and actions on them.

Saving an item of a feed is here too: the same addresses answer programs in JSON.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.markup import markdown_html
from feedloom.model.bookmarks import ARCHIVE, INBOX, NewBookmark, WantedBookmarks
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Bookmark
from feedloom.model.urls import is_address
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import is_htmx, wants_html
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.notices import redirect_back, redirect_to
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.services import Services

VIEWS = {"bookmarks": None, "inbox": INBOX, "archive": ARCHIVE}
"""The tabs, and which bookmarks they show."""
_PAGE = 30
_MOST_PINNED = 50
_LONGEST = 200
_LONGEST_TITLE = 500
_LONGEST_NOTE = 5_000
Deed = Callable[[Services, int, int, FormData], Awaitable[object]]
Told = str | Callable[[FormData], str]
"""What is said after a deed, which may depend on what its form asked for."""


@dataclass(frozen=True, slots=True)
class BookmarkView:
    view: str
    words: str = ""
    tag: str = ""

    def url(self, **changes: str) -> str:
        query = {"view": self.view, "q": self.words, "tag": self.tag} | changes
        return "/ui/?" + urlencode({k: v for k, v in query.items() if v})

    def wanted(self, *, pinned: bool | None, cursor: str | None) -> WantedBookmarks:
        return WantedBookmarks(
            state=VIEWS[self.view],
            tags=(self.tag,) if self.tag else (),
            text=self.words or None,
            pinned=pinned,
            cursor=cursor,
            limit=_MOST_PINNED if pinned else _PAGE,
        )


async def bookmarks(request: Request, view: str, problem: str = "", typed: str = "") -> Response:
    """Show a tab of bookmarks; what is pinned stands before the rest.

    A ``problem`` with an address that was ``typed`` is told at its field.
    """
    chosen = _bookmark_view(request, view)
    store = services(request).bookmarks
    user_id = actor(request).user.id
    cursor = request.query_params.get("cursor") or None
    apart = not chosen.words and not chosen.tag
    page = await store.bookmarks(
        user_id, chosen.wanted(pinned=False if apart else None, cursor=cursor)
    )
    if is_htmx(request) and request.query_params.get("part") == "rows":
        return render(request, "reading/bookmark_rows.html", page=page, bookmark_view=chosen)
    pinned: tuple[Bookmark, ...] = ()
    if apart and cursor is None:
        first = chosen.wanted(pinned=True, cursor=None)
        pinned = (await store.bookmarks(user_id, first)).bookmarks
    return await render_page(
        request,
        "reading/bookmarks.html",
        HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        page=page,
        pinned=pinned,
        bookmark_view=chosen,
        tags=await store.tags(user_id),
        problem=problem,
        typed=typed,
    )


def _bookmark_view(request: Request, view: str) -> BookmarkView:
    given = {n: request.query_params.get(n, "").strip() for n in ("q", "tag")}
    for name, value in given.items():
        if len(value) > _LONGEST or "\x00" in value:
            raise InvalidInput("Invalid query parameters", field=name)
    return BookmarkView(view, given["q"], given["tag"])


async def bookmark(request: Request) -> Response:
    found = await services(request).bookmarks.bookmark(actor(request).user.id, path_id(request))
    part = request.query_params.get("part", "") if is_htmx(request) else ""
    if part == "row":
        view = request.query_params.get("view", "")
        chosen = BookmarkView(view if view in VIEWS else "bookmarks")
        return render(request, "reading/bookmark_row.html", row=found, bookmark_view=chosen)
    # A page may be long, and reading its Markdown takes a while.
    text = await asyncio.to_thread(markdown_html, found.content, base_url=found.url)
    if part == "text":
        return render(request, "reading/bookmark_text.html", bookmark=found, text=text)
    return await render_page(request, "reading/bookmark.html", bookmark=found, text=text)


async def keep(request: Request) -> Response:
    """Keep a page by its address; one that is kept already is shown."""
    form = await request.form()
    user_id = actor(request).user.id
    try:
        kept = await services(request).bookmarks.add(user_id, _wished(form))
    except InvalidInput as error:
        if not wants_html(request):
            raise
        return await _not_kept(request, form, str(error))
    if not kept.is_new:
        return redirect_to(f"/bookmarks/{kept.bookmark.id}", "known")
    return redirect_back(form, "/ui/?view=inbox", "kept")


def _wished(form: FormData) -> NewBookmark:
    url = field(form, "url").strip()
    if not url:
        raise InvalidInput("Paste a page address.", field="url")
    return NewBookmark(
        url=f"https://{url}" if _has_no_scheme(url) else url,
        title=" ".join(field(form, "title").split())[:_LONGEST_TITLE],
        description=field(form, "description").strip()[:_LONGEST_NOTE],
        tags=tuple(read_tags(form)),
        state=ARCHIVE if field(form, "state") == ARCHIVE else INBOX,
    )


async def _not_kept(request: Request, form: FormData, problem: str) -> Response:
    """Show the form again as it was sent: that of a tab, or the one that asks for more."""
    if "title" not in form:
        view = field(form, "view")
        shown = view if view in VIEWS else "bookmarks"
        return await bookmarks(request, shown, problem, field(form, "url"))
    return await render_page(
        request,
        "reading/bookmark_add.html",
        HTTPStatus.BAD_REQUEST,
        problem=problem,
        url=field(form, "url"),
        title=field(form, "title"),
        description=field(form, "description"),
        tags=field(form, "tags"),
        state=field(form, "state"),
    )


def _has_no_scheme(url: str) -> bool:
    host, colon, port = url.partition("/")[0].partition(":")
    is_host = "." in host and "@" not in host and (port.isdecimal() or not colon)
    return is_host and is_address(f"https://{url}")


async def save_item(request: Request) -> Response:
    form = await request.form()
    await services(request).bookmarks.save_article(
        actor(request).user.id, path_id(request, "feed_id"), path_id(request, "item_id")
    )
    if is_htmx(request):
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={"HX-Trigger": "itemSaved"})
    return redirect_back(form, "/ui/?view=feeds", "bookmarked")


async def dismiss_item(request: Request) -> Response:
    user_id = actor(request).user.id
    item_no = path_id(request, "item_id")
    reading = services(request).reading
    found = await reading.article(user_id, item_no)
    is_there = found.subscription_id == path_id(request, "feed_id")
    if not is_there or found.hidden:
        raise NotFound("Article not found")
    await reading.mark(user_id, [item_no], "hidden")
    return Response(status_code=HTTPStatus.NO_CONTENT, headers={"HX-Trigger": "itemDismissed"})


def _doing(deed: Deed, told: Told) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        form = await request.form()
        id_ = path_id(request)
        await deed(services(request), actor(request).user.id, id_, form)
        word = told if isinstance(told, str) else told(form)
        return redirect_back(form, "/ui/?view=bookmarks", word)

    return endpoint


def read_tags(form: FormData) -> list[str]:
    names = (" ".join(name.split()) for name in field(form, "tags").split(","))
    return list(dict.fromkeys(name[:100] for name in names if name))[:50]


_DEEDS: tuple[tuple[str, Deed, Told], ...] = (
    (
        "state",
        lambda s, user, id_, form: s.bookmarks.change(
            user, id_, {"state": INBOX if field(form, "state") == INBOX else ARCHIVE}
        ),
        lambda form: "unarchived" if field(form, "state") == INBOX else "archived",
    ),
    (
        "pin",
        lambda s, user, id_, form: s.bookmarks.change(
            user, id_, {"pinned": field(form, "pinned") == "1"}
        ),
        lambda form: "pinned" if field(form, "pinned") == "1" else "unpinned",
    ),
    (
        "edit",
        lambda s, user, id_, form: s.bookmarks.change(
            user,
            id_,
            {
                "title": " ".join(field(form, "title").split())[:_LONGEST_TITLE],
                "description": field(form, "description").strip()[:_LONGEST_NOTE],
                "tags": read_tags(form),
            },
        ),
        "saved",
    ),
    ("retry", lambda s, user, id_, _: s.bookmarks.retry(user, id_), "reading"),
    ("delete", lambda s, user, id_, _: s.bookmarks.delete(user, id_), "deleted"),
)

ROUTES = (
    Route("/bookmarks", keep, ("POST",), Access.PERSON),
    Route("/bookmarks/{id}", bookmark, ("GET",), Access.PERSON),
    *(
        Route(f"/bookmarks/{{id}}/{name}", _doing(deed, told), ("POST",), Access.PERSON)
        for name, deed, told in _DEEDS
    ),
    Route("/feeds/{feed_id}/items/{item_id}/save", save_item, ("POST",), Access.PERSON),
    Route("/feeds/{feed_id}/items/{item_id}", dismiss_item, ("DELETE",), Access.PERSON),
)
