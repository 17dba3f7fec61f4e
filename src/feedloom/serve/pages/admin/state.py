"""The state of the installation: feeds, queues, workers, events, topics to review, spending."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.metrics import log_lines_lost
from feedloom.model.errors import InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.charts import bars
from feedloom.serve.pages.forms import as_number, field, go_to
from feedloom.serve.pages.navigation import alarms_of
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import local_path

_FEEDS_SHOWN = 50
_EVENTS_SHOWN = 100
_SPENDING_DAYS = 30


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
    return go_to(request, "/admin/feeds", "refreshing")


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


async def topics(request: Request) -> Response:
    directory = services(request).directory
    pending = await directory.store.pending_topics()
    return await render_page(request, "admin/topics.html", feeds=pending, topics=directory.topics)


async def decide_topic(request: Request) -> Response:
    form = await request.form()
    feed_id, who = path_id(request), actor(request).user.email
    directory, topic = services(request).directory, field(form, "topic")
    match field(form, "do"):
        case "approve" | "reject" as verb:
            await directory.decide(feed_id, topic, approved=verb == "approve", actor=who)
        case "hide":
            await directory.store.hide(feed_id, who)
        case _:
            raise InvalidInput("Unknown action.", field="do")
    return go_to(request, local_path(field(form, "next"), "/admin/topics"), "saved")


async def spending(request: Request) -> Response:
    """Show what language models cost: today against the budget, and earlier days."""
    seen = await services(request).spending.overview(days=_SPENDING_DAYS)
    costs = [(day.day.isoformat(), day.cost_micros) for day in reversed(seen.days)]
    chart = bars(costs, least=_SPENDING_DAYS)
    return await render_page(request, "admin/spending.html", seen=seen, chart=chart, money=_money)


def _money(micros: int) -> str:
    amount = micros / 1_000_000
    return f"{amount:,.2f}" if amount >= 1 or micros == 0 else f"{amount:.4f}"


ROUTES = (
    Route("/admin", overview, ("GET",), Access.OPERATOR),
    Route("/admin/feeds", feeds, ("GET",), Access.OPERATOR),
    Route("/admin/feeds/{id}/refresh", refresh, ("POST",), Access.OPERATOR),
    Route("/admin/events", events, ("GET",), Access.OPERATOR),
    Route("/admin/topics", topics, ("GET",), Access.OPERATOR),
    Route("/admin/topics/{id}", decide_topic, ("POST",), Access.OPERATOR),
    Route("/admin/spending", spending, ("GET",), Access.OPERATOR),
)
