"""One child process of the fallback, seen from its parent."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, cast

import msgspec

from feedloom.parse.fallback.frames import Reply, Request
from feedloom.processes import command, environment, read_frame, write_frame

_START_S = 30.0
_GRACE_S = 1.0
_MODULE = "feedloom.parse.fallback.child"


class ChildGone(Exception):
    """The process ended before it took the request."""


class Child:
    """A process that reads one document at a time, for one thread at a time."""

    def __init__(self, memory_bytes: int) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            command(_MODULE, str(memory_bytes)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            start_new_session=True,
        )
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._replies = cast("IO[bytes]", self._process.stdout)
        self._lock = threading.Lock()
        self._ready = False
        self._busy = False
        self._spent = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: Request, deadline_s: float) -> Reply | None:
        """Return the reply, or None when none came in time.

        Raises ``ChildGone`` when the process had ended before.
        """
        frame = self._exchange(msgspec.msgpack.encode(request), deadline_s)
        if frame is None:
            self._spent = True
            return None
        reply = msgspec.msgpack.decode(frame, type=Reply)
        # It is about to end, though for a moment it still looks alive.
        self._spent = self._spent or reply.spent
        return reply

    def _exchange(self, request: bytes, deadline_s: float) -> bytes | None:
        try:
            if not self._ready:
                # Starting is our time, not the document's.
                with self._deadline(_START_S):
                    self._ready = read_frame(self._replies) is not None
            with self._deadline(deadline_s):
                write_frame(self._requests, request)
                return read_frame(self._replies)
        except (OSError, ValueError) as error:
            if self._spent:
                return None
            self._spent = True
            raise ChildGone from error

    @contextmanager
    def _deadline(self, seconds: float) -> Iterator[None]:
        self._busy = True
        timer = threading.Timer(seconds, self._expire)
        timer.start()
        try:
            yield
        finally:
            with self._lock:
                self._busy = False
            timer.cancel()

    def is_usable(self) -> bool:
        """Tell whether the process may be asked again."""
        return not self._spent and self._process.poll() is None

    def close(self) -> None:
        """End the process: politely if it is idle, at once if it is not."""
        if self._busy or self._spent:
            self._process.kill()
        for pipe in (self._requests, self._replies):
            with suppress(OSError):
                pipe.close()
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _expire(self) -> None:
        # Under the lock, so that a reply in the last moment is not answered by death.
        with self._lock:
            if self._busy:
                self._spent = True
                self._process.kill()
