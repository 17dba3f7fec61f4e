"""Waiting for a task, for programs that cannot be told to come back."""

import asyncio

from feedloom.model.reader import User
from feedloom.model.work import Task
from feedloom.serve.services import Services

WAIT_S = 10.0
_LOOK_EVERY_S = 0.05


async def wait_for_task(services: Services, user: User, task_id: int) -> Task:
    """Wait a while until somebody's task is done; return it as it is then."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + WAIT_S
    while True:
        task = await services.tasks.find(user.id, task_id)
        if task.done_at is not None or loop.time() > ends_at:
            return task
        await asyncio.sleep(_LOOK_EVERY_S)
