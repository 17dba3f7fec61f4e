"""The dashboard: filters, the list of feeds, the form to add one, totals and charts.

Follows the htmx contract of the dashboard's design: the page brings filters and empty
containers, which load ``/feeds`` and ``/summaries/latest`` by themselves.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput
from feedloom.model.overviews import FeedLine, OutcomeCount
from feedloom.model.reader import DayCount
from feedloom.serve.auth import actor, services
from feedloom.serve.error_responses import answer_problem, problem_of
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.charts import Chart, Share, bars, shares
from feedloom.serve.pages.feeds.feed_list import SORTS, Query, read_query
from feedloom.serve.pages.feeds.validation import FormErrors
from feedloom.serve.pages.navigation import health_of
from feedloom.serve.pages.notices import redirect_to
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route

CHART_DAYS = 30
_MIX = "mixed"
OUTCOME_DAYS = 7
INVALID_FILTERS = "Invalid filter parameters"
FAILED = "Failed to load dashboard. Please refresh the page."
_KINDS = (
    ("good", "New articles", {"new"}),
    ("same", "Nothing new", {"unchanged", "not_modified"}),
    ("warn", "Will be retried", {"temporary", "rate_limited", "offline"}),
    ("bad", "Needs attention", {"unauthorized", "gone", "bad_request", "not_a_feed", "blocked"}),
)


@dataclass(frozen=True, slots=True)
class Totals:
    feeds: int
    unread: int
    working: int
    pending: int
    failing: int


def totals_of(lines: Sequence[FeedLine]) -> Totals:
    feeds = [line for line in lines if line.feed_id is not None]
    health = Counter(health_of(feed) for feed in feeds)
    return Totals(
        feeds=len(feeds),
        unread=sum(line.unread for line in lines),
        working=health["working"],
        pending=health["pending"],
        failing=health["broken"] + health["shaky"],
    )


async def dashboard(request: Request) -> Response:
    try:
        query = read_query(request.query_params, INVALID_FILTERS)
    except InvalidInput as error:
        return await draw_dashboard(request, 400, problem=str(error))
    return await draw_dashboard(request, query=query)


async def draw_dashboard(  # noqa: PLR0913 - what a form's answer adds to the page
    request: Request,
    status: int = 200,
    *,
    query: Query | None = None,
    problem: str = "",
    errors: FormErrors | None = None,
    name: str = "",
    url: str = "",
) -> Response:
    totals = totals_of((await my_sidebar(request)).feeds)
    is_plain = not (problem or errors) and query in (None, Query())
    return await render_page(
        request,
        "feeds/dashboard.html",
        status,
        packs=services(request).packs.all if is_plain and not totals.feeds else (),
        query=query or Query(),
        sorts=SORTS,
        problem=problem,
        errors=errors or FormErrors(),
        typed={"name": name, "url": url},
        totals=totals,
    )


async def subscribe_to_pack(request: Request) -> Response:
    """Subscribe to a pack, or to the first feed of each."""
    user, key = actor(request).user, request.path_params["key"]
    packs = services(request).packs
    if key == _MIX:
        await packs.subscribe_to_mix(user)
    else:
        await packs.subscribe(user, key)
    return redirect_to("/ui/?view=feeds", "pack")


async def charts(request: Request) -> Response:
    user_id = actor(request).user.id
    app_services = services(request)
    days = await app_services.reading.arrivals_per_day(user_id, CHART_DAYS)
    outcomes = await app_services.overviews.outcomes(user_id, OUTCOME_DAYS)
    arrivals, parts = arrivals_chart(days), outcome_shares(outcomes)
    if is_htmx(request):
        return render(request, "feeds/charts.html", arrivals=arrivals, outcomes=parts)
    return await render_page(request, "feeds/charts_page.html", arrivals=arrivals, outcomes=parts)


def arrivals_chart(days: list[DayCount]) -> Chart:
    return bars([(f"{d.day.day} {d.day:%B}", d.count) for d in days])


def outcome_shares(outcomes: list[OutcomeCount]) -> tuple[Share, ...]:
    counts: Counter[str] = Counter()
    for found in outcomes:
        counts[found.outcome] += found.count
    return shares(
        [(kind, label, sum(counts[name] for name in names)) for kind, label, names in _KINDS]
    )


def failed(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        problem = replace(problem, detail=FAILED)
    return answer_problem(request, problem)


ROUTES = (
    Route("/dashboard", dashboard, ("GET",), Access.PERSON, errors=failed),
    Route("/dashboard/charts", charts, ("GET",), Access.PERSON),
    Route("/welcome/packs/{key}", subscribe_to_pack, ("POST",), Access.PERSON, per_minute=30),
)
