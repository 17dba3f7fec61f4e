"""What is known about feeds: the page of one, and statistics of all over weeks."""

from collections.abc import Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.refresh.schedule import explain_feed
from feedloom.model.overviews import FeedUse
from feedloom.model.reader import LogLine, Wanted
from feedloom.serve.auth import actor, services
from feedloom.serve.pages.charts import Chart, bars
from feedloom.serve.pages.feeds.actions import feed_id, form_choices
from feedloom.serve.pages.formatting import on_day
from feedloom.serve.pages.forms import as_number, part_of
from feedloom.serve.pages.navigation import BROKEN_AFTER, health_of
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route

_MOST_TURNS = 30
"""How often a page asks whether a fetch is over."""
_OUTCOMES = {
    "new": ("good", "New articles"),
    "unchanged": ("same", "Nothing new"),
    "not_modified": ("same", "Nothing new (304)"),
    "temporary": ("warn", "Temporary failure"),
    "rate_limited": ("warn", "Rate limited"),
    "offline": ("warn", "Our network was down"),
    "unauthorized": ("bad", "Password required"),
    "gone": ("bad", "Gone"),
    "bad_request": ("bad", "Refused"),
    "not_a_feed": ("bad", "Not a feed"),
    "blocked": ("bad", "Not allowed to fetch"),
}
"""How the outcome of a fetch is coloured, and its words."""
_FLOOD_PER_WEEK = 50
_LITTLE_READ = 0.1
"""Of a feed that floods less than this share is read."""
_LONG_ENOUGH = 4.0
"""Weeks before a feed counts as never read."""
_MOST = 50


async def about(request: Request) -> Response:
    """Show everything that is known about a feed; to htmx the part that fetches change.

    That part asks for itself again while the last fetch is the one it was asked since.
    """
    user_id, app_services = actor(request).user.id, services(request)
    page = await app_services.subscriptions.page(user_id, feed_id(request))
    feed = page.subscription
    recent = await app_services.reading.articles(user_id, Wanted(subscription_id=feed.id, limit=10))
    fetched_at = feed.last_attempt_at.isoformat() if feed.last_attempt_at else "never"
    turn = as_number(request.query_params.get("turn", "0"), field="turn")
    since = request.query_params.get("since")
    facts = {
        "page": page,
        "feed": feed,
        "health": health_of(feed),
        "why": explain_feed(feed),
        "timeline": _timeline(page.log),
        "outcome_words": {name: words for name, (_, words) in _OUTCOMES.items()},
        "recent": recent.articles,
        "since": fetched_at,
        "turn": turn,
        "is_waiting": since == fetched_at and turn < _MOST_TURNS,
    }
    if part_of(request) == "facts":
        return render(request, "feeds/facts_part.html", 200, None, **facts)
    per_day = await app_services.overviews.arrivals_per_feed(user_id, [feed.id], days=30)
    return await render_page(
        request,
        "feeds/about.html",
        200,
        None,
        **facts,
        offers_retry=feed.consecutive_failures >= BROKEN_AFTER or health_of(feed) == "broken",
        per_day=bars([("", count) for count in per_day[feed.id]]),
        **await form_choices(request, feed),
    )


def _timeline(log: Sequence[LogLine]) -> Chart:
    lines = sorted(log, key=lambda line: line.at)
    chart = bars([("", max(1, line.ms)) for line in lines], height=40, least=50)
    found = []
    for bar, line in zip(chart.bars, lines, strict=True):
        kind, words = _OUTCOMES.get(line.outcome, ("bad", line.outcome))
        status = f" ({line.http_status})" if line.http_status else ""
        found.append(replace(bar, kind=kind, label=f"{on_day(line.at)}: {words}{status}"))
    return replace(chart, bars=tuple(found))


async def statistics(request: Request) -> Response:
    """Show publishing and reading over weeks, feeds never read, feeds that flood."""
    found = await services(request).overviews.statistics(actor(request).user.id, weeks=12)
    weeks = [(f"Week of {week.start.day} {week.start:%B}", week) for week in found.weeks]
    published = bars([(label, week.published) for label, week in weeks], width=600, height=110)
    read = bars(
        [(label, week.read) for label, week in weeks],
        width=600,
        height=110,
        highest=published.highest,
    )
    never = [feed for feed in found.feeds if is_never_read(feed)]
    floods = [feed for feed in found.feeds if is_flood(feed) and feed not in never]
    favourites = sorted((f for f in found.feeds if f.read), key=lambda f: (-f.read, f.title))
    return await render_page(
        request,
        "feeds/statistics.html",
        weeks=weeks,
        published=published,
        read=read,
        never=sorted(never, key=lambda feed: -feed.published)[:_MOST],
        floods=sorted(floods, key=lambda feed: -feed.per_week)[:_MOST],
        favourites=favourites[:10],
    )


def is_never_read(feed: FeedUse) -> bool:
    return not feed.read and feed.weeks >= _LONG_ENOUGH


def is_flood(feed: FeedUse) -> bool:
    return feed.per_week >= _FLOOD_PER_WEEK and feed.read < _LITTLE_READ * feed.published


ROUTES = (
    Route("/feeds/{id}", about, ("GET",), Access.PERSON),
    Route("/statistics", statistics, ("GET",), Access.PERSON),
)
