"""Folders and tags: create, rename, move, delete. Plain forms, one action per address."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import Conflict, InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.pages.forms import as_days, field
from feedloom.serve.pages.notices import redirect_to
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.services import Services

LISTED_FOLDERS = 50
"""With more, a list of all folders beside each of them would be endless."""

Deed = Callable[[Services, int, Request, FormData], Awaitable[object]]


async def show_feeds_settings(request: Request, problem: str = "", status: int = 200) -> Response:
    user_id = actor(request).user.id
    app_services = services(request)
    return await render_page(
        request,
        "settings/feeds.html",
        status,
        folders=await app_services.folders.folders(user_id),
        listed_folders=LISTED_FOLDERS,
        tags=await app_services.reading.tags(user_id),
        problem=problem,
    )


async def show(request: Request) -> Response:
    return await show_feeds_settings(request)


def _doing(deed: Deed, word: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        form = await request.form()
        try:
            await deed(services(request), actor(request).user.id, request, form)
        except Conflict as error:
            return await show_feeds_settings(request, str(error), HTTPStatus.CONFLICT)
        except InvalidInput as error:
            return await show_feeds_settings(request, str(error), HTTPStatus.BAD_REQUEST)
        return redirect_to("/settings/feeds", word)

    return endpoint


async def _move(app_services: Services, user_id: int, id_: int, form: FormData) -> None:
    parent = _parent(form)
    path = field(form, "parent_path").strip().strip("/")
    if path:
        found = await app_services.folders.folders(user_id)
        parent = next((one.id for one in found if one.path == path), None)
        if parent is None:
            raise InvalidInput("Folder not found.", field="parent_path")
    await app_services.folders.move(user_id, id_, parent)


def _parent(form: FormData) -> int | None:
    text = field(form, "parent_id").strip()
    return as_id(text) if text else None


_DEEDS: tuple[tuple[str, Deed, str], ...] = (
    (
        "/settings/folders",
        lambda s, user, _, form: s.folders.create(
            user, field(form, "name"), parent_id=_parent(form)
        ),
        "added-folder",
    ),
    (
        "/settings/folders/{id}/rename",
        lambda s, user, request, form: s.folders.rename(
            user, path_id(request), field(form, "name")
        ),
        "renamed",
    ),
    (
        "/settings/folders/{id}/move",
        lambda s, user, request, form: _move(s, user, path_id(request), form),
        "moved",
    ),
    (
        "/settings/folders/{id}/expiry",
        lambda s, user, request, form: s.folders.change(
            user, path_id(request), {"read_after_days": as_days(field(form, "read_after_days"))}
        ),
        "saved",
    ),
    (
        "/settings/folders/{id}/delete",
        lambda s, user, request, _: s.folders.delete(user, path_id(request)),
        "deleted",
    ),
    (
        "/settings/tags/rename",
        lambda s, user, _, form: s.reading.rename_tag(
            user, field(form, "tag"), field(form, "name")
        ),
        "renamed",
    ),
    (
        "/settings/tags/delete",
        lambda s, user, _, form: s.reading.delete_tag(user, field(form, "tag")),
        "deleted",
    ),
)

ROUTES = (
    Route("/settings/feeds", show, ("GET",), Access.PERSON),
    *(Route(path, _doing(deed, word), ("POST",), Access.PERSON) for path, deed, word in _DEEDS),
)
