"""A language-model service on loopback: real HTTP, and every fault we can think of.

    async with ModelAPI() as api:
        api.script(says({"word": "ready"}))          # the last reply repeats
        api.script(Reply(status=500), says("{}"))    # first a fault, then an answer
        api.base_url                                 # http://127.0.0.1:…/v1
        api.calls                                    # every request that came in

A reply may be a function of the call, for a model that obeys what it reads.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.lines import hang_up

_HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the service does with one request."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Says nothing at all, for ever."""
    hangs_in_body: bool = False
    """Sends the head and then nothing."""
    drips: bool = False
    """Sends the body a byte at a time, for ever."""
    resets: bool = False
    """Closes the line without an answer."""
    claims_bytes: int | None = None
    """A ``Content-Length`` that is not the body's."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][1]["content"])


Behaviour = Reply | Callable[[Call], Reply]


def says(
    content: object,
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    usage: object = None,
    **message: object,
) -> Reply:
    """Answer with a chat completion; anything but text is written as JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    told = {"role": "assistant", "content": text, "refusal": refusal, **message}
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "test-model",
        "choices": [{"index": 0, "message": told, "finish_reason": finish_reason}],
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 20},
    }
    return Reply(body=json.dumps(document).encode())


def fails(status: int, *, code: str = "", message: str = "", **headers: str) -> Reply:
    """Answer with an error as providers write it."""
    body = {"error": {"message": message or "no", "type": "error", "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=json.dumps(body).encode(), headers=named)


class ModelAPI:
    """The service. Listens on 127.0.0.1 only, and ends with its block."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._script: list[Behaviour] = [says("{}")]
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def base_url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """Say what the next requests get; the last one repeats."""
        self._script = list(behaviours)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
        finally:
            try:
                await hang_up(writer)
            finally:
                self._running.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = await _read_call(reader)
        self.calls.append(call)
        behaviour = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        reply = behaviour if isinstance(behaviour, Reply) else behaviour(call)
        if reply.hangs:
            await asyncio.Event().wait()
        if not reply.resets:
            await _write(writer, reply)


async def _read_call(reader: asyncio.StreamReader) -> Call:
    head = (await reader.readuntil(_HEAD_END)).decode("latin-1")
    request, *lines = head.strip().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    exact = dict(line.split(": ", 1) for line in lines)
    headers |= {name.lower(): value for name, value in exact.items()}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Call(request.split(" ")[1], headers, json.loads(body or b"{}"))


async def _write(writer: asyncio.StreamWriter, reply: Reply) -> None:
    size = len(reply.body) if reply.claims_bytes is None else reply.claims_bytes
    size = 100_000 if reply.drips else size
    head = [
        f"HTTP/1.1 {reply.status} Scripted",
        f"Content-Length: {size}",
        "Content-Type: application/json",
        "Connection: close",
        *(f"{name}: {value}" for name, value in reply.headers.items()),
    ]
    writer.write("\r\n".join(head).encode() + _HEAD_END)
    await writer.drain()
    if reply.hangs_in_body:
        await asyncio.Event().wait()
    while reply.drips:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)
    writer.write(reply.body)
    await writer.drain()
