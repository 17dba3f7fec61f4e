"""From a protocol's table to routes with CORS for any origin.

Cookies are never looked at here, so any origin may ask: the answer to a preflight says
so, and every answer and error carries the headers. What a person's browser remembers of
this site is of no use on these routes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.imports import LARGEST_FILE
from feedloom.model.errors import FeedloomError
from feedloom.serve.routes import STRANGER_BODY, Access, Endpoint, ErrorAnswer, Route

SYNC_BODY = 8 * 1_048_576
"""Ten thousand ids in one form, with room to spare."""
OPML_BODY = LARGEST_FILE + 65_536
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Date, ETag, Link, Retry-After, X-Feedbin-Record-Count, X-Request-Id"
    ),
}
PREFLIGHT = CORS | {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Accept, If-None-Match, OCS-APIRequest, X-Auth-Token"
    ),
    "Access-Control-Max-Age": "600",
}


@dataclass(frozen=True, slots=True)
class SyncRoute:
    """One address of a protocol under its base, with the methods it answers to."""

    methods: tuple[str, ...]
    path: str
    endpoint: Endpoint
    access: Access | None = None
    """When it differs from the protocol's."""
    reads: bool = False
    body_limit: int = SYNC_BODY
    stranger_limit: int = STRANGER_BODY


def routes_of(
    bases: Iterable[str], routes: Iterable[SyncRoute], *, access: Access, errors: ErrorAnswer
) -> Iterator[Route]:
    routes = tuple(routes)
    for base in bases:
        for route in routes:
            yield Route(
                base + route.path,
                _open(route.endpoint),
                route.methods,
                route.access or access,
                csrf=False,
                errors=_open_errors(errors),
                reads=route.reads,
                body_limit=route.body_limit,
                stranger_limit=route.stranger_limit,
            )
        for path in dict.fromkeys(base + route.path for route in routes):
            yield Route(path, preflight, ("OPTIONS",), Access.OWN, csrf=False)


async def preflight(_request: Request) -> Response:
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)


def _open(endpoint: Endpoint) -> Endpoint:
    async def opened(request: Request) -> Response:
        response = await endpoint(request)
        response.headers.update(CORS)
        return response

    return opened


def _open_errors(errors: ErrorAnswer) -> ErrorAnswer:
    def opened(request: Request, error: FeedloomError) -> Response:
        response = errors(request, error)
        response.headers.update(CORS)
        return response

    return opened
