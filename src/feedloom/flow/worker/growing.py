"""Answers of which more than a beginning came: they grow step by step, within bounds.

Whoever grows asks before each step, and waits unread until it is given one. Most large
answers need one step or two. Those go first, in the order they came; so many of them are
read at once as there are slots. What needs more is *heavy*, and may never end: only the
oldest few of those go on, so that few become large.

Steps cost time as well. They are given seldom while we are short of it, quickly while we
are not, and at once to those that are not heavy.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_LIGHT = 2
"""So many steps are nothing unusual."""
_BEGUN_FOR_EACH = 8
"""How many answers may have begun to grow for each slot there is."""
_HEAVY_OF_SLOTS = 8
"""For so many slots one of the heavy answers may go on."""
_LIGHT_S = (0.001, 0.03)
_HEAVY_S = (0.002, 0.1)
"""So long at least and at most until the next step is given."""


@dataclass(slots=True)
class _Part:
    """What an answer was given."""

    steps: int = 0
    since: float = 0.0
    """When it was given the last one."""

    @property
    def is_light(self) -> bool:
        return self.steps < _LIGHT


@dataclass(slots=True)
class Growing:
    """Tells whose answer may grow."""

    size: int
    """How many slots there are."""
    busy: Callable[[], float]
    """Tells how short of time we are, from 0 to 1."""
    clock: Callable[[], float] = time.monotonic
    _parts: dict[str, _Part] = field(default_factory=dict)
    """The oldest first."""
    _begun: int = 0
    """How many of them were given a step."""
    _waiting: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    _timer: asyncio.Handle | None = None
    _due_at: float = 0.0

    def __len__(self) -> int:
        """Tell how many grow, or would."""
        return len(self._parts)

    def __contains__(self, token: str) -> bool:
        """Tell whether an answer grows, or would."""
        return token in self._parts

    @property
    def unread(self) -> int:
        """How many wait for their first step."""
        return len(self._parts) - self._begun

    def since(self, token: str) -> float | None:
        """Tell when an answer was last given a step; None if it never was."""
        part = self._parts.get(token)
        return part.since if part is not None and part.steps else None

    def ask(self, token: str) -> asyncio.Future[None] | None:
        """Give a step, or something to wait for."""
        self._parts.setdefault(token, _Part())
        turn = self._waiting[token] = asyncio.get_running_loop().create_future()
        following = self._next()
        if following == token and self._pace_s(token) == _LIGHT_S[0]:
            self._give(token)
            return None
        self._set_timer(following)
        return turn

    def leave(self, token: str) -> None:
        """Forget an answer that came to its end, or never will."""
        part = self._parts.pop(token, None)
        if part is None:
            return
        if part.steps:
            self._begun -= 1
        if (turn := self._waiting.pop(token, None)) is not None:
            turn.cancel()
        if self._waiting:
            self._set_timer(self._next())

    def _next(self) -> str | None:
        """Return who is to grow now: a light one, or else one of the oldest others."""
        read = len(self._parts) - len(self._waiting)
        may_begin = self._begun < _BEGUN_FOR_EACH * self.size
        most_heavy = max(1, self.size // _HEAVY_OF_SLOTS)
        oldest = None
        for token, part in self._parts.items():
            waits = token in self._waiting
            if not part.is_light:
                most_heavy -= 1
                if waits and oldest is None and most_heavy >= 0:
                    oldest = token
            elif waits and read < self.size and (part.steps or may_begin):
                return token
        return oldest

    def _give(self, token: str) -> None:
        part, turn = self._parts[token], self._waiting.pop(token)
        if not part.steps:
            self._begun += 1
        part.steps += 1
        part.since = self.clock()
        if not turn.done():
            turn.set_result(None)

    def _pace_s(self, token: str) -> float:
        least_s, most_s = _LIGHT_S if self._parts[token].is_light else _HEAVY_S
        return max(least_s, most_s * self.busy() ** 2)

    def _set_timer(self, following: str | None) -> None:
        if following is None:
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + self._pace_s(following)
        if self._timer is not None:
            if self._due_at <= at:
                return
            self._timer.cancel()
        self._due_at = at
        self._timer = loop.call_at(at, self._step)

    def _step(self) -> None:
        self._timer = None
        if (token := self._next()) is not None:
            self._give(token)
            self._set_timer(self._next())
