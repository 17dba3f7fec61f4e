"""The dashboard: filters, the list of feeds, the form to add one, totals and charts.

Follows the htmx contract of the dashboard's design: the page brings filters and empty
containers, which load ``/feeds`` and ``/summaries/latest`` by themselves.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from math import inf
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput
from feedloom.model.overviews import FeedLine
from feedloom.model.stages import FetchStatus
from feedloom.serve.auth import actor, services
from feedloom.serve.error_responses import answer_problem, problem_of
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.charts import bars, shares, sparkline
from feedloom.serve.pages.forms import as_number, redirect_to
from feedloom.serve.pages.navigation import health_of
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route

PAGE_SIZE = 20
_DAYS = 30
"""Of the charts, and of each feed's line."""
_OUTCOMES = (
    ("good", "New articles", {"new"}),
    ("same", "Nothing new", {"unchanged", "not_modified"}),
    ("warn", "Will be retried", {"temporary", "rate_limited", "offline"}),
    ("bad", "Needs attention", {"unauthorized", "gone", "bad_request", "not_a_feed", "blocked"}),
)
_STATUSES = ("all", "working", "pending", "error")
_SORTS: dict[str, tuple[str, Callable[[FeedLine], Any]]] = {
    "name": ("Name", lambda feed: feed.title.casefold()),
    "unread": ("Most unread", lambda feed: -feed.unread),
    "latest": (
        "Latest article",
        lambda feed: -feed.latest_item_at.timestamp() if feed.latest_item_at else 0,
    ),
    "errors": ("Most failures", lambda feed: -feed.consecutive_failures),
    "frequency": ("Most articles", lambda feed: feed.interval_s or inf),
}
"""What the list may be sorted by: words, and a key. Equal ones stay in order of title."""
_LONGEST_SEARCH = 255


@dataclass(frozen=True, slots=True)
class Query:
    search: str = ""
    status: str = "all"
    page: int = 1
    sort: str = "name"

    def url(self, path: str, page: int) -> str:
        given = {"search": self.search, "status": self.status, "page": page}
        if self.sort != "name":
            given["sort"] = self.sort
        return f"{path}?{urlencode(given)}"


@dataclass(frozen=True, slots=True)
class FeedList:
    query: Query
    feeds: tuple[FeedLine, ...]
    current_page: int
    total_pages: int
    total_items: int
    has_any: bool
    """Whether there are feeds at all, whatever the filters say."""


@dataclass(frozen=True, slots=True)
class FormErrors:
    name: str = ""
    url: str = ""
    general: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.url or self.general)


def read_query(given: QueryParams, problem: str = "Invalid query parameters") -> Query:
    """Read the filters of an address; ``InvalidInput`` with ``problem`` when odd."""
    status = given.get("status") or "all"
    search = given.get("search", "").strip()
    try:
        page = as_number(given.get("page") or "1", field="page", least=1)
    except InvalidInput as error:
        raise InvalidInput(problem, field="page") from error
    sort = given.get("sort") or "name"
    if sort not in _SORTS:
        raise InvalidInput(problem, field="sort")
    if status not in _STATUSES or len(search) > _LONGEST_SEARCH or "\x00" in search:
        raise InvalidInput(problem, field="status")
    return Query(search, status, page, sort)


def build_list(feeds: Sequence[FeedLine], query: Query) -> FeedList:
    """Choose and sort what a query asks for, and cut its page out."""
    mine = [feed for feed in feeds if feed.feed_id is not None]
    words = query.search.casefold()
    found = [f for f in mine if words in f.title.casefold() and _has_status(f, query.status)]
    found.sort(key=_SORTS[query.sort][1])
    pages = max(1, -(-len(found) // PAGE_SIZE))
    page = min(query.page, pages)
    shown = found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return FeedList(query, tuple(shown), page, pages, len(found), bool(mine))


def _has_status(feed: FeedLine, status: str) -> bool:
    last = feed.last_fetch_status
    match status:
        case "working":
            return last == FetchStatus.SUCCESS
        case "pending":
            return last is None
        case "error":
            return last is not None and last != FetchStatus.SUCCESS
        case _:
            return True


async def list_feeds(request: Request) -> Response:
    query = read_query(request.query_params)
    sidebar = await my_sidebar(request)
    found = build_list(sidebar.feeds, query)
    arrivals = await services(request).overviews.arrivals_per_feed(
        actor(request).user.id, [feed.id for feed in found.feeds], _DAYS
    )
    facts = {
        "list": found,
        "sparks": {id_: sparkline(counts) for id_, counts in arrivals.items()},
        "folders": sidebar.folders,
    }
    if is_htmx(request):
        headers = {"HX-Replace-Url": query.url("/dashboard", found.current_page)}
        return render(request, "feeds/list.html", 200, headers, **facts)
    return await render_page(request, "feeds/list_page.html", 200, None, **facts)


async def dashboard(request: Request) -> Response:
    try:
        query = read_query(request.query_params, "Invalid filter parameters")
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
    lines = (await my_sidebar(request)).feeds
    feeds = [line for line in lines if line.feed_id is not None]
    health = Counter(health_of(feed) for feed in feeds)
    is_plain = not (problem or errors) and query in (None, Query())
    return await render_page(
        request,
        "feeds/dashboard.html",
        status,
        packs=services(request).packs.all if is_plain and not feeds else (),
        query=query or Query(),
        sorts=_SORTS,
        problem=problem,
        errors=errors or FormErrors(),
        typed={"name": name, "url": url},
        totals={
            "feeds": len(feeds),
            "unread": sum(line.unread for line in lines),
            "working": health["working"],
            "pending": health["pending"],
            "failing": health["broken"] + health["shaky"],
        },
    )


async def subscribe_to_pack(request: Request) -> Response:
    """Subscribe to a pack, or to the first feed of each."""
    user, key = actor(request).user, request.path_params["key"]
    packs = services(request).packs
    if key == "mixed":
        await packs.subscribe_to_mix(user)
    else:
        await packs.subscribe(user, key)
    return redirect_to("/ui/?view=feeds", "pack")


async def charts(request: Request) -> Response:
    user_id, app_services = actor(request).user.id, services(request)
    days = await app_services.reading.arrivals_per_day(user_id, _DAYS)
    arrivals = bars([(f"{d.day.day} {d.day:%B}", d.count) for d in days])
    counts: Counter[str] = Counter()
    for found in await app_services.overviews.outcomes(user_id, days=7):
        counts[found.outcome] += found.count
    outcomes = shares([(k, label, sum(counts[n] for n in names)) for k, label, names in _OUTCOMES])
    if is_htmx(request):
        return render(request, "feeds/charts.html", arrivals=arrivals, outcomes=outcomes)
    return await render_page(
        request, "feeds/charts_page.html", arrivals=arrivals, outcomes=outcomes
    )


def _failed(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        problem = replace(problem, detail="Failed to load dashboard. Please refresh the page.")
    return answer_problem(request, problem)


ROUTES = (
    Route("/dashboard", dashboard, ("GET",), Access.PERSON, errors=_failed),
    Route("/dashboard/charts", charts, ("GET",), Access.PERSON),
    Route("/welcome/packs/{key}", subscribe_to_pack, ("POST",), Access.PERSON, per_minute=30),
)
