"""Answers kept while nothing changed: rows are read and written out once.

In: who asks for what, and how to find it. Out: the answer, from memory if the store is
the very same as when it was written. Comes after the gate: who somebody is and what
they may is found out anew each time, and the version of the store with it. Nothing is
kept that depends on the hour; such answers name what else they depend on.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import cast
from weakref import WeakValueDictionary

from prometheus_client import Counter
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.ports import Sight
from feedloom.serve.auth import actor
from feedloom.serve.wire.speaking import Written, answer_written, write

HITS = Counter("feedloom_list_hits", "Lists answered from memory: nothing had changed.")
MOST_BYTES = 8_000_000
_KEY_BYTES = 500
"""What a key and its place take besides its query."""

Key = tuple[int, str, bytes, Hashable]
"""Person, path, query, and what else an answer depends on."""


class Kept:
    """Answers of one version of the store; those not asked for lately go first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._answers: OrderedDict[Key, Written] = OrderedDict()
        self._version: Hashable | None = None
        self._turns: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()
        self.size = 0

    def find(self, version: Hashable | None, key: Key) -> Written | None:
        """Return the answer that was written of this version."""
        if version is None or version != self._version:
            return None
        found = self._answers.get(key)
        if found is not None:
            self._answers.move_to_end(key)
        return found

    def keep(self, version: Hashable, key: Key, answer: Written) -> None:
        """Keep an answer; those of any other version are let go."""
        if version != self._version:
            self._answers.clear()
            self._version, self.size = version, 0
        if key not in self._answers:
            self._answers[key] = answer
            self.size += _size(key, answer)
        while self.size > self._most_bytes:
            self.size -= _size(*self._answers.popitem(last=False))

    def turn(self, key: Key) -> asyncio.Lock:
        """Return what whoever writes an answer holds, until it is kept."""
        turn = self._turns.get(key)
        if turn is None:
            turn = self._turns[key] = asyncio.Lock()
        return turn


def _size(key: Key, answer: Written) -> int:
    return len(key[1]) + len(key[2]) + len(answer.body) + _KEY_BYTES


async def answer_kept(
    request: Request,
    find: Callable[[Request], Awaitable[object]],
    *,
    depends_on: Hashable = None,
) -> Response:
    """Answer with what is found, or with what was found when all was as it is now."""
    sight = cast("Sight", request.state.sight)
    kept = cast("Kept", request.scope["app"].kept)
    scope = request.scope
    key = (actor(request).user.id, scope["path"], scope["query_string"], depends_on)
    answer = kept.find(sight.version, key)
    if answer is not None:
        HITS.inc()
        return answer_written(request, answer)
    if sight.version is None:
        return answer_written(request, write(await find(request)))
    # Of many who ask at once one writes, and the others are given the same.
    async with kept.turn(key):
        answer = kept.find(sight.version, key)
        if answer is None:
            answer = write(await find(request))
            # Without a version now, something was committed between two of the reads.
            if sight.version is not None:
                kept.keep(sight.version, key, answer)
        else:
            HITS.inc()
    return answer_written(request, answer)
