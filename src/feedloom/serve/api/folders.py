"""Folders and tags in JSON."""

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.routes import Access, Operation, Route
from feedloom.serve.wire.json_io import (
    Id,
    Name,
    answer,
    answer_list,
    no_content,
    read_body,
)
from feedloom.serve.wire.shapes import FolderShape, TagShape, folder_shape


class NewFolder(msgspec.Struct):
    """A folder to be made, at the top unless a parent is named."""

    name: Name
    parent_id: Id | None = None


class FolderChanges(msgspec.Struct):
    """What is to be changed; a parent of null moves it to the top."""

    name: Name | UnsetType = UNSET
    parent_id: Id | UnsetType | None = UNSET


class TagName(msgspec.Struct):
    """A tag by its name."""

    name: Name


async def list_folders(request: Request) -> Response:
    return answer_list(request, await _folders(request))


async def add_folder(request: Request) -> Response:
    new = await read_body(request, NewFolder)
    made = await services(request).folders.create(
        actor(request).user.id, new.name, parent_id=new.parent_id
    )
    return answer(await _folder(request, made.id), 201)


async def show_folder(request: Request) -> Response:
    return answer_list(request, await _folder(request, path_id(request)))


async def change_folder(request: Request) -> Response:
    user_id, folder_id = actor(request).user.id, path_id(request)
    await _folder(request, folder_id)
    changes = await read_body(request, FolderChanges)
    store = services(request).folders
    if changes.name is not UNSET:
        await store.rename(user_id, folder_id, changes.name)
    if changes.parent_id is not UNSET:
        await store.move(user_id, folder_id, changes.parent_id)
    return answer(await _folder(request, folder_id))


async def delete_folder(request: Request) -> Response:
    """Delete a folder; its feeds move to the top."""
    await services(request).folders.delete(actor(request).user.id, path_id(request))
    return no_content()


async def _folders(request: Request) -> list[FolderShape]:
    found = await services(request).folders.folders(actor(request).user.id)
    shown = {folder.id for folder in found}
    return [folder_shape(folder, shown) for folder in found]


async def _folder(request: Request, folder_id: int) -> FolderShape:
    for folder in await _folders(request):
        if folder.id == folder_id:
            return folder
    raise NotFound("Folder not found")


async def list_tags(request: Request) -> Response:
    return answer_list(request, await _tags(request))


async def _tags(request: Request) -> list[TagShape]:
    tags = await services(request).reading.tags(actor(request).user.id)
    return [TagShape(name, unread) for name, unread in tags]


async def add_tag(request: Request) -> Response:
    """Make a tag; one that is there already stays as it is."""
    new = await read_body(request, TagName)
    await services(request).reading.create_tag(actor(request).user.id, new.name)
    return answer(await _tag(request, new.name), 201)


async def rename_tag(request: Request) -> Response:
    """Rename a tag, joining one that has that name already."""
    new = await read_body(request, TagName)
    await services(request).reading.rename_tag(
        actor(request).user.id, _tag_in_path(request), new.name
    )
    return answer(await _tag(request, new.name))


async def delete_tag(request: Request) -> Response:
    """Delete a tag; articles stay."""
    await services(request).reading.delete_tag(
        actor(request).user.id, _tag_in_path(request)
    )
    return no_content()


async def _tag(request: Request, name: str) -> TagShape:
    name = " ".join(name.split())
    tags = await services(request).reading.tags(actor(request).user.id)
    return TagShape(name, dict(tags).get(name, 0))


def _tag_in_path(request: Request) -> str:
    name = str(request.path_params["name"])
    if "\x00" in name:
        raise NotFound("Tag not found.")
    return name


ROUTES = (
    Route(
        "/api/folders",
        list_folders,
        ("GET",),
        Access.PERSON,
        about=Operation("List folders", {200: list[FolderShape]}),
    ),
    Route(
        "/api/folders",
        add_folder,
        ("POST",),
        Access.PERSON,
        about=Operation(
            "Create a folder", {201: FolderShape}, takes=NewFolder, refuses=(404, 409)
        ),
    ),
    Route(
        "/api/folders/{id}",
        show_folder,
        ("GET",),
        Access.PERSON,
        about=Operation("Show a folder", {200: FolderShape}),
    ),
    Route(
        "/api/folders/{id}",
        change_folder,
        ("PATCH",),
        Access.PERSON,
        about=Operation(
            "Rename or move a folder",
            {200: FolderShape},
            takes=FolderChanges,
            refuses=(409,),
        ),
    ),
    Route(
        "/api/folders/{id}",
        delete_folder,
        ("DELETE",),
        Access.PERSON,
        about=Operation("Delete a folder", {204: None}),
    ),
    Route(
        "/api/tags",
        list_tags,
        ("GET",),
        Access.PERSON,
        about=Operation("List tags", {200: list[TagShape]}),
    ),
    Route(
        "/api/tags",
        add_tag,
        ("POST",),
        Access.PERSON,
        about=Operation("Create a tag", {201: TagShape}, takes=TagName),
    ),
    Route(
        "/api/tags/{name:path}",
        rename_tag,
        ("PATCH",),
        Access.PERSON,
        about=Operation("Rename a tag", {200: TagShape}, takes=TagName),
    ),
    Route(
        "/api/tags/{name:path}",
        delete_tag,
        ("DELETE",),
        Access.PERSON,
        about=Operation("Delete a tag", {204: None}),
    ),
)
