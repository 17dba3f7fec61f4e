"""Group commits: many small writes that arrive together share one transaction.

While one transaction runs, and for a moment after it, the next items gather, because beginning
and ending one costs as much as a few items. When a group fails, its items are tried one by one.
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
    def __init__(
        self,
        write: Callable[[list[Item]], Awaitable[list[Result]]],
        *,
        enough: int = 20,
        most: int = 20,
        weigh: Callable[[Item], int] = lambda _: 1,
        lanes: int = 1,
        gather_s: float = 0.0,
    ) -> None:
        """Begin when ``enough`` items wait; write as many as weigh ``most`` together."""
        self._write = write
        self._enough = enough
        self._most = most
        self._weigh = weigh
        self._gather_s = gather_s
        self._ended_at = -gather_s
        self._is_enough = asyncio.Event()
        self._was_last = False
        self._free_lanes = lanes
        self._waiting: deque[tuple[Item, asyncio.Future[Result]]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def put(self, item: Item, *, last: bool = False) -> Result:
        """Write one item with whoever else is waiting; after the ``last`` none comes."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        self._was_last = last
        if last or len(self._waiting) >= self._enough:
            self._is_enough.set()
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
                group: list[tuple[Item, asyncio.Future[Result]]] = []
                weight = 0
                # Another lane may have taken all of them meanwhile.
                while self._waiting:
                    weight += self._weigh(self._waiting[0][0])
                    if group and weight > self._most:
                        break
                    group.append(self._waiting.popleft())
                if group:
                    await self._commit(group)
                    self._ended_at = asyncio.get_running_loop().time()
        finally:
            self._free_lanes += 1
            if self._waiting:
                # A bug ended this round; who waits still gets an answer.
                self._start()

    async def _gather(self) -> None:
        loop = asyncio.get_running_loop()
        wait_s = self._ended_at + self._gather_s - loop.time()
        if wait_s > 0 and len(self._waiting) < self._enough and not self._was_last:
            self._is_enough.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._is_enough.wait()

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


def _refuse(group: list[tuple[Item, asyncio.Future[Result]]], error: BaseException) -> None:
    for _, done in group:
        if not done.done():
            done.set_exception(error)
