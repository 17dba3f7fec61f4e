"""Bookmarks: three tabs of the same list, and what people do with one.

Saving an item of a feed is here too: the same addresses answer programs in JSON.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.keeping import ARCHIVE, INBOX, NewBookmark, WantedBookmarks
from feedloom.serve.auth import actor, services
from feedloom.serve.doors import Access, Door
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.done import read_done
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.numbers import as_id
from feedloom.serve.pages.rendering import render, render_page
from feedloom.serve.security import local_path
from feedloom.serve.services import Services

VIEWS = {"bookmarks": None, "inbox": INBOX, "archive": ARCHIVE}
"""The tabs, and which bookmarks they show."""
_PAGE = 30
Deed = Callable[[Services, int, int, FormData], Awaitable[object]]


async def bookmarks(request: Request, view: str) -> Response:
    """Show a tab of bookmarks."""
    words = request.query_params.get("q", "").strip()
    page = await services(request).bookmarks.bookmarks(
        actor(request).user.id,
        WantedBookmarks(
            state=VIEWS[view],
            text=words or None,
            cursor=request.query_params.get("cursor") or None,
            limit=_PAGE,
        ),
    )
    if is_htmx(request) and request.query_params.get("part") == "rows":
        return render(
            request, "reading/bookmark_rows.html", page=page, view=view, more=_more
        )
    return await render_page(
        request,
        "reading/bookmarks.html",
        page=page,
        view=view,
        words=words,
        more=_more,
        problem="",
        done=read_done(request),
    )


def _more(view: str, words: str, cursor: str, part: str = "") -> str:
    query = {"view": view, "q": words, "cursor": cursor, "part": part}
    return "/ui/?" + urlencode({k: v for k, v in query.items() if v})


async def bookmark(request: Request) -> Response:
    """Show one bookmark with the text of its page."""
    found = await services(request).bookmarks.bookmark(
        actor(request).user.id, as_id(request.path_params["id"])
    )
    return await render_page(
        request, "reading/bookmark.html", bookmark=found, done=read_done(request)
    )


async def keep(request: Request) -> Response:
    """Keep a page by its address."""
    form = await request.form()
    url = field(form, "url").strip()
    if not url:
        raise InvalidInput("Paste the address of a page.", field="url")
    await services(request).bookmarks.add(actor(request).user.id, NewBookmark(url))
    return _back(form, "saved", "/ui/?view=inbox")


async def save_item(request: Request) -> Response:
    """Save an item of a feed, asked for by a form or by htmx."""
    form = await request.form()
    await services(request).bookmarks.save_article(
        actor(request).user.id,
        as_id(request.path_params["feed_id"]),
        as_id(request.path_params["item_id"]),
    )
    if is_htmx(request):
        return Response(
            status_code=HTTPStatus.NO_CONTENT, headers={"HX-Trigger": "itemSaved"}
        )
    return _back(form, "saved", "/ui/?view=feeds")


async def dismiss_item(request: Request) -> Response:
    """Hide an item of a feed, asked for by htmx."""
    user_id = actor(request).user.id
    item_no = as_id(request.path_params["item_id"])
    reading = services(request).reading
    found = await reading.article(user_id, item_no)
    is_there = found.subscription_id == as_id(request.path_params["feed_id"])
    if not is_there or found.hidden:
        raise NotFound("Article not found")
    await reading.mark(user_id, [item_no], "hidden")
    return Response(
        status_code=HTTPStatus.NO_CONTENT, headers={"HX-Trigger": "itemDismissed"}
    )


def _doing(deed: Deed, word: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        form = await request.form()
        id_ = as_id(request.path_params["id"])
        await deed(services(request), actor(request).user.id, id_, form)
        return _back(form, word, "/ui/?view=bookmarks")

    return endpoint


def _back(form: FormData, word: str, path: str) -> Response:
    back = local_path(field(form, "next"), path)
    joint = "&" if "?" in back else "?"
    return RedirectResponse(f"{back}{joint}did={word}", HTTPStatus.SEE_OTHER)


def _tags(form: FormData) -> list[str]:
    names = (" ".join(name.split()) for name in field(form, "tags").split(","))
    return list(dict.fromkeys(name[:100] for name in names if name))[:50]


_DEEDS: tuple[tuple[str, Deed, str], ...] = (
    (
        "state",
        lambda s, user, id_, form: s.bookmarks.change(
            user,
            id_,
            {"state": INBOX if field(form, "state") == INBOX else ARCHIVE},
        ),
        "saved",
    ),
    (
        "pin",
        lambda s, user, id_, form: s.bookmarks.change(
            user, id_, {"pinned": field(form, "pinned") == "1"}
        ),
        "saved",
    ),
    (
        "edit",
        lambda s, user, id_, form: s.bookmarks.change(
            user,
            id_,
            {
                "title": field(form, "title").strip()[:500],
                "description": field(form, "description").strip()[:5_000],
                "tags": _tags(form),
            },
        ),
        "saved",
    ),
    ("retry", lambda s, user, id_, _: s.bookmarks.retry(user, id_), "saved"),
    ("delete", lambda s, user, id_, _: s.bookmarks.delete(user, id_), "deleted"),
)

DOORS = (
    Door("/bookmarks", keep, ("POST",), Access.PERSON),
    Door("/bookmarks/{id}", bookmark, ("GET",), Access.PERSON),
    *(
        Door(f"/bookmarks/{{id}}/{name}", _doing(deed, word), ("POST",), Access.PERSON)
        for name, deed, word in _DEEDS
    ),
    Door("/feeds/{feed_id}/items/{item_id}/save", save_item, ("POST",), Access.PERSON),
    Door("/feeds/{feed_id}/items/{item_id}", dismiss_item, ("DELETE",), Access.PERSON),
)
