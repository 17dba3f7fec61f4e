"""The slots of a loop: what is under way, and how much more may start.

    waiting (-> slow) (-> growing) -> holding

Whoever waits for a stranger's answer needs next to nothing of us. So what has waited much
longer than others do is *slow*, and takes no slot any more. Of what started a moment ago
some will be slow as well; how many is known from what started before, and so many more
are started at once. Hosts that hang cost the others next to nothing this way, and while
all answer as usual no more are asked at once than there are slots.

Memory is what is short in the end. An answer that is whole is *holding* a slot until its
job ends. One of which more than a beginning came is *growing*, and takes no slot meanwhile:
``growing`` tells how far it may. So ten megabytes that take half a minute to come keep
nobody waiting either. Others that would grow wait unread: they take slots while those
before them come in well, and none while those only stall, up to a bound.

While most slots are held we are short of time: answers wait for a processor.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from feedloom.flow.worker.growing import Growing

_SLOW = 5.0
"""Slow is what takes so many times as long as half of the answers do."""
_USUAL_S = (0.008, 1.0)
"""What may be usual."""
_STEP = 1.1
"""By so much an answer moves what is usual: that stays where half of them are quicker."""
_REMEMBERED = 1_024
"""Starts that tell how many are slow."""
_CAUTION = 2.0
"""Slow ones come in clumps: so many times as many are expected."""
_WAIT_FOR_EACH = 32
"""How many may wait for each slot there is."""
_WAIT_WHEN_SLOW = 4
"""The same while most are slow: then it may be our own line that is."""
_UNREAD_FOR_EACH = 8
"""How many answers that would grow may lie unread for each slot, when they may."""
_GROWN_S = 1.0
"""So soon after an answer began to grow it is grown, if its host does not stall."""


def most_waiting(slots: int, open_files: int) -> int:
    """Tell how many may wait at once: each of them is an open connection."""
    return max(slots, min(_WAIT_FOR_EACH * slots, open_files // 2))


@dataclass(slots=True)
class Slots:
    """Tells how many jobs may start. Where none may wait, each holds a slot at once."""

    size: int
    most_waiting: int = 0
    clock: Callable[[], float] = time.monotonic
    waiting: dict[str, float] = field(default_factory=dict)
    """Those that may be answered any moment, and since when they wait."""
    slow: set[str] = field(default_factory=set)
    growing: Growing = field(init=False)
    holding: set[str] = field(default_factory=set)
    _usual_s: float = 0.2
    _starts: deque[tuple[float, str]] = field(default_factory=deque)
    """What started so lately that it cannot be slow, whether it waits still or not."""
    _prompt: float = 1.0
    _late: float = 0.0
    """Of what started before: how many were slow, and how many were not."""
    _whole: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    """Whose answer is there, and waits for a slot."""
    _grown_at: float = -inf
    """When one was last grown that did not take long."""

    def __post_init__(self) -> None:
        """Let answers grow as quickly as there is time."""
        self.growing = Growing(self.size, self._busy, self.clock)

    def start(self, token: str) -> None:
        """Note that a job starts."""
        if self.most_waiting:
            now = self.clock()
            self.waiting[token] = now
            self._starts.append((now, token))
        else:
            self.holding.add(token)

    def turn(self, token: str, *, whole: bool) -> asyncio.Future[None] | None:
        """Give room for an answer, or something to wait for."""
        if token in self.holding:
            return None
        if token in self.growing:
            return self.growing.ask(token)
        self._note_answer(token)
        self._forget(token)
        if not whole:
            return self.growing.ask(token)
        if len(self.holding) < self.size:
            self.holding.add(token)
            return None
        granted = self._whole[token] = asyncio.get_running_loop().create_future()
        return granted

    def hold(self, token: str, *, came: bool = True) -> None:
        """Note that a job is worked on from now on, whether there is room or not.

        ``came`` tells whether its answer did.
        """
        if token in self.holding:
            return
        now, since = self.clock(), self.growing.since(token)
        if came and since is not None and now - since < _GROWN_S:
            self._grown_at = now
        self._note_answer(token)
        self._forget(token)
        self.holding.add(token)
        self._grant()

    def leave(self, token: str) -> None:
        """Note that a job needs no slot any more."""
        self._forget(token)
        self.holding.discard(token)
        self._grant()

    def free(self) -> int:
        """Tell how many jobs may start."""
        self._look()
        share = self._late / (self._late + self._prompt)
        slow_soon = round(_CAUTION * share * len(self._starts))
        free = self.size - self._at_work - max(0, len(self.waiting) - slow_soon)
        unread = self.growing.unread
        if unread and self.clock() - self._grown_at < _GROWN_S:
            free -= unread
        if not self.most_waiting:
            return free
        most = self.most_waiting
        if self._late > self._prompt:
            most = min(most, _WAIT_WHEN_SLOW * self.size)
        more_unread = _UNREAD_FOR_EACH * self.size - unread
        return min(free, more_unread, most - self.under_way + self._at_work)

    @property
    def under_way(self) -> int:
        """How many jobs there are."""
        silent = len(self.waiting) + len(self.slow)
        return self._at_work + silent + len(self.growing)

    @property
    def lively(self) -> int:
        """How many jobs may end in a moment."""
        return self._at_work + len(self.waiting)

    def next_slow_s(self) -> float:
        """Tell when more may start although nothing has ended."""
        if not self._starts:
            return inf
        return self._starts[0][0] + self._slow_s - self.clock()

    @property
    def _at_work(self) -> int:
        return len(self.holding) + len(self._whole)

    @property
    def _slow_s(self) -> float:
        return _SLOW * self._usual_s

    def _note_answer(self, token: str) -> None:
        """Learn how long answers take: half of them less than is usual, half of them more."""
        since = self.waiting.get(token)
        least, most = _USUAL_S
        if since is not None and self.clock() - since < self._usual_s:
            self._usual_s = max(least, self._usual_s / _STEP)
        elif since is not None or token in self.slow:
            self._usual_s = min(most, self._usual_s * _STEP)

    def _look(self) -> None:
        """Look what became of those that started a while ago."""
        before = self.clock() - self._slow_s
        while self._starts and self._starts[0][0] <= before:
            _, token = self._starts.popleft()
            if self.waiting.pop(token, None) is None:
                self._prompt += 1
            else:
                self.slow.add(token)
                self._late += 1
            if self._late + self._prompt > _REMEMBERED:
                self._late, self._prompt = self._late / 2, self._prompt / 2

    def _grant(self) -> None:
        while self._whole and len(self.holding) < self.size:
            token = next(iter(self._whole))
            granted = self._whole.pop(token)
            self.holding.add(token)
            if not granted.done():
                granted.set_result(None)

    def _busy(self) -> float:
        return self._at_work / self.size

    def _forget(self, token: str) -> None:
        if self.waiting.pop(token, None) is None:
            self.slow.discard(token)
        self.growing.leave(token)
        if (granted := self._whole.pop(token, None)) is not None:
            granted.cancel()
