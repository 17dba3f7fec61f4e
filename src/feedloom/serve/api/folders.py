"""Folders and tags in JSON."""

from msgspec import UNSET, UnsetType

from feedloom.model.errors import NotFound
from feedloom.serve.api.feeds import Days
from feedloom.serve.wire.json_io import APIRoutes, Body, Call, Id, Name
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
async def list_folders(call: Call) -> list[FolderShape]:
    found = await call.services.folders.folders(call.user_id)
    shown = {folder.id for folder in found}
    return [folder_shape(folder, shown) for folder in found]


@ROUTES.add("POST /api/folders", "Create a folder", status=201, takes=NewFolder, refuses=(404, 409))
async def add_folder(call: Call) -> FolderShape:
    new = await call.body(NewFolder)
    made = await call.services.folders.create(call.user_id, new.name, parent_id=new.parent_id)
    return await _folder(call, made.id)


@ROUTES.add("GET /api/folders/{id}", "Show a folder")
async def show_folder(call: Call) -> FolderShape:
    return await _folder(call, call.id())


@ROUTES.add(
    "PATCH /api/folders/{id}", "Rename or move a folder", takes=FolderChanges, refuses=(409,)
)
async def change_folder(call: Call) -> FolderShape:
    user_id, folder_id = call.user_id, call.id()
    await _folder(call, folder_id)
    changes = await call.body(FolderChanges, shown=FolderShape)
    store = call.services.folders
    if changes.name is not UNSET:
        await store.rename(user_id, folder_id, changes.name)
    if changes.parent_id is not UNSET:
        await store.move(user_id, folder_id, changes.parent_id)
    if changes.read_after_days is not UNSET:
        await store.change(user_id, folder_id, {"read_after_days": changes.read_after_days})
    return await _folder(call, folder_id)


@ROUTES.add("DELETE /api/folders/{id}", "Delete a folder")
async def delete_folder(call: Call) -> None:
    """Delete a folder; its feeds move to the top."""
    await call.services.folders.delete(call.user_id, call.id())


async def _folder(call: Call, folder_id: int) -> FolderShape:
    for folder in await list_folders(call):
        if folder.id == folder_id:
            return folder
    raise NotFound("Folder not found")


@ROUTES.add("GET /api/tags", "List tags")
async def list_tags(call: Call) -> list[TagShape]:
    tags = await call.services.reading.tags(call.user_id)
    return [TagShape(name, unread) for name, unread in tags]


@ROUTES.add("POST /api/tags", "Create a tag", status=201, takes=TagName)
async def add_tag(call: Call) -> TagShape:
    """Make a tag; one that is there already stays as it is."""
    new = await call.body(TagName)
    await call.services.reading.create_tag(call.user_id, new.name)
    return await _tag(call, new.name)


@ROUTES.add("PATCH /api/tags/{name:path}", "Rename a tag", takes=TagName)
async def rename_tag(call: Call) -> TagShape:
    new = await call.body(TagName, shown=TagShape)
    await call.services.reading.rename_tag(call.user_id, _tag_in_path(call), new.name)
    return await _tag(call, new.name)


@ROUTES.add("DELETE /api/tags/{name:path}", "Delete a tag")
async def delete_tag(call: Call) -> None:
    """Delete a tag; articles stay."""
    await call.services.reading.delete_tag(call.user_id, _tag_in_path(call))


async def _tag(call: Call, name: str) -> TagShape:
    name = " ".join(name.split())
    tags = await call.services.reading.tags(call.user_id)
    return TagShape(name, dict(tags).get(name, 0))


def _tag_in_path(call: Call) -> str:
    name = str(call.request.path_params["name"])
    if "\x00" in name:
        raise NotFound("Tag not found.")
    return name
