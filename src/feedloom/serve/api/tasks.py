"""What runs in the background for a person, as JSON."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.api.shapes import TaskShape, task_shape
from feedloom.serve.api.speaking import answer
from feedloom.serve.auth import actor, services
from feedloom.serve.doors import Access, Door, Operation
from feedloom.serve.ids import path_id


async def show_task(request: Request) -> Response:
    """Tell how far a task is."""
    task = await services(request).tasks.find(actor(request).user.id, path_id(request))
    return answer(task_shape(task))


DOORS = (
    Door(
        "/api/tasks/{id}",
        show_task,
        ("GET",),
        Access.PERSON,
        about=Operation("Show a background task", {200: TaskShape}),
    ),
)
