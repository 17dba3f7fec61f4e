"""Fever: one address, any number of selectors in one call.

A wrong key is told with 200 and ``auth: 0``; only too many of them get another status.
"""

import asyncio
from dataclasses import replace
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.model.reader import Order, Wanted
from feedloom.serve.auth import authenticate_secret, maybe_actor
from feedloom.serve.error_responses import problem_of
from feedloom.serve.middleware.turns import take_turn_of
from feedloom.serve.routes import STRANGER_BODY, Access
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import Call
from feedloom.serve.sync.feeds import shown_address
from feedloom.serve.sync.fever import shapes
from feedloom.serve.sync.fever.selection import SAVED, UNREAD, mark, narrow_feeds, select_items
from feedloom.serve.sync.fever.translation import (
    favicon_shape,
    feed_shape,
    feeds_groups_shape,
    groups_shape,
    item_shape,
    joined,
)
from feedloom.serve.sync.icons import NO_ICON
from feedloom.serve.sync.parameters import LARGEST_ID, read_given
from feedloom.serve.sync.routes import SyncRoute, routes_of
from feedloom.serve.sync.times import whole_second

_VERSION = 3


async def _answer(request: Request) -> Response:
    given = await read_given(request)
    key = given.text("api_key").strip().lower()
    if not key:
        raise NotSignedIn
    found = await authenticate_secret(request, key, "fever")
    call = Call(request, given, found)
    changed = await mark(call)
    await take_turn_of(request, found)
    refreshed_at = await call.services.syncing.refreshed_at(call.user.id)
    answer = shapes.Answer(
        _VERSION, auth=1, last_refreshed_on_time=whole_second(refreshed_at) if refreshed_at else 0
    )
    await _add_places(call, answer)
    if given.has("items"):
        await _add_items(call, answer)
    if given.has(UNREAD) or changed == UNREAD:
        answer.unread_item_ids = await _ids(call, Wanted(unread=True))
    if given.has(SAVED) or changed == SAVED:
        answer.saved_item_ids = await _ids(call, Wanted(starred=True))
    return json_answer(answer)


async def _add_places(call: Call, answer: shapes.Answer) -> None:
    syncing, user_id, given = call.services.syncing, call.user.id, call.given
    if given.has("groups"):
        answer.groups = groups_shape(await syncing.folders(user_id))
    if given.has("groups") or given.has("feeds"):
        feeds = await syncing.feeds(user_id)
        answer.feeds_groups = feeds_groups_shape(feeds)
        if given.has("feeds"):
            answer.feeds = [feed_shape(f, url=shown_address(call.request, f)) for f in feeds]
    if given.has("favicons"):
        icons = {0: NO_ICON} | await syncing.icons(user_id)
        answer.favicons = [favicon_shape(*pair) for pair in icons.items()]
    if given.has("links"):
        answer.links = []


async def _add_items(call: Call, answer: shapes.Answer) -> None:
    wanted = select_items(call.given)
    if call.given.has("feed_ids") or call.given.has("group_ids"):
        feeds = await call.services.syncing.feeds(call.user.id)
        wanted = narrow_feeds(wanted, call.given, feeds)
    page, answer.total_items = await asyncio.gather(
        call.services.reading.articles(call.user.id, wanted),
        call.services.syncing.total(call.user.id),
    )
    answer.items = [item_shape(article) for article in page.articles]


async def _ids(call: Call, wanted: Wanted) -> str:
    asked = replace(wanted, order=Order.ITEM_ASC, limit=LARGEST_ID)
    return joined(await call.services.reading.item_nos(call.user.id, asked))


def _error_answer(request: Request, error: FeedloomError) -> Response:
    if isinstance(error, NotSignedIn):
        return json_answer(shapes.Answer(_VERSION, auth=0))
    problem = problem_of(request, error)
    signed_in = int(maybe_actor(request) is not None)
    answer = shapes.Answer(_VERSION, auth=signed_in, error=problem.detail)
    is_callers = isinstance(error, InvalidInput)
    status = HTTPStatus.BAD_REQUEST if is_callers else problem.status
    return json_answer(answer, status=status, headers=problem.headers)


ROUTES = tuple(
    routes_of(
        ("/fever", "/fever/", "/api/fever.php", "/api/fever.php/"),
        [SyncRoute(("GET", "POST"), "", _answer, reads=True, body_limit=STRANGER_BODY)],
        access=Access.OWN,
        errors=_error_answer,
    )
)
