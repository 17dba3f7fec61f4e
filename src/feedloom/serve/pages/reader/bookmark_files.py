"""Import and export of bookmarks, and the page that confirms what a bookmarklet sends."""

from http import HTTPStatus
from typing import cast
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.bookmarks import LARGEST_FILE, FileForm
from feedloom.model.bookmarks import INBOX
from feedloom.model.errors import InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.origin import own_address
from feedloom.serve.pages.notices import redirect_to
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

_FORM_AROUND = 100_000
"""What a form with a file weighs beside the file."""
_LONGEST_ADDRESS = 4_000
_LONGEST_TITLE = 500
_FORMS = ("json", "html", "md")


async def confirm(request: Request) -> Response:
    given = {
        name: request.query_params.get(name, "").replace("\x00", "").strip()
        for name in ("url", "title", "description")
    }
    return await render_page(
        request,
        "reading/bookmark_add.html",
        url=given["url"][:_LONGEST_ADDRESS],
        title=given["title"][:_LONGEST_TITLE],
        description=given["description"][:_LONGEST_TITLE],
        tags="",
        state=INBOX,
        problem="",
    )


async def tools(request: Request) -> Response:
    return await _tools(request)


async def bring(request: Request) -> Response:
    file = (await request.form()).get("file")
    document = await file.read() if isinstance(file, UploadFile) else b""
    files = services(request).bookmark_files
    try:
        report = await files.bring(actor(request).user.id, document)
    except InvalidInput as error:
        return await _tools(request, str(error), HTTPStatus.BAD_REQUEST)
    return redirect_to("/ui/?view=bookmarks", f"brought.{report.added}.{report.known}")


async def export(request: Request) -> Response:
    form = request.url.path.rpartition(".")[2]
    made = await services(request).bookmark_files.export(
        actor(request).user.id, cast("FileForm", form)
    )
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
    return Response(made.content, media_type=made.media_type, headers=headers)


async def _tools(request: Request, problem: str = "", status: int = HTTPStatus.OK) -> Response:
    return await render_page(
        request,
        "reading/bookmark_tools.html",
        status,
        problem=problem,
        bookmarklet=bookmarklet(own_address(request)),
    )


def bookmarklet(site: str) -> str:
    code = (
        f"location.href='{site}/bookmarks/add?url='+encodeURIComponent(location.href)"
        "+'&title='+encodeURIComponent(document.title)"
    )
    return f"javascript:{quote(code, safe=_PLAIN)}"


_PLAIN = "/:?&=+().'"

ROUTES = (
    Route("/bookmarks/add", confirm, ("GET",), Access.PERSON),
    Route("/bookmarks/tools", tools, ("GET",), Access.PERSON),
    Route(
        "/bookmarks/import",
        bring,
        ("POST",),
        Access.PERSON,
        body_limit=LARGEST_FILE + _FORM_AROUND,
        per_minute=12,
    ),
    *(Route(f"/bookmarks/export.{form}", export, ("GET",), Access.PERSON) for form in _FORMS),
)
