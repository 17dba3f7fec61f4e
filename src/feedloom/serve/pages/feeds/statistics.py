"""Statistics: publishing and reading over weeks, feeds never read, feeds that flood."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.overviews import FeedUse
from feedloom.serve.auth import actor, services
from feedloom.serve.pages.charts import bars
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

WEEKS = 12
FLOOD_PER_WEEK = 50
LITTLE_READ = 0.1
"""Of a feed that floods less than this share is read."""
_LONG_ENOUGH = 4.0
"""Weeks before a feed counts as never read."""
_MOST = 50
_FAVOURITES = 10


async def statistics(request: Request) -> Response:
    found = await services(request).overviews.statistics(actor(request).user.id, WEEKS)
    labels = [f"Week of {week.start.day} {week.start:%B}" for week in found.weeks]
    published = bars(
        list(zip(labels, (week.published for week in found.weeks), strict=True)),
        width=600,
        height=110,
    )
    read = bars(
        list(zip(labels, (week.read for week in found.weeks), strict=True)),
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
        weeks=list(zip(labels, found.weeks, strict=True)),
        published=published,
        read=read,
        never=sorted(never, key=lambda feed: -feed.published)[:_MOST],
        floods=sorted(floods, key=lambda feed: -feed.per_week)[:_MOST],
        favourites=favourites[:_FAVOURITES],
    )


def is_never_read(feed: FeedUse) -> bool:
    return not feed.read and feed.weeks >= _LONG_ENOUGH


def is_flood(feed: FeedUse) -> bool:
    return feed.per_week >= FLOOD_PER_WEEK and feed.read < LITTLE_READ * feed.published


ROUTES = (Route("/statistics", statistics, ("GET",), Access.PERSON),)
