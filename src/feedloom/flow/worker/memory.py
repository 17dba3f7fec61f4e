"""One memory budget for all responses in progress.

The fetcher asks before it keeps more of a body than a beginning. When nothing is left,
responses wait in the order they asked, and one of them may go on beyond the budget: each
alone stays within its own limit, so the work always goes on.
"""

from __future__ import annotations

import asyncio
from collections import deque


class MemoryBudget:
    def __init__(self, size: int) -> None:
        self.left = size
        self._waiting: deque[tuple[ResponseRoom, int, asyncio.Future[None]]] = deque()
        self._beyond: ResponseRoom | None = None
        """Who may go on although nothing is left."""

    def room(self) -> ResponseRoom:
        return ResponseRoom(self)

    def take(self, room: ResponseRoom, size: int) -> asyncio.Future[None] | None:
        if self._may_take(room, size) and (not self._waiting or room is self._beyond):
            self._give(room, size)
            return None
        granted = asyncio.get_running_loop().create_future()
        self._waiting.append((room, size, granted))
        return granted

    def free(self, room: ResponseRoom) -> None:
        self.left += room.held
        room.held = 0
        if self._beyond is room:
            self._beyond = None
        while self._waiting:
            waiting, size, granted = self._waiting[0]
            if not granted.done():
                if not self._may_take(waiting, size):
                    return
                self._give(waiting, size)
                granted.set_result(None)
            self._waiting.popleft()

    def _may_take(self, room: ResponseRoom, size: int) -> bool:
        return size <= self.left or self._beyond in {None, room}

    def _give(self, room: ResponseRoom, size: int) -> None:
        if size > self.left:
            self._beyond = room
        self.left -= size
        room.held += size


class ResponseRoom:
    """The part of the budget that one response holds; a ``Room``."""

    def __init__(self, budget: MemoryBudget) -> None:
        self._budget = budget
        self.held = 0

    def take(self, size: int) -> asyncio.Future[None] | None:
        return self._budget.take(self, size)

    def free(self) -> None:
        """Give everything back."""
        self._budget.free(self)
