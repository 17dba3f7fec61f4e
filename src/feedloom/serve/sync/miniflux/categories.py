"""Categories: folders, and the root among them."""

from dataclasses import replace
from http import HTTPStatus

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import leaf_name
from feedloom.serve.sync.miniflux.calls import Call, nothing
from feedloom.serve.sync.miniflux.translation import category_shape


async def list_categories(call: Call) -> Response:
    categories = await call.categories()
    if call.given.flag("counts", default=False):
        for category in categories.values():
            category.feed_count = category.total_unread = 0
        for feed in await call.services.subscriptions.subscriptions(call.user.id):
            category = categories[feed.folder_id]
            category.feed_count = (category.feed_count or 0) + 1
            category.total_unread = (category.total_unread or 0) + feed.unread
    return json_answer(list(categories.values()))


async def create(call: Call) -> Response:
    made = await call.services.folders.create(call.user.id, call.given.text("title"))
    if call.given.flag("hide_globally", default=False):
        made = replace(made, hidden_globally=True)
        await call.services.folders.hide_globally(call.user.id, made.id, hidden=True)
    return json_answer(category_shape(made, call.user), status=HTTPStatus.CREATED)


async def update(call: Call) -> Response:
    category_id = call.id()
    folders = await call.services.syncing.folders(call.user.id)
    found = [folder for folder in folders if folder.id == category_id]
    if not found:
        await _require(call)
        raise InvalidInput("This category cannot be renamed.")
    if call.given.says("title"):
        name = leaf_name(found[0], call.given.text("title"))
        await call.services.folders.rename(call.user.id, category_id, name)
    if call.given.says("hide_globally"):
        hidden = call.given.flag("hide_globally", default=False)
        await call.services.folders.hide_globally(call.user.id, category_id, hidden=hidden)
    categories = await call.categories()
    return json_answer(categories[category_id], status=HTTPStatus.CREATED)


async def delete(call: Call) -> Response:
    await _require(call)
    await call.services.syncing.delete_folder(call.user.id, call.id())
    return nothing()


async def mark_read(call: Call) -> Response:
    await _require(call)
    wanted = Wanted(folder_id=call.id(), folder_only=True)
    await call.services.reading.mark_all(call.user.id, wanted, "read")
    return nothing()


async def refresh(call: Call) -> Response:
    await _require(call)
    for feed in await call.services.syncing.feeds(call.user.id):
        if feed.folder_id == call.id():
            await call.services.subscriptions.refresh(call.user.id, feed.id, afresh=False)
    return nothing()


async def _require(call: Call) -> None:
    if call.id() not in await call.categories():
        raise NotFound
