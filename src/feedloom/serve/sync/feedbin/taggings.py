"""Taggings: which folder a feed is in. A feed has one, so it and its tagging share an id.

Tags are folders, by their whole path; feeds in the root have none.
"""

from http import HTTPStatus

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Folder
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feedbin import shapes
from feedloom.serve.sync.feedbin.calls import Call, nothing, tagged
from feedloom.serve.sync.feeds import leaf_name
from feedloom.serve.sync.parameters import row_id


async def _taggings(call: Call) -> dict[int, shapes.Tagging]:
    paths = {f.id: f.path for f in await call.services.syncing.folders(call.user.id)}
    return {
        feed.id: shapes.Tagging(feed.id, feed.id, paths[feed.folder_id])
        for feed in await call.services.syncing.feeds(call.user.id)
        if feed.folder_id in paths
    }


async def _listed(call: Call) -> Response:
    return json_answer(list((await _taggings(call)).values()))


async def list_taggings(call: Call) -> Response:
    return tagged(call, list((await _taggings(call)).values()))


async def _named(call: Call) -> shapes.Tagging:
    found = (await _taggings(call)).get(call.id())
    if found is None:
        raise NotFound
    return found


async def one(call: Call) -> Response:
    return tagged(call, await _named(call))


async def create(call: Call) -> Response:
    """Move a feed to a folder, which is made if there is none of that name."""
    feed_id = row_id(call.given.text("feed_id"))
    name = call.given.text("name").strip()
    await call.services.subscriptions.subscription(call.user.id, feed_id)
    before = (await _taggings(call)).get(feed_id)
    status = HTTPStatus.FOUND
    if before is None or before.name != name:
        folder = await _folder(call, name)
        folder_id = folder.id if folder else await _made(call, name)
        await _move(call, feed_id, folder_id)
        status = HTTPStatus.CREATED
    shown = (await _taggings(call))[feed_id]
    location = {"Location": call.address(f"/taggings/{feed_id}.json")}
    return json_answer(shown, status=status, headers=location)


async def _made(call: Call, name: str) -> int:
    if not name:
        raise InvalidInput("A name is required.")
    return await call.services.folders.ensure(call.user.id, (name,))


async def _folder(call: Call, name: str) -> Folder | None:
    folders = await call.services.syncing.folders(call.user.id)
    return next((folder for folder in folders if folder.path == name), None)


async def _move(call: Call, feed_id: int, folder_id: int | None) -> None:
    changes = {"folder_id": folder_id}
    await call.services.subscriptions.change(call.user.id, feed_id, changes)


async def delete(call: Call) -> Response:
    await _move(call, (await _named(call)).feed_id, None)
    return nothing()


async def rename_tag(call: Call) -> Response:
    """Rename a folder; into one that is there already, its feeds move."""
    old = await _tag(call, "old_name")
    name = call.given.text("new_name").strip()
    target = await _folder(call, name)
    if target is None:
        new_name = leaf_name(old, name)
        await call.services.folders.rename(call.user.id, old.id, new_name)
    elif target.id != old.id:
        for feed in await call.services.syncing.feeds(call.user.id):
            if feed.folder_id == old.id:
                await _move(call, feed.id, target.id)
        await call.services.folders.delete(call.user.id, old.id, alone=True)
    return await _listed(call)


async def delete_tag(call: Call) -> Response:
    """Delete a folder; its feeds stay, in the root."""
    folder = await _tag(call, "name")
    await call.services.folders.delete(call.user.id, folder.id, alone=True)
    return await _listed(call)


async def _tag(call: Call, name: str) -> Folder:
    found = await _folder(call, call.given.text(name).strip())
    if found is None:
        raise NotFound("Tag not found.")
    return found
