"""Import of OPML with its progress; export of OPML and of all data."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.imports import LARGEST_FILE
from feedloom.model.errors import InvalidInput, NotFound, NotSignedIn, ParseError
from feedloom.model.work import Task, TaskKind
from feedloom.serve.auth import actor, at_browser, client_address, services
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.notices import redirect_to
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.pages.settings.folders import show_feeds_settings
from feedloom.serve.routes import Access, Route

_EXPECTED = (
    "Choose the OPML file exported by your other reader. Its name usually ends in .opml or .xml."
)
_OPML = "text/x-opml; charset=utf-8"
_FORM_AROUND = 100_000
"""What a form with a file weighs beside the file."""


async def start_import(request: Request) -> Response:
    """Take a file and lead to its progress; a bad file is told on the page."""
    importing = services(request).importing
    file = (await request.form()).get("file")
    document = await file.read() if isinstance(file, UploadFile) else b""
    try:
        task_id = await importing.start(actor(request).user, document)
    except InvalidInput as error:
        return await show_feeds_settings(request, str(error), HTTPStatus.BAD_REQUEST)
    except ParseError as error:
        problem = f"{error} {_EXPECTED}"
        return await show_feeds_settings(request, problem, HTTPStatus.BAD_REQUEST)
    return redirect_to(f"/settings/import/{task_id}")


async def import_status(request: Request) -> Response:
    task = await services(request).tasks.find(actor(request).user.id, path_id(request))
    if task.kind != TaskKind.IMPORT:
        raise NotFound
    report = told(task)
    if is_htmx(request) and request.headers.get("hx-target") == "div#import":
        headers = {"HX-Trigger": "refreshFeedList"} if task.done_at else None
        return render(
            request, "settings/import_status.html", headers=headers, task=task, report=report
        )
    return await render_page(request, "settings/import.html", task=task, report=report)


def told(task: Task) -> Mapping[str, object]:
    empty = {"total": 0, "done": 0, "added": 0, "known": 0, "failed": 0, "failures": []}
    return {**empty, **(task.result or task.progress or {})}


async def export_opml(request: Request) -> Response:
    document = await services(request).exporting.opml(actor(request).user)
    return _file(document, _OPML, "feedloom.opml")


async def export_everything(request: Request) -> Response:
    document = await services(request).exporting.everything(actor(request).user)
    return _file(document, "application/json", "feedloom.json")


async def export_with_passwords(request: Request) -> Response:
    who = at_browser(request)
    form = await request.form()
    try:
        # Without a password here, none is right.
        await services(request).accounts.confirm(
            who.user, field(form, "password"), address=client_address(request)
        )
    except NotSignedIn:
        return await show_feeds_settings(request, "Wrong password.", HTTPStatus.BAD_REQUEST)
    exporting = services(request).exporting
    await services(request).accounts.store.record_event(who.user.id, "exported_with_passwords", {})
    if field(form, "form") == "opml":
        document = await exporting.opml(who.user, with_passwords=True)
        return _file(document, _OPML, "feedloom.opml")
    document = await exporting.everything(who.user, with_passwords=True)
    return _file(document, "application/json", "feedloom.json")


def _file(document: bytes, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(document, media_type=media_type, headers=headers)


ROUTES = (
    Route(
        "/settings/import",
        start_import,
        ("POST",),
        Access.PERSON,
        body_limit=LARGEST_FILE + _FORM_AROUND,
    ),
    Route("/settings/import/{id}", import_status, ("GET",), Access.PERSON),
    Route("/settings/export.opml", export_opml, ("GET",), Access.PERSON),
    Route("/settings/export", export_with_passwords, ("POST",), Access.PERSON, per_minute=30),
    Route("/settings/export.json", export_everything, ("GET",), Access.PERSON, per_minute=30),
)
