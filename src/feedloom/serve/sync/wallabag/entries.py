"""Entries: bookmarks in pages, one by one, kept, changed and deleted; their tags."""

import asyncio
import hashlib
import re
from dataclasses import replace
from urllib.parse import urlencode, urlsplit

from feedloom.markup import markdown_html
from feedloom.model.bookmarks import ARCHIVE, INBOX, BookmarkSort, NewBookmark, WantedBookmarks
from feedloom.model.errors import BadAddress, InvalidInput, NotFound
from feedloom.model.reader import Bookmark, User
from feedloom.model.urls import shown_address, url_key
from feedloom.serve.image_addresses import content_for_app
from feedloom.serve.origin import own_address
from feedloom.serve.sync.parameters import Given
from feedloom.serve.sync.wallabag.calls import BASE, Call, moment

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
    address = f"{own_address(call.request)}{BASE}/api/entries"
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
    """Have the page fetched again, in the background."""
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
