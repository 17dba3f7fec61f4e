"""Wallabag v2: the bookmarks in read-later apps.

Below an address of its own, which apps ask for: ``/api`` alone is our own interface. Each
address has a second spelling with ``.json`` at its end.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from feedloom.markup import markdown_html
from feedloom.model.bookmarks import ARCHIVE, INBOX, BookmarkSort, NewBookmark, WantedBookmarks
from feedloom.model.errors import BadAddress, FeedloomError, InvalidInput, NotFound, NotSignedIn
from feedloom.model.reader import Bookmark, User
from feedloom.model.urls import shown_address, url_key
from feedloom.serve.auth import Actor, authenticate_secret
from feedloom.serve.error_responses import problem_of
from feedloom.serve.image_addresses import content_for_app
from feedloom.serve.origin import own_address
from feedloom.serve.routes import STRANGER_BODY, Access, Route
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import Call as SyncCall
from feedloom.serve.sync.calls import Endpoints, client_token, routes_of
from feedloom.serve.sync.parameters import Given, read_given, row_id

_BASE = "/wallabag"
_VERSION = "2.6.9"
"""The release whose API this is; clients ask for features by it."""
_SCHEME = "bearer "
_YEAR_S = 31_536_000
"""Clients want a number; a token lives as long as its app password."""
_MOST_TAGS = 50
_LONGEST_TAG = 255
_MOST_PER_PAGE = 100
_LONGEST_TITLE = 255
_LONGEST_URL = 4_000
_SORTS = {
    "created": BookmarkSort.ADDED,
    "updated": BookmarkSort.CHANGED,
    "archived": BookmarkSort.ARCHIVED,
}
_ASKED_AGAIN = ("archive", "starred", "sort", "order", "tags", "since", "detail", "public")
_NO_FILTERS = ("public", "notParsed", "annotations", "domain_name", "http_status")
_NOT_CHANGED = (
    *("content", "language", "preview_picture", "published_at", "authors", "public"),
    "origin_url",
)
_WORDS_PER_MINUTE = 200
_NO_LETTERS = re.compile(r"[\W_]+")


class Call(SyncCall):
    __slots__ = ()

    def id(self, name: str = "id") -> int:
        return row_id(self.request.path_params[name].removesuffix(".json"))

    async def bookmark(self) -> Bookmark:
        return await self.services.bookmarks.bookmark(self.user_id, self.id())

    def tags(self) -> list[str]:
        named = ",".join(self.given.texts("tags")).split(",")
        trimmed = (" ".join(tag.split()) for tag in named)
        found = list(dict.fromkeys(tag for tag in trimmed if tag))
        if len(found) > _MOST_TAGS or any(len(tag) > _LONGEST_TAG for tag in found):
            raise InvalidInput("At most 50 tags of 255 characters.", field="tags")
        return found


def moment(at: datetime | None) -> str | None:
    return None if at is None else f"{at.isoformat()[:19]}+0000"


async def token(request: Request) -> Response:
    """Give the token of an app password; any client id and secret will do."""
    given = await read_given(request)
    kind = given.text("grant_type")
    if kind == "password":
        secret, email = given.text("password"), given.text("username")
        made = await client_token(request, secret, "wallabag", email)
    elif kind == "refresh_token":
        made = given.text("refresh_token")
        if not made:
            raise NotSignedIn
        await authenticate_secret(request, made, "wallabag")
    else:
        raise InvalidInput("grant_type must be password or refresh_token.")
    told = {
        "access_token": made,
        "refresh_token": made,
        "expires_in": _YEAR_S,
        "token_type": "bearer",
        "scope": None,
    }
    return json_answer(told, headers={"Cache-Control": "no-store"})


async def _authenticate(request: Request) -> Actor:
    header = request.headers.get("authorization", "").strip()
    secret = header[len(_SCHEME) :].strip()
    if not secret or not header.lower().startswith(_SCHEME):
        raise NotSignedIn("An access token is required.")
    return await authenticate_secret(request, secret, "wallabag")


ENDPOINTS = Endpoints(Call, _authenticate)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    status, headers = problem.status, dict(problem.headers)
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = 'Bearer realm="Feedloom", error="invalid_grant"'
        return _refusal(error, problem.detail, status, headers)
    if isinstance(error, InvalidInput):
        status = HTTPStatus.BAD_REQUEST
    told = {"error": {"code": int(status), "message": problem.detail}}
    return json_answer(told, status=status, headers=headers)


def token_error(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    is_callers = isinstance(error, NotSignedIn | InvalidInput)
    status = HTTPStatus.BAD_REQUEST if is_callers else problem.status
    return _refusal(error, problem.detail, status, problem.headers)


def _refusal(error: FeedloomError, detail: str, status: int, headers: dict[str, str]) -> Response:
    """Refuse in OAuth's words."""
    word = "invalid_grant" if isinstance(error, NotSignedIn) else "invalid_request"
    told = {"error": word, "error_description": detail}
    return json_answer(told, status=status, headers=headers)


async def version(_request: Request) -> Response:
    return json_answer(_VERSION)


async def info(_request: Request) -> Response:
    told = {"appname": "wallabag", "version": _VERSION, "allowed_registration": False}
    return json_answer(told)


async def user(call: Call) -> object:
    return {
        "id": call.user_id,
        "username": call.user.email,
        "email": call.user.email,
        "name": call.user.email,
        "created_at": moment(call.user.created_at),
        "updated_at": None,
        "default_client": None,
    }


def _hashed(url: str) -> str:
    return hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()


def tag_id(label: str) -> int:
    """Make up a tag's id, always the same one: tags have none with us."""
    digest = hashlib.sha256(label.encode()).digest()
    return int.from_bytes(digest[:4]) >> 1 or 1


def _tag_shape(label: str) -> dict[str, object]:
    slug = _NO_LETTERS.sub("-", label.casefold()).strip("-")
    return {"id": tag_id(label), "label": label, "slug": slug or label}


def _entry_shape(bookmark: Bookmark, user: User, *, with_content: bool) -> dict[str, object]:
    """Show a bookmark. Its Markdown may be long: not for the event loop."""
    url = shown_address(bookmark.url)
    content = ""
    if with_content:
        content = content_for_app(markdown_html(bookmark.content, base_url=url))
    return {
        "id": bookmark.id,
        "title": bookmark.title or url,
        "url": url,
        "hashed_url": _hashed(url),
        "given_url": url,
        "hashed_given_url": _hashed(url),
        "domain_name": urlsplit(url).hostname or "",
        "content": content,
        "reading_time": len(bookmark.content.split()) // _WORDS_PER_MINUTE,
        "is_archived": int(bookmark.state == ARCHIVE),
        "is_starred": int(bookmark.pinned),
        "tags": [_tag_shape(tag) for tag in bookmark.tags],
        "created_at": moment(bookmark.added_at),
        "updated_at": moment(bookmark.updated_at),
        "archived_at": moment(bookmark.archived_at),
        "user_id": user.id,
        "user_name": user.email,
        "user_email": user.email,
        "_links": {"self": {"href": f"/api/entries/{bookmark.id}"}},
        "is_public": False,
        "uid": None,
        "origin_url": None,
        "starred_at": None,
        "published_at": None,
        "published_by": [],
        "annotations": [],
        "headers": [],
        "mimetype": "text/html",
        "language": None,
        "preview_picture": None,
        "http_status": None,
    }


async def list_entries(call: Call) -> object:
    wanted = _wanted(call)
    page = call.given.number("page", 1)
    limit = max(1, min(call.given.number("perPage", 30), _MOST_PER_PAGE))
    total = await call.services.bookmarks.count(call.user_id, wanted)
    pages = max(1, -(-total // limit))
    if not 0 < page <= pages:
        raise NotFound("Page not found.")
    asked = replace(wanted, skip=(page - 1) * limit, limit=limit, with_content=True)
    found = (await call.services.bookmarks.bookmarks(call.user_id, asked)).bookmarks
    return {
        "page": page,
        "limit": limit,
        "pages": pages,
        "total": total,
        "_links": _links(call, page, pages, limit),
        "_embedded": {"items": [await _shown(call, each) for each in found]},
    }


def _wanted(call: Call) -> WantedBookmarks:
    given = call.given
    for name in _NO_FILTERS:
        if given.text(name) not in {"", "0", "false"}:
            raise InvalidInput(f"Entries can't be filtered by {name}.", field=name)
    sort = _SORTS.get(given.text("sort", "created").lower())
    order = given.text("order", "desc").lower()
    if sort is None or order not in {"asc", "desc"}:
        raise InvalidInput("Unknown sort order.", field="sort")
    return WantedBookmarks(
        state=_state(given),
        pinned=given.flag_if_said("starred"),
        tags=tuple(call.tags()),
        changed_since=given.moment("since"),
        sort=sort,
        ascending=order == "asc",
    )


def _state(given: Given) -> str | None:
    return {None: None, True: ARCHIVE, False: INBOX}[given.flag_if_said("archive")]


def _links(call: Call, page: int, pages: int, limit: int) -> dict[str, dict[str, str]]:
    said = {n: call.given.text(n) for n in _ASKED_AGAIN if call.given.says(n)}
    address = f"{own_address(call.request)}{_BASE}/api/entries"
    numbers = {"self": page, "first": 1, "last": pages}
    if page > 1:
        numbers["previous"] = page - 1
    if page < pages:
        numbers["next"] = page + 1
    return {
        name: {"href": f"{address}?{urlencode(said | {'page': number, 'perPage': limit})}"}
        for name, number in numbers.items()
    }


async def _shown(call: Call, bookmark: Bookmark) -> dict[str, object]:
    full = call.given.text("detail", "full").lower() != "metadata"
    return await asyncio.to_thread(_entry_shape, bookmark, call.user, with_content=full)


async def exists(call: Call) -> object:
    """Tell which addresses are kept, by themselves or by their SHA-1."""
    single = call.given.text("url") or call.given.text("hashed_url")
    asked = [*call.given.texts("urls"), *call.given.texts("hashed_urls")]
    if single:
        asked = [single]
    if not asked:
        raise InvalidInput("A URL is required.", field="url")
    ids: dict[str, int] = {}
    for id_, url, key in await call.services.bookmarks.addresses(call.user_id):
        ids |= {key: id_, _hashed(shown_address(url)): id_}
    found = {text: ids.get(text) or ids.get(_key(text)) for text in asked}
    told: dict[str, int | bool | None] = {**found}
    if not call.given.flag("return_id"):
        told = {text: id_ is not None for text, id_ in found.items()}
    return {"exists": told[single]} if single else told


def _key(text: str) -> str:
    try:
        return url_key(text)
    except BadAddress:
        return ""


async def create(call: Call) -> object:
    """Keep a page; one that is kept already takes what is said of it."""
    given = call.given
    url = given.text("url").strip()
    if len(url) > _LONGEST_URL:
        raise InvalidInput("The URL is too long.", field="url")
    title, tags = given.line("title")[:_LONGEST_TITLE], tuple(call.tags())
    new = NewBookmark(url, title=title, tags=tags, state=_state(given) or INBOX)
    kept = await call.services.bookmarks.add(call.user_id, new)
    changes = _changes(call)
    if new.tags:
        changes["tags"] = list(dict.fromkeys((*kept.bookmark.tags, *new.tags)))
    changed = await call.services.bookmarks.change(call.user_id, kept.bookmark.id, changes)
    return await _shown(call, changed)


async def show(call: Call) -> object:
    return await _shown(call, await call.bookmark())


async def change(call: Call) -> object:
    for name in _NOT_CHANGED:
        if call.given.says(name):
            raise InvalidInput(f"{name} comes from the page itself.", field=name)
    changed = await call.services.bookmarks.change(call.user_id, call.id(), _changes(call))
    return await _shown(call, changed)


def _changes(call: Call) -> dict[str, object]:
    changes: dict[str, object] = {
        "title": call.given.line("title")[:_LONGEST_TITLE] or None,
        "state": _state(call.given),
        "pinned": call.given.flag_if_said("starred"),
        "tags": call.tags() or None,
    }
    return {name: value for name, value in changes.items() if value is not None}


async def delete(call: Call) -> object:
    expected = call.given.text("expect", "entry")
    if expected not in {"id", "entry"}:
        raise InvalidInput("expect must be id or entry.", field="expect")
    bookmark = await call.bookmark()
    await call.services.bookmarks.delete(call.user_id, bookmark.id)
    if expected == "id":
        return {"id": bookmark.id}
    return await _shown(call, bookmark)


async def reload(call: Call) -> object:
    return await _shown(call, await call.services.bookmarks.retry(call.user_id, call.id()))


async def all_tags(call: Call) -> object:
    counted = await call.services.bookmarks.tags(call.user_id)
    return [_tag_shape(label) | {"nbEntries": entries} for label, entries in counted]


async def entry_tags(call: Call) -> object:
    return [_tag_shape(label) for label in (await call.bookmark()).tags]


async def add_tags(call: Call) -> object:
    bookmark = await call.bookmark()
    tags = list(dict.fromkeys((*bookmark.tags, *call.tags())))
    changed = await call.services.bookmarks.change(call.user_id, bookmark.id, {"tags": tags})
    return await _shown(call, changed)


async def remove_tag(call: Call) -> object:
    bookmark, gone = await call.bookmark(), call.id("tag")
    left = [label for label in bookmark.tags if tag_id(label) != gone]
    if len(left) == len(bookmark.tags):
        raise NotFound("Tag not found")
    changed = await call.services.bookmarks.change(call.user_id, bookmark.id, {"tags": left})
    return await _shown(call, changed)


def _spelled(routes: Iterable[Route]) -> Iterator[Route]:
    for route in routes:
        yield route
        # An id takes the ending along; see Call.id.
        if not route.path.endswith("}"):
            yield replace(route, path=f"{route.path}.json")


_TOKEN = Route(
    "/oauth/v2/token", token, ("GET", "POST"), Access.OWN, reads=True, body_limit=STRANGER_BODY
)
_ROUTES = (
    Route("/version", version, ("GET",), Access.ANYONE),
    Route("/info", info, ("GET",), Access.ANYONE),
    *ENDPOINTS.routes(
        {
            "GET /user": user,
            "GET /tags": all_tags,
            "GET /entries": list_entries,
            "GET /entries/exists": exists,
            "GET /entries/{id}/tags": entry_tags,
            "GET /entries/{id}": show,
        },
        writes=False,
    ),
    *ENDPOINTS.routes(
        {
            "POST /entries": create,
            "POST /entries/{id}/tags": add_tags,
            "PATCH /entries/{id}/reload": reload,
            "DELETE /entries/{id}/tags/{tag}": remove_tag,
            "PATCH /entries/{id}": change,
            "DELETE /entries/{id}": delete,
        },
        writes=True,
    ),
)

ROUTES = (
    *routes_of((_BASE,), [_TOKEN], token_error),
    *routes_of((f"{_BASE}/api",), _spelled(_ROUTES), error_answer),
)
