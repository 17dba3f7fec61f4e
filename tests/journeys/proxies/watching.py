"""What a process reaches: every connection and every name that is looked up.

The servers of tests run on threads of the test's own process and on asyncio's own loop,
which goes through these two functions for all it does.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass(slots=True)
class Reached:
    """Where connections went to, and which names were asked for."""

    ports: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reached]:
    """Note what is reached for as long as the block lasts; unix sockets are no network."""
    reached = Reached()
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def noted(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple):
            reached.ports.add(address[1])
        connect(self, address)

    def looked_up(host: Any, *rest: Any, **more: Any) -> Any:
        reached.names.add(str(host))
        return look_up(host, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(socket.socket, "connect", noted)
        patch.setattr(socket, "getaddrinfo", looked_up)
        yield reached
