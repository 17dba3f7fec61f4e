"""Alarms: many times to come, of which most never do, on one timer of the event loop.

A timer for each would cost as much as writing a request. So one waits for the first of
all, and only when it rings are the others looked at.
"""

import asyncio
from collections.abc import Callable, Hashable
from math import inf
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Alarm(Generic[Key]):
    """Rings once for each key that is still set when its time has come."""

    def __init__(self, ring: Callable[[Key], None]) -> None:
        self._ring = ring
        self._due: dict[Key, float] = {}
        self._left_s: dict[Key, float] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._wakes_at = inf

    def set(self, key: Key, delay_s: float) -> None:
        """Ring for a key after so many seconds."""
        at = asyncio.get_running_loop().time() + delay_s
        self._due[key] = at
        if at < self._wakes_at:
            self._wake_at(at)

    def clear(self, key: Key) -> None:
        """Do not ring for a key, if it is set at all."""
        self._due.pop(key, None)
        self._left_s.pop(key, None)

    def pause(self, key: Key) -> None:
        """Let no time pass for a key that is set."""
        at = self._due.pop(key, None)
        if at is not None:
            self._left_s[key] = at - asyncio.get_running_loop().time()

    def resume(self, key: Key) -> None:
        """Let the rest of the time pass for a key, if it is paused."""
        left_s = self._left_s.pop(key, None)
        if left_s is not None:
            self.set(key, left_s)

    def _wake_at(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._wakes_at = at
        self._timer = asyncio.get_running_loop().call_at(at, self._look)

    def _look(self) -> None:
        self._timer, self._wakes_at = None, inf
        now = asyncio.get_running_loop().time()
        come = [key for key, at in self._due.items() if at <= now]
        for key in come:
            del self._due[key]
        if self._due:
            self._wake_at(min(self._due.values()))
        for key in come:
            self._ring(key)
