"""Fever: one address, any number of selectors in one call.

A wrong key is told with 200 and ``auth: 0``; only too many of them get another status.
Flags are numbers there, ids stand in one string, and no text is ever null.
"""

import asyncio
import base64
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotAllowed, NotSignedIn
from feedloom.model.reader import Article, Order, Wanted
from feedloom.serve.auth import authenticate_secret, maybe_actor
from feedloom.serve.error_responses import problem_of
from feedloom.serve.middleware.turns import take_turn_of
from feedloom.serve.routes import STRANGER_BODY, Access, Route
from feedloom.serve.sync.bodies import content_of, json_answer
from feedloom.serve.sync.calls import READ_ONLY, Call, routes_of
from feedloom.serve.sync.icons import NO_ICON
from feedloom.serve.sync.parameters import LARGEST_ID, Given, read_given, row_ids
from feedloom.serve.sync.times import seconds, whole_second

_VERSION = 3
_PAGE = 50
"""Clients stop at the first shorter page."""
_UNREAD, _SAVED = "unread_item_ids", "saved_item_ids"
_MARKS = {"read": "read", "unread": "unread", "saved": "starred", "unsaved": "unstarred"}


async def _answer(request: Request) -> Response:
    given = await read_given(request)
    key = given.text("api_key").strip().lower()
    if not key:
        raise NotSignedIn
    found = await authenticate_secret(request, key, "fever")
    call = Call(request, given, found)
    changed = await _mark(call)
    await take_turn_of(request, found)
    refreshed_at = await call.services.syncing.refreshed_at(call.user_id)
    answer = {
        "api_version": _VERSION,
        "auth": 1,
        "last_refreshed_on_time": whole_second(refreshed_at) if refreshed_at else 0,
        **await _places(call),
    }
    if given.has("items"):
        answer |= await _items(call)
    if given.has("links"):
        answer["links"] = []
    if given.has(_UNREAD) or changed == _UNREAD:
        answer[_UNREAD] = await _ids(call, Wanted(unread=True))
    if given.has(_SAVED) or changed == _SAVED:
        answer[_SAVED] = await _ids(call, Wanted(starred=True))
    return json_answer(answer)


async def _mark(call: Call) -> str | None:
    """Do what is asked; answer which list of ids it changed, if any."""
    kind, how = call.given.text("mark"), call.given.text("as")
    if call.given.text("unread_recently_read") == "1":
        return _UNREAD
    if kind not in {"item", "feed", "group"} or how not in _MARKS:
        return None
    if not call.actor.may_write:
        raise NotAllowed(READ_ONLY)
    if kind == "item":
        ids = row_ids(call.given.all("id")[-1:])
        await call.services.reading.mark(call.user_id, ids, _MARKS[how])
        return _SAVED if "saved" in how else _UNREAD
    if how != "read":
        return None
    wanted = _place(kind, call.given.number("id", -1))
    if wanted is not None:
        # Compared with arrival, to spare what the client has not got.
        await call.mark_read(replace(wanted, arrived_until=call.given.moment("before")))
    return _UNREAD


def _place(kind: str, number: int) -> Wanted | None:
    """Say what a feed or group holds; group 0 is everything, -1 nothing."""
    if kind == "group" and number == 0:
        return Wanted()
    if not row_ids([number]):
        return None
    if kind == "group":
        return Wanted(folder_id=number, folder_only=True)
    return Wanted(subscription_id=number)


async def _places(call: Call) -> dict[str, object]:
    """Show folders and feeds; in which folder feeds are where either is asked for."""
    given = call.given
    answer: dict[str, object] = {}
    if given.has("groups"):
        # Two keys and no more: a client knows no others.
        answer["groups"] = [{"id": f.id, "title": f.path} for f in await call.folders()]
    if given.has("groups") or given.has("feeds"):
        feeds = await call.feeds()
        if given.has("feeds"):
            answer["feeds"] = [
                {
                    "id": feed.id,
                    "favicon_id": feed.favicon_id or 0,
                    "title": feed.title or call.shown_url(feed),
                    "url": call.shown_url(feed),
                    "site_url": feed.site_url or "",
                    "is_spark": 0,
                    "last_updated_on_time": seconds(feed.refreshed_at),
                }
                for feed in feeds
            ]
        inside = defaultdict[int, list[int]](list)
        for feed in feeds:
            if not feed.in_root:
                inside[feed.folder_id].append(feed.id)
        answer["feeds_groups"] = [
            {"group_id": folder_id, "feed_ids": _joined(ids)}
            for folder_id, ids in sorted(inside.items())
        ]
    if given.has("favicons"):
        icons = {0: NO_ICON} | await call.services.syncing.icons(call.user_id)
        answer["favicons"] = [
            {"id": id_, "data": f"{icon.mime};base64,{base64.b64encode(icon.data).decode()}"}
            for id_, icon in icons.items()
        ]
    return answer


async def _items(call: Call) -> dict[str, object]:
    wanted = _page(call.given)
    if call.given.has("feed_ids") or call.given.has("group_ids"):
        named = set(row_ids(call.given.text("feed_ids").split(",")))
        groups = set(row_ids(call.given.text("group_ids").split(",")))
        kept = [
            feed.id
            for feed in await call.feeds()
            if feed.id in named or (not feed.in_root and feed.folder_id in groups)
        ]
        wanted = replace(wanted, subscription_ids=tuple(kept))
    page, total = await asyncio.gather(
        call.services.reading.articles(call.user_id, wanted),
        call.services.syncing.total(call.user_id),
    )
    return {"items": [_item(article) for article in page.articles], "total_items": total}


def _page(given: Given) -> Wanted:
    """Say which page is asked for: before, by id, or after."""
    wanted = Wanted(limit=_PAGE, with_content=True, order=Order.ITEM_ASC)
    if given.has("max_id") or not (given.has("since_id") or given.has("with_ids")):
        # Without bounds Miniflux and CommaFeed send the newest, the documents say nothing.
        before = max(0, min(given.number("max_id", 0), LARGEST_ID))
        # 0 is where a client starts that walks down from the newest.
        return replace(wanted, order=Order.ITEM_DESC, before_item=before or None)
    if given.has("with_ids"):
        ids = row_ids(given.text("with_ids").split(","))[:_PAGE]
        return replace(wanted, item_nos=tuple(ids), include_hidden=True)
    after = max(0, min(given.number("since_id", 0), LARGEST_ID))
    return replace(wanted, after_item=after)


def _item(article: Article) -> dict[str, object]:
    return {
        "id": article.item_no,
        "feed_id": article.subscription_id,
        "title": article.shown_title or article.url or "(no title)",
        "author": article.author or "",
        "html": content_of(article),
        "url": article.url,
        "is_saved": 1 if article.starred else 0,
        "is_read": 0 if article.unread else 1,
        "created_on_time": seconds(article.published_at),
    }


async def _ids(call: Call, wanted: Wanted) -> str:
    asked = replace(wanted, order=Order.ITEM_ASC, limit=LARGEST_ID)
    return _joined(await call.services.reading.item_nos(call.user_id, asked))


def _joined(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids))


def _error_answer(request: Request, error: FeedloomError) -> Response:
    if isinstance(error, NotSignedIn):
        return json_answer({"api_version": _VERSION, "auth": 0})
    problem = problem_of(request, error)
    signed_in = int(maybe_actor(request) is not None)
    answer = {"api_version": _VERSION, "auth": signed_in, "error": problem.detail}
    status = HTTPStatus.BAD_REQUEST if isinstance(error, InvalidInput) else problem.status
    return json_answer(answer, status=status, headers=problem.headers)


_BASES = ("/fever", "/fever/", "/api/fever.php", "/api/fever.php/")
_ROUTE = Route("", _answer, ("GET", "POST"), Access.OWN, reads=True, body_limit=STRANGER_BODY)

ROUTES = tuple(routes_of(_BASES, [_ROUTE], _error_answer))
