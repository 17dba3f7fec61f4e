"""Discovery in JSON: the feeds behind any address or text.

What is found within five seconds is 200; otherwise 202, and a task knows later. Nothing
found is a problem with a type of its own (``no_feed``, ``not_found``, ``unreachable``,
``blocked_address``) that says what was tried.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.discovery.search import SENTENCES, as_result
from feedloom.model.errors import BadAddress, InvalidInput, NotFound
from feedloom.model.stages import Ending
from feedloom.model.work import TaskKind
from feedloom.serve.auth import actor, services
from feedloom.serve.error_responses import PROBLEM_TYPE, ProblemDocument, answer_problem, problem_of
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import wants_html
from feedloom.serve.routes import APIRoutes
from feedloom.serve.wire.json_io import Address, Body, answer, read_body
from feedloom.serve.wire.shapes import shape

ROUTES = APIRoutes()


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


@ROUTES.add(
    "POST /api/discover",
    "Find the feeds of a page",
    {200: DiscoveryShape, 202: GoingOn},
    takes=PastedAddress,
    per_minute=120,
)
async def discover(request: Request) -> Response:
    pasted = await read_body(request, PastedAddress)
    found = await services(request).subscribing.discoverer.ask(
        pasted.url, user_id=actor(request).user.id, payload={}
    )
    if isinstance(found, int):
        where = {"Location": f"/api/discover/{found}"}
        return answer(GoingOn(found), 202, where)
    return _tell(request, as_result(found))


@ROUTES.add(
    "GET /api/discover/{task_id}",
    "Show the result of a search",
    {200: DiscoveryShape, 202: GoingOn},
    refuses=(400, 422),
)
async def discovered(request: Request) -> Response:
    task_id = path_id(request, "task_id")
    task = await services(request).tasks.find(actor(request).user.id, task_id)
    if task.kind != TaskKind.DISCOVER:
        raise NotFound
    if task.done_at is None:
        return answer(GoingOn(task_id), 202)
    result = task.result or {}
    found = result.get("discovered")
    if not isinstance(found, Mapping):
        raise BadAddress(str(result["error"])) if "error" in result else NotFound
    return _tell(request, found)


@ROUTES.add("GET /api/directory/packs", "List the packs of feeds by topic", {200: list[PackShape]})
async def packs(request: Request) -> Response:
    return answer(
        [
            shape(
                PackShape,
                pack,
                feeds=[shape(PackFeed, feed, url=feed.feed_url) for feed in pack.feeds],
            )
            for pack in services(request).packs.all
        ]
    )


@ROUTES.add(
    "POST /api/directory/packs/{key}",
    "Subscribe to a pack, into a folder of its own",
    {200: Subscribed},
    per_minute=30,
)
async def subscribe_to_pack(request: Request) -> Response:
    user, key = actor(request).user, request.path_params["key"]
    return answer(Subscribed(await services(request).packs.subscribe(user, key)))


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
