"""Tags, of everything and of one entry."""

from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.wallabag.calls import Call
from feedloom.serve.sync.wallabag.entries import answer_entry
from feedloom.serve.sync.wallabag.translation import tag_id, tag_shape


async def all_tags(call: Call) -> Response:
    counted = await call.store.tags(call.user.id)
    return json_answer([tag_shape(label, entries) for label, entries in counted])


async def entry_tags(call: Call) -> Response:
    return json_answer([tag_shape(label) for label in (await call.bookmark()).tags])


async def add(call: Call) -> Response:
    bookmark = await call.bookmark()
    tags = list(dict.fromkeys((*bookmark.tags, *call.tags())))
    changed = await call.store.change(call.user.id, bookmark.id, {"tags": tags})
    return await answer_entry(call, changed)


async def remove(call: Call) -> Response:
    bookmark, gone = await call.bookmark(), call.id("tag")
    left = [label for label in bookmark.tags if tag_id(label) != gone]
    if len(left) == len(bookmark.tags):
        raise NotFound("Tag not found")
    changed = await call.store.change(call.user.id, bookmark.id, {"tags": left})
    return await answer_entry(call, changed)
