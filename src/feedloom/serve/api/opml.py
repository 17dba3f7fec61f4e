"""OPML: immediate export, and import as a task that reports its progress."""

from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.imports import LARGEST_FILE
from feedloom.serve.auth import actor, services
from feedloom.serve.routes import APIRoutes
from feedloom.serve.wire.json_io import answer

ROUTES = APIRoutes()

MEDIA = "text/x-opml"
_FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


class Importing(msgspec.Struct):
    """The import runs; ``/api/tasks/{task_id}`` has its progress and its report."""

    task_id: int


@ROUTES.add("GET /api/opml", "Export subscriptions", {200: str}, kinds={200: MEDIA}, per_minute=60)
async def export(request: Request) -> Response:
    document = await services(request).exporting.opml(actor(request).user)
    name = 'attachment; filename="feedloom.opml"'
    return Response(document, headers={"Content-Disposition": name}, media_type=MEDIA)


@ROUTES.add(
    "POST /api/opml",
    "Import subscriptions",
    {202: Importing},
    takes=bytes,
    takes_kind="application/octet-stream",
    per_minute=30,
    body_limit=LARGEST_FILE,
)
async def import_(request: Request) -> Response:
    """Take a document; its feeds are added in the background."""
    named = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if named in _FORMS:
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send the OPML document itself, not a form."
        )
    task_id = await services(request).importing.start(actor(request).user, await request.body())
    return answer(Importing(task_id), 202, {"Location": f"/api/tasks/{task_id}"})
