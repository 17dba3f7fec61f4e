"""One address, two representations: where the JSON route and the page's route meet.

Authorization sees one route; what was asked for decides which endpoint answers, and which
form errors have.
"""

from collections.abc import Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError
from feedloom.serve.error_responses import answer_error
from feedloom.serve.negotiation import wants_html
from feedloom.serve.routes import Route


def negotiate(spoken: Sequence[Route], drawn: Sequence[Route]) -> tuple[Route, ...]:
    """Join JSON routes with the pages' routes of the same address and method."""
    pages = {(route.path, method): route for route in drawn for method in route.methods}
    meeting = []
    for route in spoken:
        page = pages.pop((route.path, route.methods[0]), None)
        meeting.append(route if page is None else _join(route, page))
    alone = {id(route): route for route in pages.values()}
    return (*meeting, *alone.values())


def _join(spoken: Route, drawn: Route) -> Route:
    if spoken.methods != drawn.methods or spoken.access is not drawn.access:
        msg = f"{spoken.path}: the two representations differ in who may ask"
        raise ValueError(msg)

    async def endpoint(request: Request) -> Response:
        chosen = drawn if wants_html(request) else spoken
        return await chosen.endpoint(request)

    def errors(request: Request, error: FeedloomError) -> Response:
        chosen = drawn if wants_html(request) else spoken
        return (chosen.errors or answer_error)(request, error)

    both_plain = spoken.errors is None and drawn.errors is None
    return replace(
        spoken,
        endpoint=endpoint,
        errors=None if both_plain else errors,
        per_minute=max(spoken.per_minute, drawn.per_minute),
        body_limit=max(spoken.body_limit, drawn.body_limit),
        stranger_limit=max(spoken.stranger_limit, drawn.stranger_limit),
    )
