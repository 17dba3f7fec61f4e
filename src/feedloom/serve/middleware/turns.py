"""Turns: of what one person reads, a few answers at once are made and sent.

The others wait. So one person's lists neither keep the database from everybody else nor
fill the memory with answers that their program does not take. Each session and app has
less than all of the turns: one that takes long leaves some to the others.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, HTTPConnection

from feedloom.model.errors import Throttled
from feedloom.serve.auth import Actor

AT_ONCE = 12
AT_ONCE_EACH = 6
"""Of one session, app password or shared view."""
MOST_WAITING = 100
_RETRY_S = 5


class Turns:
    def __init__(self) -> None:
        self._lanes: dict[str, asyncio.Semaphore] = {}
        self._asked: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, who: str, most: int) -> AsyncIterator[None]:
        """Wait for a turn; ``Throttled`` when too many wait for theirs already."""
        if self._asked[who] >= most + MOST_WAITING:
            raise Throttled(
                "Too many requests at once. Try again in a moment.", retry_after_s=_RETRY_S
            )
        self._asked[who] += 1
        lane = self._lanes.setdefault(who, asyncio.Semaphore(most))
        try:
            async with lane:
                yield
        finally:
            self._asked[who] -= 1
            if not self._asked[who]:
                del self._asked[who], self._lanes[who]


async def take_turn(request: HTTPConnection, user_id: int, credential: str) -> None:
    """Wait until something of a person may be read. The turn ends when it was answered."""
    state = request.scope["state"]
    if not state.get("has_turn"):
        state["has_turn"] = True
        turns, until_answered = state["turns"], state["until_answered"]
        await until_answered.enter_async_context(turns.of(credential, AT_ONCE_EACH))
        await until_answered.enter_async_context(turns.of(f"user {user_id}", AT_ONCE))
        if state.get("is_gone"):
            raise ClientDisconnect


async def take_turn_of(request: HTTPConnection, found: Actor) -> None:
    """Wait for a turn of whoever asks."""
    session, app = found.session, found.app_password
    key = f"session {session.token_hash}" if session else f"app {app.id if app else ''}"
    await take_turn(request, found.user.id, key)
