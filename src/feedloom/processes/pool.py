"""Child processes that read untrusted documents; each is killed if it takes too long.

Questions and answers are MessagePack in frames. The event loop never waits for a child;
children start when they are needed and end when nobody has asked for a while.
"""

import asyncio
from typing import TypeVar, cast

import msgspec

from feedloom.processes import LENGTH, command, environment, framed

_ANSWERS_PER_PROCESS = 1_000
_START_S = 20.0
_IDLE_S = 20.0
_MAX_ANSWER = 50_000_000
_BUFFER = 1 << 20


Answer = TypeVar("Answer")


class ChildFailed(Exception):
    """The child died, took too long or answered nonsense."""


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.answers = 0

    @classmethod
    async def start(cls, module: str, *words: str) -> "_Child":
        process = await asyncio.create_subprocess_exec(
            *command(module, *words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment(),
            start_new_session=True,
            limit=_BUFFER,
        )
        return cls(process)

    @property
    def is_usable(self) -> bool:
        return self._process.returncode is None and self.answers < _ANSWERS_PER_PROCESS

    async def ask(self, question: bytes) -> bytes:
        writer = cast("asyncio.StreamWriter", self._process.stdin)
        reader = cast("asyncio.StreamReader", self._process.stdout)
        writer.write(framed(question))
        await writer.drain()
        size = int.from_bytes(await reader.readexactly(LENGTH))
        if size > _MAX_ANSWER:
            raise EOFError
        answer = await reader.readexactly(size)
        self.answers += 1
        return answer

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        if self._process.returncode is None:
            self._process.kill()
        writer = cast("asyncio.StreamWriter", self._process.stdin)
        writer.close()
        await self._process.wait()


class ProcessPool:
    """At most ``size`` children that run ``module``; each answers one question at a time."""

    def __init__(self, module: str, *words: str, size: int, deadline_s: float) -> None:
        self._command = (module, *words)
        self._places = asyncio.Semaphore(size)
        self._deadline_s = deadline_s
        self._idle: list[_Child] = []
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None
        self.asked = 0
        """Number of questions waiting for an answer."""

    async def ask(self, question: msgspec.Struct, answer: type[Answer]) -> Answer:
        """Return the answer within the deadline; raise ``ChildFailed``."""
        sent = msgspec.msgpack.encode(question)
        self.asked += 1
        try:
            async with self._places:
                return await self._ask(sent, answer)
        finally:
            self.asked -= 1
            self._end_later()

    async def _ask(self, question: bytes, answer: type[Answer]) -> Answer:
        child = await self._next_child()
        try:
            return await self._ask_child(child, question, answer)
        except ChildFailed as error:
            if not child.answers or isinstance(error.__cause__, TimeoutError):
                raise
        # It may have died while it was idle.
        return await self._ask_child(await self._next_child(), question, answer)

    async def _ask_child(self, child: _Child, question: bytes, answer: type[Answer]) -> Answer:
        # The first question also waits for the interpreter and its libraries.
        patience = self._deadline_s + (0 if child.answers else _START_S)
        try:
            async with asyncio.timeout(patience):
                found = msgspec.msgpack.decode(await child.ask(question), type=answer)
        except (TimeoutError, EOFError, OSError, msgspec.MsgspecError) as error:
            await child.end()
            raise ChildFailed(type(error).__name__) from error
        except BaseException:
            # Cancelled in the middle of an answer, which must not be read as the next one.
            await child.end()
            raise
        self._idle.append(child)
        return found

    async def _next_child(self) -> _Child:
        while self._idle:
            child = self._idle.pop()
            if child.is_usable:
                return child
            await child.end()
        try:
            return await _Child.start(*self._command)
        except OSError as error:
            raise ChildFailed(str(error)) from error

    def _end_later(self) -> None:
        self._stop_timer()
        if not self.asked:
            self._timer = asyncio.get_running_loop().call_later(_IDLE_S, self._end_idle)

    def _end_idle(self) -> None:
        self._ending = asyncio.create_task(self._end_children())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _end_children(self) -> None:
        while self._idle:
            await self._idle.pop().end()

    async def close(self) -> None:
        self._stop_timer()
        await self._end_children()
        if self._ending is not None:
            await self._ending
