"""Folders, tags, import and export: the settings page of a person's feeds, in plain forms."""

from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.imports import LARGEST_FILE
from feedloom.model.errors import Conflict, InvalidInput, NotFound, NotSignedIn, ParseError
from feedloom.model.work import TaskKind
from feedloom.serve.auth import actor, at_browser, client_address, services
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.forms import (
    FORM_AROUND,
    as_days,
    download,
    field,
    maybe_id,
    read_file,
    redirect_to,
    route_end,
)
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route

LISTED_FOLDERS = 50
"""With more, a list of all folders beside each of them would be endless."""
_SAID = {
    "folders": "added-folder",
    "rename": "renamed",
    "move": "moved",
    "expiry": "saved",
    "delete": "deleted",
}
_EXPECTED = (
    "Choose the OPML file exported by your other reader. Its name usually ends in .opml or .xml."
)


async def show(request: Request, problem: str = "", status: int = 200) -> Response:
    user_id, app_services = actor(request).user.id, services(request)
    return await render_page(
        request,
        "settings/feeds.html",
        status,
        folders=await app_services.folders.folders(user_id),
        listed_folders=LISTED_FOLDERS,
        tags=await app_services.reading.tags(user_id),
        problem=problem,
    )


async def change(request: Request) -> Response:
    """Do with a folder or tag what the address names."""
    form = await request.form()
    verb = route_end(request)
    try:
        await _apply(request, verb, form)
    except Conflict as error:
        return await show(request, str(error), HTTPStatus.CONFLICT)
    except InvalidInput as error:
        return await show(request, str(error), HTTPStatus.BAD_REQUEST)
    return redirect_to("/settings/feeds", _SAID[verb])


async def _apply(request: Request, verb: str, form: FormData) -> None:
    user_id, name = actor(request).user.id, field(form, "name")
    folders, reading = services(request).folders, services(request).reading
    match verb, "id" in request.path_params:
        case "rename", True:
            await folders.rename(user_id, path_id(request), name)
        case "move", True:
            await folders.move(user_id, path_id(request), await _parent(request, form))
        case "expiry", True:
            days = as_days(field(form, "read_after_days"))
            await folders.change(user_id, path_id(request), {"read_after_days": days})
        case "delete", True:
            await folders.delete(user_id, path_id(request))
        case "rename", False:
            await reading.rename_tag(user_id, field(form, "tag"), name)
        case "delete", False:
            await reading.delete_tag(user_id, field(form, "tag"))
        case _:
            await folders.create(user_id, name, parent_id=maybe_id(form, "parent_id"))


async def _parent(request: Request, form: FormData) -> int | None:
    path = field(form, "parent_path").strip().strip("/")
    if not path:
        return maybe_id(form, "parent_id")
    found = await services(request).folders.folders(actor(request).user.id)
    parent = next((one.id for one in found if one.path == path), None)
    if parent is None:
        raise InvalidInput("Folder not found.", field="parent_path")
    return parent


async def start_import(request: Request) -> Response:
    """Take an OPML file and lead to its progress; a bad file is told on the page."""
    document = await read_file(await request.form())
    try:
        task_id = await services(request).importing.start(actor(request).user, document)
    except InvalidInput as error:
        return await show(request, str(error), HTTPStatus.BAD_REQUEST)
    except ParseError as error:
        return await show(request, f"{error} {_EXPECTED}", HTTPStatus.BAD_REQUEST)
    return redirect_to(f"/settings/import/{task_id}")


async def import_status(request: Request) -> Response:
    task = await services(request).tasks.find(actor(request).user.id, path_id(request))
    if task.kind != TaskKind.IMPORT:
        raise NotFound
    empty = {"total": 0, "done": 0, "added": 0, "known": 0, "failed": 0, "failures": []}
    facts = {"task": task, "report": {**empty, **(task.result or task.progress or {})}}
    if is_htmx(request) and request.headers.get("hx-target") == "div#import":
        headers = {"HX-Trigger": "refreshFeedList"} if task.done_at else None
        return render(request, "settings/import_status.html", 200, headers, **facts)
    return await render_page(request, "settings/import.html", 200, None, **facts)


async def export(request: Request) -> Response:
    return await _export(request, route_end(request, "."))


async def export_with_passwords(request: Request) -> Response:
    user = at_browser(request).user
    form = await request.form()
    accounts, address = services(request).accounts, client_address(request)
    try:
        # Without a password here, none is right.
        await accounts.confirm(user, field(form, "password"), address=address)
    except NotSignedIn:
        return await show(request, "Wrong password.", HTTPStatus.BAD_REQUEST)
    await accounts.store.record_event(user.id, "exported_with_passwords", {})
    return await _export(request, field(form, "form"), with_passwords=True)


async def _export(request: Request, form: str, *, with_passwords: bool = False) -> Response:
    exporting, user = services(request).exporting, actor(request).user
    if form == "opml":
        document = await exporting.opml(user, with_passwords=with_passwords)
        return download(document, "text/x-opml; charset=utf-8", "feedloom.opml")
    document = await exporting.everything(user, with_passwords=with_passwords)
    return download(document, "application/json", "feedloom.json")


_CHANGES = (
    "/settings/folders",
    "/settings/folders/{id}/rename",
    "/settings/folders/{id}/move",
    "/settings/folders/{id}/expiry",
    "/settings/folders/{id}/delete",
    "/settings/tags/rename",
    "/settings/tags/delete",
)
_LARGEST_FORM = LARGEST_FILE + FORM_AROUND

ROUTES = (
    Route("/settings/feeds", show, ("GET",), Access.PERSON),
    *(Route(path, change, ("POST",), Access.PERSON) for path in _CHANGES),
    Route("/settings/import", start_import, ("POST",), Access.PERSON, body_limit=_LARGEST_FORM),
    Route("/settings/import/{id}", import_status, ("GET",), Access.PERSON),
    Route("/settings/export.opml", export, ("GET",), Access.PERSON),
    Route("/settings/export", export_with_passwords, ("POST",), Access.PERSON, per_minute=30),
    Route("/settings/export.json", export, ("GET",), Access.PERSON, per_minute=30),
)
