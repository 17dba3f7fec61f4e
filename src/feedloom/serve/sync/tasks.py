"""Waiting for a task, for clients that cannot poll."""

import asyncio
from collections.abc import Awaitable, Callable

from feedloom.model.reader import User
from feedloom.model.work import Task
from feedloom.serve.services import Services

WAIT_S = 10.0
_LOOK_EVERY_S = 0.05


async def wait_until(is_done: Callable[[], Awaitable[bool]], *, most_s: float = WAIT_S) -> None:
    """Look again and again for a while whether something is done."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + most_s
    while True:
        if await is_done() or loop.time() > ends_at:
            return
        await asyncio.sleep(_LOOK_EVERY_S)


async def wait_for_task(services: Services, user: User, task_id: int) -> Task:
    """Wait a while until somebody's task is done; return it as it is then."""

    async def is_done() -> bool:
        return (await services.tasks.find(user.id, task_id)).done_at is not None

    await wait_until(is_done)
    return await services.tasks.find(user.id, task_id)
