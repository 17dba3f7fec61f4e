"""Host names to addresses, on threads of their own.

The event loop's default threads are few and shared, so that a handful of names whose
servers hang would stop everybody. These threads are many, and daemons: a lookup that
hangs never delays a shutdown.
"""

import asyncio
import socket
import threading
from collections.abc import Callable
from queue import SimpleQueue

_Job = tuple[str, asyncio.AbstractEventLoop, asyncio.Future[list[str]]]


class LookupThreads:
    """The system's resolver, at most ``limit`` questions at once."""

    def __init__(self, limit: int, ask: Callable[[str], list[str]] | None = None) -> None:
        self._limit = limit
        self._ask = ask or _ask_system
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._started = 0
        self._unanswered = 0

    async def __call__(self, host: str) -> list[str]:
        """Return the addresses of a host name in the order the system prefers.

        Raises ``OSError`` when there are none.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()
        self._unanswered += 1
        if self._started < min(self._unanswered, self._limit):
            self._started += 1
            threading.Thread(target=self._work, name=f"lookup-{self._started}", daemon=True).start()
        self._jobs.put((host, loop, answer))
        return await answer

    def close(self) -> None:
        """Let the threads end when they have nothing left to do."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            host, loop, answer = job
            result: list[str] | OSError = []
            # Nobody waits any more for a lookup whose deadline passed in the queue.
            if not answer.cancelled():
                try:
                    result = self._ask(host)
                except OSError as error:
                    result = error
                except UnicodeError:
                    # What the system's own reading of names cannot even spell.
                    result = socket.gaierror(socket.EAI_NONAME, "not a host name")
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._hand_back, answer, result)

    def _hand_back(self, answer: asyncio.Future[list[str]], result: list[str] | OSError) -> None:
        self._unanswered -= 1
        if answer.done():
            return
        if isinstance(result, OSError):
            answer.set_exception(result)
        else:
            answer.set_result(result)


def _ask_system(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(sockaddr[0]) for _, _, _, _, sockaddr in found]
