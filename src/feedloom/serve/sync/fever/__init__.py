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
from feedloom.serve.auth import actor, authenticate_secret, services
from feedloom.serve.error_responses import problem_of
from feedloom.serve.routes import STRANGER_BODY, Access
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import shown_address
from feedloom.serve.sync.fever import marks, shapes
from feedloom.serve.sync.fever.selection import narrow_feeds, narrows_feeds, select_items
from feedloom.serve.sync.fever.translation import (
    favicon_shape,
    feed_shape,
    feeds_groups_shape,
    groups_shape,
    item_shape,
    joined,
)
from feedloom.serve.sync.icons import NO_ICON
from feedloom.serve.sync.parameters import LARGEST_ID, Given, read_given
from feedloom.serve.sync.routes import SyncRoute, routes_of
from feedloom.serve.sync.times import whole_second

_VERSION = 3


async def _call(request: Request) -> Response:
    given = await read_given(request)
    key = given.text("api_key").strip().lower()
    if not key:
        raise NotSignedIn
    await authenticate_secret(request, key, "fever")
    changed = await marks.mark(request, given)
    user_id = actor(request).user.id
    refreshed_at = await services(request).syncing.refreshed_at(user_id)
    answer = shapes.Answer(
        _VERSION, auth=1, last_refreshed_on_time=whole_second(refreshed_at) if refreshed_at else 0
    )
    await _add_places(request, given, answer)
    await _add_items(request, given, answer)
    await _add_ids(request, given, answer, changed=changed)
    return json_answer(answer)


async def _add_places(request: Request, given: Given, answer: shapes.Answer) -> None:
    user_id = actor(request).user.id
    if given.has("groups"):
        answer.groups = groups_shape(await services(request).syncing.folders(user_id))
    if given.has("groups") or given.has("feeds"):
        feeds = await services(request).syncing.feeds(user_id)
        answer.feeds_groups = feeds_groups_shape(feeds)
        if given.has("feeds"):
            answer.feeds = [feed_shape(f, url=shown_address(request, f)) for f in feeds]
    if given.has("favicons"):
        icons = await services(request).syncing.icons(user_id)
        answer.favicons = [favicon_shape(*pair) for pair in ({0: NO_ICON} | icons).items()]
    if given.has("links"):
        answer.links = []


async def _add_items(request: Request, given: Given, answer: shapes.Answer) -> None:
    if not given.has("items"):
        return
    user_id = actor(request).user.id
    wanted = select_items(given)
    if narrows_feeds(given):
        feeds = await services(request).syncing.feeds(user_id)
        wanted = narrow_feeds(wanted, given, feeds)
    page, answer.total_items = await asyncio.gather(
        services(request).reading.articles(user_id, wanted),
        services(request).syncing.total(user_id),
    )
    answer.items = [item_shape(article) for article in page.articles]


async def _add_ids(
    request: Request, given: Given, answer: shapes.Answer, *, changed: str | None
) -> None:
    if given.has(marks.UNREAD) or changed == marks.UNREAD:
        answer.unread_item_ids = await _ids(request, Wanted(unread=True))
    if given.has(marks.SAVED) or changed == marks.SAVED:
        answer.saved_item_ids = await _ids(request, Wanted(starred=True))


async def _ids(request: Request, wanted: Wanted) -> str:
    asked = replace(wanted, order=Order.ITEM_ASC, limit=LARGEST_ID)
    user_id = actor(request).user.id
    return joined(await services(request).reading.item_nos(user_id, asked))


def _error_answer(request: Request, error: FeedloomError) -> Response:
    if isinstance(error, NotSignedIn):
        return json_answer(shapes.Answer(_VERSION, auth=0))
    problem = problem_of(request, error)
    signed_in = int(getattr(request.state, "actor", None) is not None)
    answer = shapes.Answer(_VERSION, auth=signed_in, error=problem.detail)
    is_callers = isinstance(error, InvalidInput)
    status = HTTPStatus.BAD_REQUEST if is_callers else problem.status
    return json_answer(answer, status=status, headers=problem.headers)


ROUTES = tuple(
    routes_of(
        ("/fever", "/fever/", "/api/fever.php", "/api/fever.php/"),
        [SyncRoute(("GET", "POST"), "", _call, reads=True, body_limit=STRANGER_BODY)],
        access=Access.OWN,
        errors=_error_answer,
    )
)
