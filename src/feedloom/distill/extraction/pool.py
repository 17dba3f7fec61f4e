"""A few child processes that read pages, each killed when it takes too long.

Pages go in, the fields of articles come out, or ``DistillError``. The event loop never
waits for a page, and no page outlives its deadline.
"""

import asyncio
from typing import cast

import msgspec

from feedloom.distill.extraction.child import Page
from feedloom.model.errors import DistillError
from feedloom.processes import LENGTH, command, environment, framed

_PAGES_PER_PROCESS = 200
_START_S = 20.0
_MAX_ANSWER = 16_000_000


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pages = 0

    @classmethod
    async def start(cls) -> "_Child":
        process = await asyncio.create_subprocess_exec(
            *command("feedloom.distill.extraction.child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment(),
            start_new_session=True,
        )
        return cls(process)

    async def ask(self, page: Page) -> dict[str, str]:
        self.pages += 1
        writer = cast("asyncio.StreamWriter", self._process.stdin)
        reader = cast("asyncio.StreamReader", self._process.stdout)
        writer.write(framed(msgspec.msgpack.encode(page)))
        await writer.drain()
        size = int.from_bytes(await reader.readexactly(LENGTH))
        if size > _MAX_ANSWER:
            raise DistillError(detail="extraction answered too much")
        return msgspec.msgpack.decode(
            await reader.readexactly(size), type=dict[str, str]
        )

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        if self._process.returncode is None:
            self._process.kill()
        writer = cast("asyncio.StreamWriter", self._process.stdin)
        writer.close()
        await self._process.wait()


class ChildPool:
    """At most ``size`` children; each answers one page at a time."""

    def __init__(self, *, size: int = 1, deadline_s: float = 20.0) -> None:
        self._places = asyncio.Semaphore(size)
        self._deadline_s = deadline_s
        self._idle: list[_Child] = []

    async def read(
        self, url: str, charset: str, body: bytes, *, selector: str = ""
    ) -> dict[str, str]:
        """Extract one page's article within the deadline; raise ``DistillError``."""
        async with self._places:
            child = self._idle.pop() if self._idle else await _Child.start()
            # The first page also waits for the interpreter and its libraries.
            patience = self._deadline_s + (0 if child.pages else _START_S)
            try:
                async with asyncio.timeout(patience):
                    found = await child.ask(Page(url, charset, body, selector))
            except (TimeoutError, EOFError, OSError, msgspec.MsgspecError) as error:
                await child.end()
                raise DistillError(
                    "The page could not be read.", detail=type(error).__name__
                ) from error
            except BaseException:
                # Cancelled in the middle of a page: its answer must not be the next's.
                await child.end()
                raise
            await self._keep(child)
            return found

    async def _keep(self, child: _Child) -> None:
        if child.pages < _PAGES_PER_PROCESS:
            self._idle.append(child)
        else:
            await child.end()

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().end()
