"""The directory: feeds that everyone can search by words, topic and language."""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.discovery.directory import is_stale
from feedloom.model.language_names import language_name
from feedloom.model.reader import DirectoryWanted
from feedloom.model.stages import FetchStatus
from feedloom.serve.auth import actor, services
from feedloom.serve.pages.forms import part_of, read_filters
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route

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


async def catalogue(request: Request) -> Response:
    given = read_filters(request, "q", "topic", "language", "state")
    wanted = DirectoryWanted(
        text=given["q"],
        topic=given["topic"] or None,
        language=given["language"] or None,
        state=given["state"] or None,
        tenant_id=actor(request).user.tenant_id,
        limit=30,
    )
    directory = services(request).directory
    rows = {
        "page": await directory.search(wanted, request.query_params.get("cursor") or None),
        "wanted": wanted,
        "mine": {feed.url for feed in (await my_sidebar(request)).feeds},
        "address": _address,
        "states": STATES,
        "checks": _CHECKS,
        "is_stale": is_stale,
    }
    if part_of(request) == "rows":
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
    query = {name: getattr(wanted, name) for name in ("topic", "language", "state")}
    query = {"q": wanted.text, **query, **changes}
    given = {name: value for name, value in query.items() if value}
    return "/directory" + (f"?{urlencode(given)}" if given else "")


ROUTES = (Route("/directory", catalogue, ("GET",), Access.PERSON),)
