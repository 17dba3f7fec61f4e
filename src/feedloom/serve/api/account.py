"""Your account in JSON: who you are, and your background tasks."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.routes import APIRoutes
from feedloom.serve.security import csrf_token
from feedloom.serve.wire.json_io import answer
from feedloom.serve.wire.shapes import TaskShape, task_shape

ROUTES = APIRoutes()


class Me(msgspec.Struct):
    """The person behind the credentials of a request."""

    id: int
    email: str
    role: str
    unread_count: int
    starred_count: int
    csrf_token: str
    """For browsers: what unsafe requests send as X-CSRF-Token. Empty for programs."""


@ROUTES.add("GET /api/me", "Show who is signed in", {200: Me})
async def me(request: Request) -> Response:
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


@ROUTES.add("GET /api/tasks/{id}", "Show a background task", {200: TaskShape})
async def show_task(request: Request) -> Response:
    task = await services(request).tasks.find(actor(request).user.id, path_id(request))
    return answer(task_shape(task))
