"""The state of the installation: feeds by state, queues, workers, events."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.metrics import log_lines_lost
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.accounts.session_cookies import go_to
from feedloom.serve.pages.forms import as_number
from feedloom.serve.pages.navigation import alarms_of
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

_FEEDS_SHOWN = 50
_EVENTS_SHOWN = 100


async def overview(request: Request) -> Response:
    store = services(request).oversight
    return await render_page(
        request,
        "admin/overview.html",
        warnings=alarms_of(await store.signs()),
        log_lines_lost=log_lines_lost(),
        condition=await store.condition(),
        states=await store.feeds_by_state(),
        workers=await store.workers(),
        parked=await store.parked_tasks(limit=10),
    )


async def feeds(request: Request) -> Response:
    store = services(request).oversight
    states = await store.feeds_by_state()
    asked = request.query_params.get("state", "")
    state = asked if asked in states else None
    lines = await store.feeds(state=state, after=_number(request, "after"), limit=_FEEDS_SHOWN + 1)
    return await render_page(
        request,
        "admin/feeds.html",
        states=states,
        state=state,
        feeds=lines[:_FEEDS_SHOWN],
        next_after=lines[_FEEDS_SHOWN - 1].id if len(lines) > _FEEDS_SHOWN else None,
    )


async def refresh(request: Request) -> Response:
    feed_id = path_id(request)
    store = services(request).oversight
    await store.refresh(feed_id)
    await store.note(actor(request).user.email, "refreshed", f"feed:{feed_id}")
    return go_to(request, "/admin/feeds?did=refreshing")


async def events(request: Request) -> Response:
    before = _number(request, "before") or None
    lines = await services(request).oversight.events(before=before, limit=_EVENTS_SHOWN + 1)
    return await render_page(
        request,
        "admin/events.html",
        events=lines[:_EVENTS_SHOWN],
        next_before=lines[_EVENTS_SHOWN - 1].id if len(lines) > _EVENTS_SHOWN else None,
    )


def _number(request: Request, name: str) -> int:
    return as_number(request.query_params.get(name) or "0", field=name)


ROUTES = (
    Route("/admin", overview, ("GET",), Access.OPERATOR),
    Route("/admin/feeds", feeds, ("GET",), Access.OPERATOR),
    Route("/admin/feeds/{id}/refresh", refresh, ("POST",), Access.OPERATOR),
    Route("/admin/events", events, ("GET",), Access.OPERATOR),
)
