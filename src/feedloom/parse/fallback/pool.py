"""A pool of child processes that read what the fast path is unsure about.

Children are started when first needed and kept. One that takes too long, or dies, is
replaced, and its document is reported as damaged. Usable from several threads.
"""

import dataclasses
import math
import threading
from contextlib import suppress
from datetime import datetime
from queue import LifoQueue
from types import TracebackType
from typing import Self

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.parse.fallback.frames import Reply, Request
from feedloom.parse.fallback.limits import bounded
from feedloom.parse.fallback.process import Child, ChildGone

DEADLINE_S = 5.0
_TRIES = 2
MEMORY_BYTES = 256 * 1024 * 1024


class FallbackPool:
    """Reads documents by guessing, in processes that cannot harm this one.

    ``close`` ends all children, also those at work; reading afterwards is a bug.
    """

    def __init__(
        self,
        *,
        children: int = 1,
        deadline_s: float = DEADLINE_S,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._deadline_s = deadline_s
        self._memory_bytes = memory_bytes
        self._idle: LifoQueue[Child | None] = LifoQueue()
        for _ in range(children):
            self._idle.put(None)
        self._lock = threading.Lock()
        self._all: set[Child] = set()
        self._closed = False

    def read(
        self, body: bytes, *, url: str, content_type: str, now: datetime
    ) -> ParsedFeed:
        """Read a document; raise ``NotAFeed`` or ``ParseError``."""
        within, cut = bounded(body)
        alarm_s = math.ceil(self._deadline_s) + 1
        request = Request(within, url, content_type, now, alarm_s)
        reply = self._ask(request)
        if reply is None:
            raise ParseError("The document is too complicated to be read as a feed.")
        if reply.kind:
            raise NotAFeed(reply.message, kind=reply.kind)
        if reply.feed is None:
            raise ParseError(reply.message)
        return dataclasses.replace(reply.feed, truncated=reply.feed.truncated or cut)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            children = list(self._all)
            self._all.clear()
        for child in children:
            child.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, request: Request) -> Reply | None:
        child = self._idle.get()
        try:
            for _ in range(_TRIES):
                child = self._usable(child)
                # One that died while idle says nothing about this document.
                with suppress(ChildGone):
                    return child.ask(request, self._deadline_s)
            return None
        finally:
            self._idle.put(child)

    def _usable(self, child: Child | None) -> Child:
        with self._lock:
            if child is not None:
                if child.is_usable():
                    return child
                self._all.discard(child)
                child.close()
            if self._closed:
                msg = "the pool is closed"
                raise RuntimeError(msg)
            child = Child(self._memory_bytes)
            self._all.add(child)
            return child
