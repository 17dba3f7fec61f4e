"""Folders and tags in JSON."""

from msgspec import UNSET, UnsetType
from starlette.requests import Request

from feedloom.model.errors import NotFound
from feedloom.serve.api.feeds import Days
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.wire.json_io import APIRoutes, Body, Id, Name, read_body
from feedloom.serve.wire.shapes import FolderShape, TagShape, folder_shape

ROUTES = APIRoutes()


class NewFolder(Body):
    """A folder to be made, at the top unless a parent is named."""

    name: Name
    parent_id: Id | None = None


class FolderChanges(Body):
    """What is to be changed; a parent of null moves it to the top."""

    name: Name | UnsetType = UNSET
    parent_id: Id | UnsetType | None = UNSET
    read_after_days: Days | UnsetType | None = UNSET


class TagName(Body):
    """A tag by its name."""

    name: Name


@ROUTES.add("GET /api/folders", "List folders")
async def list_folders(request: Request) -> list[FolderShape]:
    found = await services(request).folders.folders(actor(request).user.id)
    shown = {folder.id for folder in found}
    return [folder_shape(folder, shown) for folder in found]


@ROUTES.add("POST /api/folders", "Create a folder", status=201, takes=NewFolder, refuses=(404, 409))
async def add_folder(request: Request) -> FolderShape:
    new = await read_body(request, NewFolder)
    made = await services(request).folders.create(
        actor(request).user.id, new.name, parent_id=new.parent_id
    )
    return await _folder(request, made.id)


@ROUTES.add("GET /api/folders/{id}", "Show a folder")
async def show_folder(request: Request) -> FolderShape:
    return await _folder(request, path_id(request))


@ROUTES.add(
    "PATCH /api/folders/{id}", "Rename or move a folder", takes=FolderChanges, refuses=(409,)
)
async def change_folder(request: Request) -> FolderShape:
    user_id, folder_id = actor(request).user.id, path_id(request)
    await _folder(request, folder_id)
    changes = await read_body(request, FolderChanges, shown=FolderShape)
    store = services(request).folders
    if changes.name is not UNSET:
        await store.rename(user_id, folder_id, changes.name)
    if changes.parent_id is not UNSET:
        await store.move(user_id, folder_id, changes.parent_id)
    if changes.read_after_days is not UNSET:
        await store.change(user_id, folder_id, {"read_after_days": changes.read_after_days})
    return await _folder(request, folder_id)


@ROUTES.add("DELETE /api/folders/{id}", "Delete a folder")
async def delete_folder(request: Request) -> None:
    """Delete a folder; its feeds move to the top."""
    await services(request).folders.delete(actor(request).user.id, path_id(request))


async def _folder(request: Request, folder_id: int) -> FolderShape:
    for folder in await list_folders(request):
        if folder.id == folder_id:
            return folder
    raise NotFound("Folder not found")


@ROUTES.add("GET /api/tags", "List tags")
async def list_tags(request: Request) -> list[TagShape]:
    tags = await services(request).reading.tags(actor(request).user.id)
    return [TagShape(name, unread) for name, unread in tags]


@ROUTES.add("POST /api/tags", "Create a tag", status=201, takes=TagName)
async def add_tag(request: Request) -> TagShape:
    """Make a tag; one that is there already stays as it is."""
    new = await read_body(request, TagName)
    await services(request).reading.create_tag(actor(request).user.id, new.name)
    return await _tag(request, new.name)


@ROUTES.add("PATCH /api/tags/{name:path}", "Rename a tag", takes=TagName)
async def rename_tag(request: Request) -> TagShape:
    new = await read_body(request, TagName, shown=TagShape)
    await services(request).reading.rename_tag(
        actor(request).user.id, _tag_in_path(request), new.name
    )
    return await _tag(request, new.name)


@ROUTES.add("DELETE /api/tags/{name:path}", "Delete a tag")
async def delete_tag(request: Request) -> None:
    """Delete a tag; articles stay."""
    await services(request).reading.delete_tag(actor(request).user.id, _tag_in_path(request))


async def _tag(request: Request, name: str) -> TagShape:
    name = " ".join(name.split())
    tags = await services(request).reading.tags(actor(request).user.id)
    return TagShape(name, dict(tags).get(name, 0))


def _tag_in_path(request: Request) -> str:
    name = str(request.path_params["name"])
    if "\x00" in name:
        raise NotFound("Tag not found.")
    return name
