"""Folders: list, create, rename, delete, mark read. In Nextcloud they are flat."""

from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import Folder, Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import leaf_name
from feedloom.serve.sync.nextcloud.calls import Call, nothing
from feedloom.serve.sync.nextcloud.items import folder_of, read_up_to
from feedloom.serve.sync.nextcloud.translation import folder_shape
from feedloom.serve.sync.parameters import row_id


async def list_folders(call: Call) -> Response:
    folders = await call.services.syncing.folders(call.user.id)
    return json_answer({"folders": [folder_shape(folder) for folder in folders]})


async def create(call: Call) -> Response:
    folder = await call.services.folders.create(call.user.id, call.given.text("name"))
    return json_answer({"folders": [folder_shape(folder)]})


async def rename(call: Call) -> Response:
    folder = await _listed(call, call.id())
    new_name = leaf_name(folder, call.given.text("name"))
    await call.services.folders.rename(call.user.id, folder.id, new_name)
    return nothing()


async def delete(call: Call) -> Response:
    await call.services.syncing.delete_folder(call.user.id, call.id())
    return nothing()


async def mark_read(call: Call) -> Response:
    named = call.request.path_params["id"]
    if named != "0":
        await _listed(call, row_id(named))
    folder_id = await folder_of(call, int(named))
    return await read_up_to(call, Wanted(folder_id=folder_id, folder_only=True))


async def _listed(call: Call, folder_id: int) -> Folder:
    for folder in await call.services.syncing.folders(call.user.id):
        if folder.id == folder_id:
            return folder
    raise NotFound("Folder not found")
