"""The directory: feeds that everyone can search by words, topic and language."""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.discovery.directory import is_stale
from feedloom.model.errors import InvalidInput
from feedloom.model.language_names import language_name
from feedloom.model.reader import DirectoryWanted
from feedloom.model.stages import FetchStatus
from feedloom.serve.auth import actor, services
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route

PAGE_SIZE = 30
STATES = {
    "healthy": ("Healthy", "chip-good"),
    "unchecked": ("Not checked yet", ""),
    "degraded": ("Shaky", "chip-warn"),
    "unhealthy": ("Failing", "chip-bad"),
    "paused": ("Paused", "chip-bad"),
}
"""What a feed's health is called, and the look of its badge."""
_CHECKS = {
    FetchStatus.SUCCESS: "it works",
    FetchStatus.TEMPORARY_ERROR: "it failed temporarily",
    FetchStatus.PERMANENT_ERROR: "it failed",
    FetchStatus.UNAUTHORIZED: "it requires a password",
}
_LONGEST = 200


async def catalogue(request: Request) -> Response:
    user = actor(request).user
    wanted = _wanted(request, user.tenant_id)
    directory = services(request).directory
    cursor = request.query_params.get("cursor") or None
    page = await directory.search(wanted, cursor)
    mine = {feed.url for feed in (await my_sidebar(request)).feeds}
    rows = {
        "page": page,
        "wanted": wanted,
        "mine": mine,
        "address": _address,
        "states": STATES,
        "checks": _CHECKS,
        "is_stale": is_stale,
    }
    if is_htmx(request) and request.query_params.get("part") == "rows":
        return render(request, "feeds/catalogue_rows.html", 200, None, **rows)
    topics, languages = await directory.store.facets()
    return await render_page(
        request,
        "feeds/catalogue.html",
        200,
        None,
        topics=sorted(topics.items()),
        languages=_choices(languages, wanted.language),
        **rows,
    )


def _wanted(request: Request, tenant_id: int | None) -> DirectoryWanted:
    given = {
        name: request.query_params.get(name, "").strip()
        for name in ("q", "topic", "language", "state")
    }
    for name, value in given.items():
        if len(value) > _LONGEST or "\x00" in value:
            raise InvalidInput("Invalid query parameters", field=name)
    return DirectoryWanted(
        text=given["q"],
        topic=given["topic"] or None,
        language=given["language"] or None,
        state=given["state"] or None,
        tenant_id=tenant_id,
        limit=PAGE_SIZE,
    )


def _choices(counts: Mapping[str, int], chosen: str | None) -> list[tuple[str, str]]:
    """Return tags and labels of the languages to choose from, by name.

    A regional tag counts for its language; Chinese has an entry per script, too.
    """
    totals: Counter[str] = Counter()
    for tag, number in counts.items():
        primary, script, *_ = (*tag.lower().split("-"), "")
        totals[primary] += number
        if script in {"hans", "hant"}:
            totals[f"{primary}-{script}"] += number
    if chosen:
        totals.setdefault(chosen.lower(), 0)
    named = sorted((language_name(tag), tag) for tag in totals)
    return [(tag, f"{name} ({totals[tag]})") for name, tag in named]


def _address(wanted: DirectoryWanted, **changes: str | None) -> str:
    query = {
        "q": wanted.text,
        "topic": wanted.topic,
        "language": wanted.language,
        "state": wanted.state,
    }
    query |= changes
    given = {name: value for name, value in query.items() if value}
    return "/directory" + (f"?{urlencode(given)}" if given else "")


ROUTES = (Route("/directory", catalogue, ("GET",), Access.PERSON),)
