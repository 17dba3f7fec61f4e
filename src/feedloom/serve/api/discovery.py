"""Discovery and search in JSON: feeds behind any text, the directory, articles by words.

What is found within five seconds is 200; otherwise 202, and a task knows later. Nothing
found is a problem with a type of its own (``no_feed``, ``not_found``, ``unreachable``,
``blocked_address``) that says what was tried.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.discovery.search import SENTENCES, as_result
from feedloom.model.errors import BadAddress, InvalidInput, NotFound
from feedloom.model.reader import DirectoryWanted, Order, Wanted
from feedloom.model.stages import Ending
from feedloom.model.urls import shown_address
from feedloom.model.work import TaskKind
from feedloom.serve.error_responses import PROBLEM_TYPE, ProblemDocument, answer_problem, problem_of
from feedloom.serve.negotiation import wants_html
from feedloom.serve.wire.json_io import (
    Address,
    APIRoutes,
    Body,
    Call,
    Cursor,
    Limit,
    Name,
    Text,
    answer,
)
from feedloom.serve.wire.shapes import ArticleList, article_list, shape

ROUTES = APIRoutes()

PageLink = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,6000}$")]
"""Long enough for the longest title of a feed."""
Health = Literal["healthy", "unchecked", "degraded", "unhealthy", "paused"]


class PastedAddress(Body):
    """Anything a person would paste: a site, a page, a feed, a profile, ``@a@host``."""

    url: Address


class SiteShape(msgspec.Struct):
    """The site behind what was pasted."""

    input_url: str
    url: str
    domain: str
    title: str


class NewestShape(msgspec.Struct):
    """The newest entry of a candidate."""

    title: str
    url: str | None
    at: str | None


class CandidateShape(msgspec.Struct, rename={"origin": "from"}):
    """A feed that may be meant; its score is the sum of its reasons."""

    url: str
    origin: str
    score: int
    reasons: dict[str, int]
    valid: bool
    error: str | None
    title: str
    format: str | None
    newest: NewestShape | None = None


class TriedShape(msgspec.Struct):
    """An address that was asked, and what came of it."""

    url: str
    outcome: str


class DiscoveryShape(msgspec.Struct):
    """What was found: candidates best first, and the one that is meant."""

    site: SiteShape
    canonical: str
    candidates: list[CandidateShape]
    tried: list[TriedShape]
    requests: int
    complete: bool


class PackFeed(msgspec.Struct):
    """A feed of a pack, as the directory has it."""

    title: str
    url: str
    site_url: str
    language: str


class PackShape(msgspec.Struct):
    """A topic for people who have no feeds yet."""

    key: str
    title: str
    description: str
    feeds: list[PackFeed]


class Subscribed(msgspec.Struct):
    """How many feeds of a pack were added; those somebody has are not counted."""

    added: int


class GoingOn(msgspec.Struct):
    """The search goes on; ``/api/discover/{task_id}`` tells how it ends."""

    task: int
    status: Literal["pending"] = "pending"


class NothingFound(ProblemDocument):
    """A problem document that says what was tried."""

    tried: tuple[TriedShape, ...] = ()


class SearchQuery(msgspec.Struct):
    """Words and conditions: ``feed:x is:unread before:2026-01-31 "a phrase" -word``."""

    q: Text = ""
    order: Literal["newest", "oldest", "meaning"] = "newest"
    """``meaning`` compares the whole text with articles and reads no conditions."""
    content: bool = False
    cursor: Cursor | None = None
    limit: Limit = 50


class DirectoryQuery(msgspec.Struct):
    """Which feeds are looked for; the language ``en`` also finds ``en-GB``."""

    q: Text = ""
    topic: Name | None = None
    language: Name | None = None
    state: Health | None = None
    cursor: PageLink | None = None
    limit: Limit = 50


class ListedFeedShape(msgspec.Struct):
    """A feed of the directory."""

    url: str
    title: str
    description: str
    site_url: str | None
    domain: str
    language: str | None
    language_name: str | None
    country: str | None
    topic: str | None
    tags: tuple[str, ...]
    format: str | None
    state: str
    last_fetched_at: datetime | None
    last_fetch_status: str | None
    is_canonical: bool
    latest_item_published_at: datetime | None
    avg_update_interval_s: int | None
    recent_titles: tuple[str, ...]


class DirectoryList(msgspec.Struct):
    """One page of the directory; ask again with ``next_cursor`` for the next."""

    feeds: list[ListedFeedShape]
    next_cursor: str | None


@ROUTES.add(
    "POST /api/discover",
    "Find the feeds of a page",
    gives={200: DiscoveryShape, 202: GoingOn},
    takes=PastedAddress,
    per_minute=120,
)
async def discover(call: Call) -> Response:
    pasted = await call.body(PastedAddress)
    found = await call.services.subscribing.discoverer.ask(
        pasted.url, user_id=call.user_id, payload={}
    )
    if isinstance(found, int):
        where = {"Location": f"/api/discover/{found}"}
        return answer(GoingOn(found), 202, where)
    return _tell(call.request, as_result(found))


@ROUTES.add(
    "GET /api/discover/{task_id}",
    "Show the result of a search",
    gives={200: DiscoveryShape, 202: GoingOn},
    refuses=(400, 422),
)
async def discovered(call: Call) -> Response:
    task_id = call.id("task_id")
    task = await call.services.tasks.find(call.user_id, task_id)
    if task.kind != TaskKind.DISCOVER:
        raise NotFound
    if task.done_at is None:
        return answer(GoingOn(task_id), 202)
    result = task.result or {}
    found = result.get("discovered")
    if not isinstance(found, Mapping):
        raise BadAddress(str(result["error"])) if "error" in result else NotFound
    return _tell(call.request, found)


@ROUTES.add(
    "GET /api/directory/packs", "List the packs of feeds by topic", gives={200: list[PackShape]}
)
async def packs(call: Call) -> Response:
    return answer(
        [
            shape(
                PackShape,
                pack,
                feeds=[shape(PackFeed, feed, url=feed.feed_url) for feed in pack.feeds],
            )
            for pack in call.services.packs.all
        ]
    )


@ROUTES.add(
    "POST /api/directory/packs/{key}",
    "Subscribe to a pack, into a folder of its own",
    per_minute=30,
)
async def subscribe_to_pack(call: Call) -> Subscribed:
    user, key = call.user, call.request.path_params["key"]
    return Subscribed(await call.services.packs.subscribe(user, key))


@ROUTES.add("GET /api/search", "Search articles", asks=SearchQuery, refuses=(409, 503))
async def search_articles(call: Call) -> ArticleList:
    """Find articles of one's own feeds by words; without any word, none."""
    query = call.query(SearchQuery)
    if not query.q.strip():
        return article_list(())
    if query.order == "meaning":
        likeness = call.services.require_likeness()
        found = await likeness.search(call.user, query.q, query.limit)
        return article_list(found, with_content=query.content)
    wanted = Wanted(
        text=query.q,
        order=Order(query.order),
        cursor=query.cursor,
        limit=query.limit,
        with_content=query.content,
    )
    page = await call.services.reading.articles(call.user_id, wanted)
    return article_list(page.articles, page.next_cursor, with_content=query.content)


@ROUTES.add("GET /api/directory", "Search the directory", asks=DirectoryQuery)
async def search_directory(call: Call) -> DirectoryList:
    query = msgspec.structs.asdict(call.query(DirectoryQuery))
    text, cursor = query.pop("q"), query.pop("cursor")
    wanted = DirectoryWanted(text=text, tenant_id=call.user.tenant_id, **query)
    page = await call.services.directory.search(wanted, cursor)
    shapes = [
        shape(
            ListedFeedShape,
            feed,
            url=shown_address(feed.url),
            topic=feed.approved_topic,
            last_fetched_at=feed.last_attempt_at,
            latest_item_published_at=feed.latest_at,
            avg_update_interval_s=feed.interval_s,
        )
        for feed in page.feeds
    ]
    return DirectoryList(shapes, page.next_cursor)


def _tell(request: Request, found: Mapping[str, object]) -> Response:
    if found.get("canonical"):
        return answer(msgspec.convert(found, DiscoveryShape))
    ending = Ending(str(found["ending"]))
    problem = problem_of(request, InvalidInput(SENTENCES[ending], field="url"))
    problem = replace(problem, key=ending.value, title="No feed was found", status=422)
    if wants_html(request):
        return answer_problem(request, problem)
    document = NothingFound(
        type=PROBLEM_TYPE + problem.key,
        title=problem.title,
        status=problem.status,
        detail=problem.detail,
        field="url",
        request_id=getattr(request.state, "request_id", None),
        tried=msgspec.convert(found["tried"], tuple[TriedShape, ...]),
    )
    return Response(msgspec.json.encode(document), 422, media_type="application/problem+json")
