"""Bookmarks: three tabs of one list, actions on them, import and export.

Saving an item of a feed is here too: the same addresses answer programs in JSON.
"""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast
from urllib.parse import quote, urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.bookmarks import LARGEST_FILE, FileForm
from feedloom.markup import markdown_html
from feedloom.model.bookmarks import ARCHIVE, INBOX, NewBookmark, WantedBookmarks
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Bookmark
from feedloom.model.urls import is_address
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import is_htmx, wants_html
from feedloom.serve.origin import own_address
from feedloom.serve.pages.forms import (
    FORM_AROUND,
    download,
    field,
    part_of,
    read_file,
    read_filters,
    redirect_back,
    redirect_to,
    route_end,
)
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route

VIEWS = {"bookmarks": None, "inbox": INBOX, "archive": ARCHIVE}
"""The tabs, and which bookmarks they show."""
_LONGEST_ADDRESS = 4_000
_LONGEST_TITLE = 500
_LONGEST_NOTE = 5_000
_PLAIN = "/:?&=+().'"
"""What stays as it is in the code of a bookmarklet."""


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
            limit=50 if pinned else 30,
        )


async def bookmarks(request: Request, view: str, problem: str = "", typed: str = "") -> Response:
    """Show a tab of bookmarks; what is pinned stands before the rest.

    A ``problem`` with an address that was ``typed`` is told at its field.
    """
    given = read_filters(request, "q", "tag")
    chosen = BookmarkView(view, given["q"], given["tag"])
    store, user_id = services(request).bookmarks, actor(request).user.id
    cursor = request.query_params.get("cursor") or None
    apart = not chosen.words and not chosen.tag
    wanted = chosen.wanted(pinned=False if apart else None, cursor=cursor)
    page = await store.bookmarks(user_id, wanted)
    if part_of(request) == "rows":
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


async def bookmark(request: Request) -> Response:
    found = await services(request).bookmarks.bookmark(actor(request).user.id, path_id(request))
    part = part_of(request)
    if part == "row":
        view = request.query_params.get("view", "")
        chosen = BookmarkView(view if view in VIEWS else "bookmarks")
        return render(request, "reading/bookmark_row.html", row=found, bookmark_view=chosen)
    # A page may be long, and reading its Markdown takes a while.
    text = await asyncio.to_thread(markdown_html, found.content, base_url=found.url)
    if part == "text":
        return render(request, "reading/bookmark_text.html", bookmark=found, text=text)
    return await render_page(request, "reading/bookmark.html", bookmark=found, text=text)


async def confirm(request: Request) -> Response:
    """Confirm what a bookmarklet sends."""
    longest = {"url": _LONGEST_ADDRESS, "title": _LONGEST_TITLE, "description": _LONGEST_TITLE}
    typed = {n: field(request.query_params, n).strip()[:most] for n, most in longest.items()}
    return await _show_form(request, typed | {"tags": "", "state": INBOX})


async def _show_form(request: Request, typed: dict[str, str], problem: str = "") -> Response:
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    return await render_page(
        request, "reading/bookmark_add.html", status, None, problem=problem, **typed
    )


async def keep(request: Request) -> Response:
    """Keep a page by its address; one that is kept already is shown."""
    form = await request.form()
    try:
        wished = _wished(form)
        kept = await services(request).bookmarks.add(actor(request).user.id, wished)
    except InvalidInput as error:
        if not wants_html(request):
            raise
        if "title" in form:
            names = ("url", "title", "description", "tags", "state")
            return await _show_form(request, {n: field(form, n) for n in names}, str(error))
        view = field(form, "view")
        shown = view if view in VIEWS else "bookmarks"
        return await bookmarks(request, shown, str(error), field(form, "url"))
    if not kept.is_new:
        return redirect_to(f"/bookmarks/{kept.bookmark.id}", "known")
    return redirect_back(form, "/ui/?view=inbox", "kept")


def _wished(form: FormData) -> NewBookmark:
    url = field(form, "url").strip()
    if not url:
        raise InvalidInput("Paste a page address.", field="url")
    host, colon, port = url.partition("/")[0].partition(":")
    is_host = "." in host and "@" not in host and (port.isdecimal() or not colon)
    if is_host and is_address(f"https://{url}"):
        url = f"https://{url}"
    return NewBookmark(
        url=url,
        title=_title(form),
        description=_note(form),
        tags=tuple(_tags(form)),
        state=ARCHIVE if field(form, "state") == ARCHIVE else INBOX,
    )


def _title(form: FormData) -> str:
    return " ".join(field(form, "title").split())[:_LONGEST_TITLE]


def _note(form: FormData) -> str:
    return field(form, "description").strip()[:_LONGEST_NOTE]


def _tags(form: FormData) -> list[str]:
    names = (" ".join(name.split()) for name in field(form, "tags").split(","))
    return list(dict.fromkeys(name[:100] for name in names if name))[:50]


async def change(request: Request) -> Response:
    """Do with a bookmark what the address ends with."""
    form = await request.form()
    store, user_id, id_ = services(request).bookmarks, actor(request).user.id, path_id(request)
    match route_end(request):
        case "state":
            state = INBOX if field(form, "state") == INBOX else ARCHIVE
            await store.change(user_id, id_, {"state": state})
            word = "unarchived" if state == INBOX else "archived"
        case "pin":
            pinned = field(form, "pinned") == "1"
            await store.change(user_id, id_, {"pinned": pinned})
            word = "pinned" if pinned else "unpinned"
        case "edit":
            changes = {"title": _title(form), "description": _note(form), "tags": _tags(form)}
            await store.change(user_id, id_, changes)
            word = "saved"
        case "delete":
            await store.delete(user_id, id_)
            word = "deleted"
        case _:
            await store.retry(user_id, id_)
            word = "reading"
    return redirect_back(form, "/ui/?view=bookmarks", word)


async def save_item(request: Request) -> Response:
    form = await request.form()
    await services(request).bookmarks.save_article(
        actor(request).user.id, path_id(request, "feed_id"), path_id(request, "item_id")
    )
    if is_htmx(request):
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={"HX-Trigger": "itemSaved"})
    return redirect_back(form, "/ui/?view=feeds", "bookmarked")


async def dismiss_item(request: Request) -> Response:
    user_id, item_no = actor(request).user.id, path_id(request, "item_id")
    reading = services(request).reading
    found = await reading.article(user_id, item_no)
    if found.subscription_id != path_id(request, "feed_id") or found.hidden:
        raise NotFound("Article not found")
    await reading.mark(user_id, [item_no], "hidden")
    return Response(status_code=HTTPStatus.NO_CONTENT, headers={"HX-Trigger": "itemDismissed"})


async def tools(request: Request, problem: str = "") -> Response:
    code = (
        f"location.href='{own_address(request)}/bookmarks/add?url='"
        "+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title)"
    )
    return await render_page(
        request,
        "reading/bookmark_tools.html",
        HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        problem=problem,
        bookmarklet=f"javascript:{quote(code, safe=_PLAIN)}",
    )


async def bring(request: Request) -> Response:
    document = await read_file(await request.form())
    try:
        report = await services(request).bookmark_files.bring(actor(request).user.id, document)
    except InvalidInput as error:
        return await tools(request, str(error))
    return redirect_to("/ui/?view=bookmarks", f"brought.{report.added}.{report.known}")


async def export(request: Request) -> Response:
    form = cast("FileForm", route_end(request, "."))
    made = await services(request).bookmark_files.export(actor(request).user.id, form)
    return download(made.content, made.media_type, made.name)


_DEEDS = ("state", "pin", "edit", "retry", "delete")

ROUTES = (
    Route("/bookmarks", keep, ("POST",), Access.PERSON),
    Route("/bookmarks/add", confirm, ("GET",), Access.PERSON),
    Route("/bookmarks/tools", tools, ("GET",), Access.PERSON),
    Route(
        "/bookmarks/import",
        bring,
        ("POST",),
        Access.PERSON,
        body_limit=LARGEST_FILE + FORM_AROUND,
        per_minute=12,
    ),
    *(
        Route(f"/bookmarks/export.{form}", export, ("GET",), Access.PERSON)
        for form in ("json", "html", "md")
    ),
    Route("/bookmarks/{id}", bookmark, ("GET",), Access.PERSON),
    *(Route(f"/bookmarks/{{id}}/{do}", change, ("POST",), Access.PERSON) for do in _DEEDS),
    Route("/feeds/{feed_id}/items/{item_id}/save", save_item, ("POST",), Access.PERSON),
    Route("/feeds/{feed_id}/items/{item_id}", dismiss_item, ("DELETE",), Access.PERSON),
)
