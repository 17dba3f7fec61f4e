"""Your account in JSON: who you are, your tasks, and OPML; and the document of the API."""

from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.imports import LARGEST_FILE
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import csrf_token
from feedloom.serve.wire.json_io import APIRoutes, Call, answer
from feedloom.serve.wire.shapes import TaskShape, task_shape

ROUTES = APIRoutes()

_OPML = "text/x-opml"
_FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


class Importing(msgspec.Struct):
    """The import runs; ``/api/tasks/{task_id}`` has its progress and its report."""

    task_id: int


@ROUTES.add(
    "GET /api/opml", "Export subscriptions", gives={200: str}, kinds={200: _OPML}, per_minute=60
)
async def export(call: Call) -> Response:
    document = await call.services.exporting.opml(call.user)
    name = 'attachment; filename="feedloom.opml"'
    return Response(document, headers={"Content-Disposition": name}, media_type=_OPML)


@ROUTES.add(
    "POST /api/opml",
    "Import subscriptions",
    gives={202: Importing},
    takes=bytes,
    takes_kind="application/octet-stream",
    per_minute=30,
    body_limit=LARGEST_FILE,
)
async def import_(call: Call) -> Response:
    """Take a document; its feeds are added in the background."""
    named = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if named in _FORMS:
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send the OPML document itself, not a form."
        )
    task_id = await call.services.importing.start(call.user, await call.request.body())
    return answer(Importing(task_id), 202, {"Location": f"/api/tasks/{task_id}"})


class Me(msgspec.Struct):
    """The person behind the credentials of a request."""

    id: int
    email: str
    role: str
    unread_count: int
    starred_count: int
    csrf_token: str
    """For browsers: what unsafe requests send as X-CSRF-Token. Empty for programs."""


@ROUTES.add("GET /api/me", "Show who is signed in", gives={200: Me})
async def me(call: Call) -> Response:
    user = call.user
    counts = await call.services.reading.counts(user.id)
    token = csrf_token(call.request)
    role = user.role.value
    return answer(Me(user.id, user.email, role, counts.unread, counts.starred, token))


@ROUTES.add("GET /api/tasks/{id}", "Show a background task", gives={200: TaskShape})
async def show_task(call: Call) -> Response:
    task = await call.services.tasks.find(call.user_id, call.id())
    return answer(task_shape(task))


async def openapi(request: Request) -> Response:
    """Show the API document to programs; the page for people is in ``pages``."""
    headers = {"Cache-Control": "public, max-age=300"}
    return answer(request.app.state.api_document, headers=headers)


ROUTES.append(Route("/api/openapi.json", openapi, ("GET",), Access.PUBLIC))
