"""A server process whose memory is measured, and publishers that misbehave.

    async with serving(settings) as server, Site(packed(PAGE)) as site:
        async with server.watched() as seen:        # another reader reads meanwhile
            await server.attacker.post("/feeds", json={"url": site.url("/1")})
        assert seen.peak_mb < MOST_MB and seen.answers

``serving`` runs ``feedloom serve`` as an operator does; its people are signed in.
"""

import asyncio
import gzip
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp

from feedloom.app import open_container
from feedloom.config import Settings
from tests.serving import Visitor

ROOT = Path(__file__).parents[2]
MOST_MB = 400
HOSTS = tuple(f"127.0.0.{number}" for number in range(1, 41))
PAGE = b"<!doctype html><title>x</title>" + b"<p>words and more words</p>\n" * 353_000
FEED = b"<rss version='2.0'><channel><title>x</title>" + b"<!-- so -->" * 890_000
"""Both of 9.9 MB; the feed never ends."""

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Site:
    """A publisher on loopback that treats every request the same way."""

    def __init__(self, behave: Behaviour) -> None:
        self.behave = behave
        self.asked = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self._was_asked = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        # Loopback alone, one port on all of its addresses.
        first = socket.create_server(("127.0.0.1", 0))
        self.port = first.getsockname()[1]
        others = [socket.create_server((host, self.port)) for host in HOSTS[1:]]
        self._servers = [
            await asyncio.start_server(self._serve, sock=one) for one in (first, *others)
        ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for server in self._servers:
            server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*(server.wait_closed() for server in self._servers))

    def url(self, path: str = "/", *, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    async def wait_for_request(self) -> None:
        """Wait for the next request."""
        self._was_asked.clear()
        await self._was_asked.wait()

    async def until_asked(self, times: int) -> None:
        """Wait for so many requests in all."""
        while self.asked < times:
            await self.wait_for_request()

    async def answer(self, path: str, writer: asyncio.StreamWriter) -> None:  # noqa: ARG002 - for others
        """Answer a request."""
        await self.behave(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            self.asked += 1
            self._was_asked.set()
            await self.may_answer.wait()
            await self.answer(head.split()[1].decode(), writer)
        self._writers.discard(writer)
        writer.close()


def packed(body: bytes, kind: str = "text/html") -> Behaviour:
    """Answer with a body that is small on the wire."""
    small = gzip.compress(body)
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Encoding: gzip\r\n"
        f"Content-Length: {len(small)}\r\nConnection: close\r\n\r\n"
    ).encode()

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(head + small)
        await writer.drain()

    return behave


@dataclass(slots=True)
class Seen:
    """What was measured while somebody attacked."""

    before_mb: float
    peak_mb: float = 0.0
    after_mb: float = 0.0
    answers: list[int] = field(default_factory=list)
    """What another reader was answered meanwhile."""


@dataclass(slots=True)
class Served:
    """A server process with people."""

    url: str
    process: Process
    people: list[Visitor]
    reader: Visitor
    secret: str
    """An app password of the first of the people."""

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[Seen]:
        """Measure what the block does; another reader reads meanwhile."""
        pid = self.process.pid
        forget_peak(pid)
        seen = Seen(memory_mb(pid, "VmRSS"))
        reading = asyncio.create_task(self._read(seen))
        try:
            yield seen
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        seen.peak_mb = memory_mb(pid, "VmHWM")
        seen.after_mb = memory_mb(pid, "VmRSS")

    async def _read(self, seen: Seen) -> None:
        while True:
            seen.answers.append((await self.reader.get("/feeds")).status)
            await asyncio.sleep(0.05)


@asynccontextmanager
async def serving(settings: Settings, *, people: int = 1) -> AsyncIterator[Served]:
    """Run the real command with its worker; its people are signed in."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    visitors, secret = await _settle(settings, url, people + 1)
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": settings.data_dir,
        "FEEDLOOM_DATABASE_URL": settings.database_url,
        "FEEDLOOM_WORKER_DATABASE_URL": settings.worker_database_url,
        "FEEDLOOM_BASE_URL": settings.base_url,
        "FEEDLOOM_ALLOW_NETWORKS": settings.allow_networks,
        "FEEDLOOM_HOST_DELAY": "0",
        "FEEDLOOM_DIRECTORY_CHECK": "off",
        "FEEDLOOM_LOG_LEVEL": "error",
        "FEEDLOOM_AI_TYPE": settings.ai_type,
        "FEEDLOOM_AI_BASE_URL": settings.ai_base_url,
        "FEEDLOOM_AI_API_KEY": "key",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "feedloom", "serve", "--port", str(port),
        cwd=ROOT, env=environment,
    )  # fmt: skip
    try:
        await until_answered(url)
        for visitor in visitors:
            visitor.token = (await visitor.get("/api/me")).json()["csrf_token"]
        yield Served(url, process, visitors[:-1], visitors[-1], secret)
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def _settle(settings: Settings, url: str, people: int) -> tuple[list[Visitor], str]:
    visitors, secrets = [], []
    async with open_container(settings) as container:
        for number in range(people):
            user = await container.accounts.store.create(f"r{number}@example.org", "-")
            signed = await container.accounts.sign_in(user, user_agent="x", address="::1")
            visitors.append(Visitor(url, cookies={"feedloom_session": signed.token}))
            secrets.append((await container.accounts.add_app_password(user, "app"))[1])
    return visitors, secrets[0]


async def until_answered(url: str) -> None:
    """Wait for a server that was just started."""
    async with aiohttp.ClientSession() as session:
        for _ in range(600):
            try:
                async with session.get(f"{url}/healthz") as reply:
                    if reply.status == 200:
                        return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
    raise TimeoutError(url)


def forget_peak(pid: int) -> None:
    """Let the peak of memory be what a process has now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def memory_mb(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(one.split()[1]) for one in lines if one.startswith(name)) / 1_024
