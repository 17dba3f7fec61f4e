"""Imports: start one, and report its progress."""

from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.work import TaskKind
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feedbin.calls import Call
from feedloom.serve.sync.feedbin.translation import import_shape, import_with_items
from feedloom.serve.sync.parameters import read_document


async def create(call: Call) -> Response:
    document = await read_document(call.request)
    task_id = await call.services.importing.start(call.user, document)
    task = await call.services.tasks.find(call.user.id, task_id)
    return json_answer(import_with_items(task))


async def list_imports(call: Call) -> Response:
    """List the last import; those before it are not looked up."""
    task = await call.services.tasks.latest(call.user.id, TaskKind.IMPORT)
    return json_answer([import_shape(task)] if task else [])


async def one(call: Call) -> Response:
    task = await call.services.tasks.find(call.user.id, call.id())
    if task.kind != TaskKind.IMPORT:
        raise NotFound
    return json_answer(import_with_items(task))
