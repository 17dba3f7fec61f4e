"""Who I am, as programs and tests ask."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.api.speaking import answer
from feedloom.serve.auth import actor, services
from feedloom.serve.doors import Access, Door, Operation
from feedloom.serve.security import csrf_token


class Me(msgspec.Struct):
    """The person behind the credentials of a request."""

    id: int
    email: str
    role: str
    unread_count: int
    starred_count: int
    csrf_token: str
    """For browsers: what unsafe requests send as X-CSRF-Token. Empty for programs."""


async def me(request: Request) -> Response:
    """Tell who is signed in."""
    user = actor(request).user
    counts = await services(request).reading.counts(user.id)
    found = Me(
        id=user.id,
        email=user.email,
        role=user.role.value,
        unread_count=counts.unread,
        starred_count=counts.starred,
        csrf_token=csrf_token(request),
    )
    return answer(found)


DOORS = (
    Door(
        "/api/me",
        me,
        ("GET",),
        Access.PERSON,
        about=Operation("Show who is signed in", {200: Me}),
    ),
)
