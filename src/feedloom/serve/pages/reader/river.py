"""The river: the last day's articles by source, with a panel for one article.

An item in the panel stands in the address: the page works without scripts and can be linked to.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from feedloom.model.errors import InvalidInput
from feedloom.model.overviews import FeedLine, Fresh
from feedloom.model.reader import Article
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.forms import as_number, part_of, redirect_to
from feedloom.serve.pages.navigation import build_navigation, health_of
from feedloom.serve.pages.reader.bookmarks import VIEWS, bookmarks
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route

_FRESH_FOR = timedelta(hours=24)
_SOURCES = 12
"""How many sources one page shows: less than 10,000 pixels of them."""
_QUIET = 100
_ADDRESS = re.compile(r"(?:https?|feed|web\+feed|web\+rss):\S+", re.IGNORECASE)
_DEEPEST = 1_000
_JUST_NOW_S = 3


@dataclass(frozen=True, slots=True)
class Source:
    feed: FeedLine
    items: tuple[Article, ...]
    total: int
    health: str


@dataclass(frozen=True, slots=True)
class River:
    """Sources with something fresh, then those that need a hand; quiet ones apart."""

    sources: tuple[Source, ...]
    quiet: tuple[Source, ...] = ()
    quiet_count: int = 0
    waiting: int = 0
    """Feeds that were never fetched yet."""
    failing: int = 0
    """Quiet ones whose last fetch failed."""
    next_page: int = 0
    """Where the river goes on; 0 when it does not."""


def build_river(feeds: Sequence[FeedLine], fresh: Fresh, page: int) -> River:
    """Put fresh items under their sources, the newest source first.

    Broken and quiet feeds follow on the last page only.
    """
    items: dict[int, list[Article]] = {}
    for article in fresh.articles:
        items.setdefault(article.subscription_id, []).append(article)
    by_id = {feed.id: feed for feed in feeds}
    flowing = [
        Source(by_id[id_], tuple(found), fresh.totals.get(id_, 0), health_of(by_id[id_]))
        for id_, found in items.items()
        if id_ in by_id
    ]
    if fresh.has_more:
        return River(tuple(flowing), next_page=page + 1)
    rest = [Source(f, (), 0, health_of(f)) for f in feeds if f.id not in items]
    broken = [source for source in rest if source.health == "broken"]
    quiet = [source for source in rest if source.health != "broken"] if page == 1 else []
    return River(
        (*flowing, *broken),
        tuple(quiet[:_QUIET]),
        len(quiet),
        waiting=sum(source.health == "pending" for source in quiet),
        failing=sum(source.health == "shaky" for source in quiet),
    )


async def home(request: Request) -> Response:
    view = request.query_params.get("view", "feeds")
    if view in VIEWS:
        return await bookmarks(request, view)
    if view != "feeds":
        raise InvalidInput("View not found.", field="view")
    user, app_services = actor(request).user, services(request)
    since = app_services.clock.now() - _FRESH_FOR
    page = as_number(request.query_params.get("page", "1"), field="page", least=1)
    fresh = await app_services.overviews.river(
        user.id, since, per_feed=8, sources=_SOURCES, skip=(min(page, _DEEPEST) - 1) * _SOURCES
    )
    sidebar = await my_sidebar(request)
    river = build_river(sidebar.feeds, fresh, page)
    topics = {} if sidebar.feeds else (await app_services.directory.store.facets())[0]
    facts = {"river": river, "listed": sum(topics.values()), "newest": sidebar.newest_item}
    if part_of(request) == "river":
        answer = render(request, "reading/river_sources.html", 200, None, **facts)
        if request.query_params.get("waited") and not river.waiting:
            # What was waited for is there: the sidebar counts it, too.
            answer.headers["HX-Trigger"] = "refreshFeedList"
        return answer
    item = request.query_params.get("item")
    chosen = await app_services.reading.article(user.id, as_id(item)) if item else None
    return await render_page(
        request,
        "reading/river.html",
        200,
        None,
        **facts,
        item=chosen,
        pasted=_shared_address(request),
    )


def _shared_address(request: Request) -> str:
    """Find the address another app shares, which may stand in the middle of a text."""
    shared = " ".join(request.query_params.get(name, "") for name in ("add", "text"))
    found = _ADDRESS.search(shared)
    return re.sub(r"^web\+(?:feed|rss)", "feed", found.group()) if found else ""


async def source(request: Request) -> Response:
    """List all that is fresh of one source, in the place of its first few."""
    user, id_ = actor(request).user, path_id(request)
    if not is_htmx(request):
        return redirect_to(f"/read/feed/{id_}?show=all")
    app_services = services(request)
    await app_services.subscriptions.subscription(user.id, id_)
    since = app_services.clock.now() - _FRESH_FOR
    fresh = await app_services.overviews.river(user.id, since, per_feed=500, only=id_)
    return render(request, "reading/river_items.html", items=fresh.articles)


async def item(request: Request) -> Response:
    user_id, item_no = actor(request).user.id, path_id(request, "item")
    if not is_htmx(request):
        return redirect_to(f"/ui/?view=feeds&item={item_no}")
    found = await services(request).reading.article(user_id, item_no)
    return render(request, "reading/river_item.html", item=found)


async def counts(request: Request) -> Response:
    user_id = actor(request).user.id
    found = await services(request).reading.counts(user_id)
    wants = "searches" in request.query_params
    searches = await services(request).saved_searches.unread(user_id) if wants else {}
    return JSONResponse(
        {
            "unread": found.unread,
            "starred": found.starred,
            "newest": found.newest_item,
            "feeds": dict(found.by_subscription),
            "searches": searches,
        }
    )


async def fetching(request: Request) -> Response:
    """Tell scripts how far the fetches are that were asked for since a time, in seconds."""
    app_services = services(request)
    now = app_services.clock.now()
    given = request.query_params.get("since")
    # Some are over by the time a page asks for the first time.
    since = as_number(given, field="since") if given else int(now.timestamp()) - _JUST_NOW_S
    if since > now.timestamp():
        raise InvalidInput("Invalid query parameters", field="since")
    found = await app_services.overviews.fetching(
        actor(request).user.id, datetime.fromtimestamp(since, UTC)
    )
    hosts = [{**asdict(host), "until": host.until.isoformat()} for host in found.hosts]
    return JSONResponse({**asdict(found), "hosts": hosts, "since": since})


async def side(request: Request) -> Response:
    return render(request, "parts/side_links.html", nav=build_navigation(await my_sidebar(request)))


ROUTES = (
    Route("/ui", home, ("GET",), Access.PERSON),
    Route("/ui/", home, ("GET",), Access.PERSON),
    Route("/ui/counts", counts, ("GET",), Access.PERSON),
    Route("/ui/fetching", fetching, ("GET",), Access.PERSON),
    Route("/ui/side", side, ("GET",), Access.PERSON),
    Route("/ui/sources/{id}", source, ("GET",), Access.PERSON),
    Route("/ui/items/{item}", item, ("GET",), Access.PERSON),
)
