"""One address, two representations: where the JSON door and the page's door meet.

The gate sees one door; what was asked for decides which endpoint answers, and which
form errors have.
"""

from collections.abc import Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError
from feedloom.serve.answers import answer_error
from feedloom.serve.doors import Door
from feedloom.serve.negotiation import wants_html


def joined(spoken: Sequence[Door], drawn: Sequence[Door]) -> tuple[Door, ...]:
    """Join JSON doors with the pages' doors of the same address and method."""
    pages = {(door.path, method): door for door in drawn for method in door.methods}
    meeting = []
    for door in spoken:
        page = pages.pop((door.path, door.methods[0]), None)
        meeting.append(door if page is None else _join(door, page))
    alone = {id(door): door for door in pages.values()}
    return (*meeting, *alone.values())


def _join(spoken: Door, drawn: Door) -> Door:
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
    )
