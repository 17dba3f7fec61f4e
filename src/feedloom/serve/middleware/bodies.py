"""Request bodies: limits on size, slowness and number at a time.

A body is read when its endpoint asks for it, which is after the sender was identified.
Strangers may send little. What unfinished and unanswered requests hold is counted for
each sender and for all, so that memory stays bounded whoever sends whatever.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import ClassVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope

from feedloom.model.errors import Throttled, TooMuchSent
from feedloom.serve.auth import Actor
from feedloom.serve.origin import client_network
from feedloom.serve.routes import Route

MOST_UNFINISHED = 64
"""Bodies that one sender may have on the way."""
MOST_HELD_STRANGERS = 64 * 1_048_576
"""Bytes of bodies in memory. One sender may have as many as are left for all others."""
MOST_HELD_KNOWN = 64 * 1_048_576
_RETRY_S = 5
_BUSY = "Too many unfinished requests. Try again in a moment."


@dataclass(slots=True)
class Intake:
    unfinished: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    held_by: Counter[bool] = field(default_factory=Counter)
    """By those who are known, and by strangers."""

    def begin(self, sender: str) -> None:
        """Count a body that begins to arrive; ``Throttled`` if there are too many."""
        if self.unfinished[sender] >= MOST_UNFINISHED:
            raise Throttled(_BUSY, retry_after_s=_RETRY_S)
        self.unfinished[sender] += 1

    def finish(self, sender: str) -> None:
        _subtract(self.unfinished, sender, 1)

    def hold(self, sender: str, size: int, *, known: bool) -> None:
        """Count bytes that stay in memory; ``Throttled`` if there are too many."""
        most = MOST_HELD_KNOWN if known else MOST_HELD_STRANGERS
        if self.held[sender] + size > most - self.held_by[known] - size:
            raise Throttled(_BUSY, retry_after_s=_RETRY_S)
        self.held[sender] += size
        self.held_by[known] += size

    def release(self, sender: str, size: int, *, known: bool) -> None:
        _subtract(self.held, sender, size)
        self.held_by[known] -= size


def _subtract(counter: Counter[str], key: str, number: int) -> None:
    counter[key] -= number
    if counter[key] <= 0:
        del counter[key]


class Body:
    grace_s: ClassVar[float] = 10.0
    slowest_bytes_s: ClassVar[int] = 4_096
    """What a body must bring on average, after a while of grace."""
    longest_s: ClassVar[float] = 30.0
    longest_bytes_s: ClassVar[int] = 50_000
    """What the largest body of a route must bring on average, to be over in time."""

    def __init__(self, receive: Receive, scope: Scope, route: Route, intake: Intake) -> None:
        self._receive = receive
        self._scope = scope
        self._route = route
        self._intake = intake
        self._sender = ""
        self._known = False
        self._is_unfinished = False
        self._limit = 0
        self._taken = 0
        self._held = 0
        self._began = 0.0

    async def receive(self) -> Message:
        """Return the next part: an ASGI ``receive``."""
        if not self._sender:
            self._begin()
        try:
            async with asyncio.timeout_at(self._deadline()):
                message = await self._receive()
        except TimeoutError as error:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from error
        size = len(message.get("body", b""))
        self._taken += size
        if self._taken > self._limit:
            raise TooMuchSent
        self._intake.hold(self._sender, size, known=self._known)
        self._held += size
        if not message.get("more_body", False):
            self._finish()
        return message

    def close(self) -> None:
        self._finish()
        if self._held:
            self._intake.release(self._sender, self._held, known=self._known)
            self._held = 0

    def _begin(self) -> None:
        self._sender, self._known = _sender(self._scope)
        limit = self._route.body_limit
        self._limit = limit if self._known else min(limit, self._route.stranger_limit)
        for name, value in self._scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._limit:
                raise TooMuchSent
        self._began = asyncio.get_running_loop().time()
        self._intake.begin(self._sender)
        self._is_unfinished = True

    def _finish(self) -> None:
        if self._is_unfinished:
            self._is_unfinished = False
            self._intake.finish(self._sender)

    def _deadline(self) -> float:
        return self._began + min(
            self.grace_s + self._taken / self.slowest_bytes_s,
            self.longest_s + self._limit / self.longest_bytes_s,
        )


def expect_body(request: HTTPConnection, sender: str) -> None:
    """Let a sender without an account, who proved itself otherwise, send more."""
    request.scope["state"]["sender"] = sender


def _sender(scope: Scope) -> tuple[str, bool]:
    state = scope.get("state", {})
    found = state.get("actor")
    if isinstance(found, Actor):
        return f"user {found.user.id}", True
    if "sender" in state:
        return f"sender {state['sender']}", True
    return f"address {client_network(HTTPConnection(scope))}", False
