"""Folders: list, create, rename, delete, mark read. In Nextcloud they are flat."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import Wanted
from feedloom.serve.auth import actor, services
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.folders import leaf_name
from feedloom.serve.sync.nextcloud import shapes
from feedloom.serve.sync.nextcloud.error_responses import nothing
from feedloom.serve.sync.nextcloud.items import folder_of, read_up_to
from feedloom.serve.sync.nextcloud.translation import folder_shape
from feedloom.serve.sync.parameters import read_given, row_id
from feedloom.serve.sync.routes import SyncRoute


async def _list(request: Request) -> Response:
    folders = await services(request).syncing.folders(actor(request).user.id)
    return json_answer(shapes.Folders([folder_shape(folder) for folder in folders]))


async def _create(request: Request) -> Response:
    name = (await read_given(request)).text("name")
    folder = await services(request).folders.create(actor(request).user.id, name)
    return json_answer(shapes.Folders([folder_shape(folder)]))


async def _rename(request: Request) -> Response:
    folder_id = row_id(request.path_params["id"])
    name = (await read_given(request)).text("name")
    user_id = actor(request).user.id
    listed = await services(request).syncing.folders(user_id)
    old = next((folder for folder in listed if folder.id == folder_id), None)
    if old is None:
        raise NotFound("Folder not found")
    new_name = leaf_name(old, name)
    await services(request).folders.rename(user_id, folder_id, new_name)
    return nothing()


async def _delete(request: Request) -> Response:
    folder_id = row_id(request.path_params["id"])
    await services(request).syncing.delete_folder(actor(request).user.id, folder_id)
    return nothing()


async def _read(request: Request) -> Response:
    given = request.path_params["id"]
    folder_id = await folder_of(request, 0 if given == "0" else row_id(given))
    if given != "0":
        await _require(request, folder_id)
    return await read_up_to(request, Wanted(folder_id=folder_id, folder_only=True))


async def _require(request: Request, folder_id: int) -> None:
    folders = await services(request).syncing.folders(actor(request).user.id)
    if all(folder.id != folder_id for folder in folders):
        raise NotFound("Folder not found")


ROUTES = (
    SyncRoute(("GET",), "/folders", _list),
    SyncRoute(("POST",), "/folders", _create),
    SyncRoute(("PUT", "POST"), "/folders/{id}/read", _read),
    SyncRoute(("PUT", "POST"), "/folders/{id}", _rename),
    SyncRoute(("DELETE",), "/folders/{id}", _delete),
)
