"""Group commits: many small writes that arrive together share one transaction.

Items go in one by one, each caller waits for its own result. While one transaction
runs, and for a moment after it, the next items gather; so a busy store commits in groups
and an idle one at once. Beginning and ending a transaction costs as much as a few items.
When a group fails, its items are tried one by one, so that one bad item harms nobody.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from feedloom.model.errors import StoreError, StoreUnavailable

Item = TypeVar("Item")
Result = TypeVar("Result")


class GroupCommit(Generic[Item, Result]):
    """A queue in front of a write that takes several items at once."""

    def __init__(
        self,
        write: Callable[[list[Item]], Awaitable[list[Result]]],
        *,
        most: int = 20,
        lanes: int = 1,
        gather_s: float = 0.0,
    ) -> None:
        self._write = write
        self._most = most
        self._gather_s = gather_s
        self._ended_at = -gather_s
        self._enough = asyncio.Event()
        self._free_lanes = lanes
        self._waiting: deque[tuple[Item, asyncio.Future[Result]]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def put(self, item: Item) -> Result:
        """Write one item with whoever else is waiting."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if len(self._waiting) >= self._most:
            self._enough.set()
        if self._free_lanes:
            self._start()
        return await done

    def _start(self) -> None:
        self._free_lanes -= 1
        task = asyncio.create_task(self._drain())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _drain(self) -> None:
        # One turn of the loop lets callers that are ready join the first group.
        await asyncio.sleep(0)
        try:
            while self._waiting:
                await self._gather()
                count = min(self._most, len(self._waiting))
                await self._commit([self._waiting.popleft() for _ in range(count)])
                self._ended_at = asyncio.get_running_loop().time()
        finally:
            self._free_lanes += 1
            if self._waiting:
                # A bug ended this round; who waits still gets an answer.
                self._start()

    async def _gather(self) -> None:
        """Wait for more, if somebody wrote just now and the group is not full."""
        loop = asyncio.get_running_loop()
        wait_s = self._ended_at + self._gather_s - loop.time()
        if wait_s > 0 and len(self._waiting) < self._most:
            self._enough.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._enough.wait()

    async def _commit(self, group: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._write([item for item, _ in group])
        except StoreError as error:
            if len(group) == 1 or isinstance(error, StoreUnavailable):
                _refuse(group, error)
                return
            for member in group:
                await self._commit([member])
            return
        except BaseException as error:
            _refuse(group, error)
            raise
        for (_, done), result in zip(group, results, strict=True):
            if not done.done():
                done.set_result(result)


def _refuse(
    group: list[tuple[Item, asyncio.Future[Result]]], error: BaseException
) -> None:
    for _, done in group:
        if not done.done():
            done.set_exception(error)
