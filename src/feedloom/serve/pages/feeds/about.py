"""The page of a feed: health, schedule with its reason, candidates, audit trail."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.refresh.schedule import explain_feed
from feedloom.model.reader import LogLine, Wanted
from feedloom.serve.auth import actor, services
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.charts import Chart, bars
from feedloom.serve.pages.feeds.actions import feed_id, form_choices
from feedloom.serve.pages.formatting import on_day
from feedloom.serve.pages.forms import as_number
from feedloom.serve.pages.navigation import BROKEN_AFTER, health_of
from feedloom.serve.pages.renderer import render, render_page

RECENT = 10
DAYS = 30
_MOST_TURNS = 30
"""How often a page asks whether a fetch is over."""
_KINDS: Mapping[str, str] = {
    "new": "good",
    "unchanged": "same",
    "not_modified": "same",
    "temporary": "warn",
    "rate_limited": "warn",
    "offline": "warn",
}
_WORDS: Mapping[str, str] = {
    "new": "New articles",
    "unchanged": "Nothing new",
    "not_modified": "Nothing new (304)",
    "temporary": "Temporary failure",
    "rate_limited": "Rate limited",
    "offline": "Our network was down",
    "unauthorized": "Password required",
    "gone": "Gone",
    "bad_request": "Refused",
    "not_a_feed": "Not a feed",
    "blocked": "Not allowed to fetch",
}


async def about(request: Request) -> Response:
    """Show everything that is known about a feed; to htmx the part that fetches change.

    That part asks for itself again while the last fetch is the one it was asked since.
    """
    user_id = actor(request).user.id
    app_services = services(request)
    page = await app_services.subscriptions.page(user_id, feed_id(request))
    feed = page.subscription
    recent = await app_services.reading.articles(
        user_id, Wanted(subscription_id=feed.id, limit=RECENT)
    )
    fetched_at = feed.last_attempt_at.isoformat() if feed.last_attempt_at else "never"
    turn = as_number(request.query_params.get("turn", "0"), field="turn")
    since = request.query_params.get("since")
    facts = {
        "page": page,
        "feed": feed,
        "health": health_of(feed),
        "why": explain_feed(feed),
        "timeline": timeline(page.log),
        "outcome_words": _WORDS,
        "recent": recent.articles,
        "since": fetched_at,
        "turn": turn,
        "is_waiting": since == fetched_at and turn < _MOST_TURNS,
    }
    if is_htmx(request) and request.query_params.get("part") == "facts":
        return render(request, "feeds/facts_part.html", 200, None, **facts)
    per_day = await app_services.overviews.arrivals_per_feed(user_id, [feed.id], DAYS)
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


def timeline(log: Sequence[LogLine]) -> Chart:
    lines = sorted(log, key=lambda line: line.at)
    chart = bars([(_label(line), max(1, line.ms)) for line in lines], height=40, least=50)
    coloured = [
        replace(bar, kind=_KINDS.get(line.outcome, "bad"))
        for bar, line in zip(chart.bars, lines, strict=True)
    ]
    return replace(chart, bars=tuple(coloured))


def _label(line: LogLine) -> str:
    words = _WORDS.get(line.outcome, line.outcome)
    status = f" ({line.http_status})" if line.http_status else ""
    return f"{on_day(line.at)}: {words}{status}"
