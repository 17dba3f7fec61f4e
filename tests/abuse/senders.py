"""Senders of bad requests, and the real server in a process whose memory is measured.

    async with serving(folder) as served:
        sender = await Sender.open(served.port, "127.0.0.7")
        await sender.send(head("POST", "/feeds", length=10**9))
        status = await sender.status()
        assert served.peak_mb() < 400

Everything stays on loopback; senders of other addresses use other addresses of it.
"""

import asyncio
import base64
import os
import socket
import sys
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from feedloom.app import open_container
from feedloom.processes import open_files
from feedloom.serve.application import all_routes
from feedloom.serve.routes import Access, Route
from tests.abuse.lab import memory_mb, until_answered
from tests.containers import settings_for
from tests.databases import sqlite_databases

ENOUGH = 40_000_000
"""Bytes after which a sender of an endless body stops: no route takes as many."""
_PART = b"x" * 65_536
_TRUSTING_S = 60.0
_BODIES = {"POST", "PUT", "PATCH", "DELETE"}


@dataclass(frozen=True, slots=True)
class Served:
    """The server, and the secrets of two people who have accounts there."""

    pid: int
    port: int
    reader: str
    other: str

    def peak_mb(self) -> float:
        """Tell the most memory the process had."""
        return memory_mb(self.pid, "VmHWM")

    async def reads(self, times: int, path: str = "/feeds") -> list[int]:
        """Read as the other person, one request after another; tell the statuses."""
        statuses = []
        connector = aiohttp.TCPConnector(local_addr=("127.0.0.99", 0), force_close=True)
        async with aiohttp.ClientSession(connector=connector) as session:
            for _ in range(times):
                url = f"http://127.0.0.1:{self.port}{path}"
                headers = {"Authorization": f"Bearer {self.other}"}
                async with session.get(url, headers=headers) as reply:
                    await reply.read()
                    statuses.append(reply.status)
        return statuses


@asynccontextmanager
async def serving(folder: Path, **more: str) -> AsyncIterator[Served]:
    """Run ``feedloom serve`` on a fresh SQLite database."""
    open_files()
    databases = sqlite_databases(folder)
    async with open_container(settings_for(databases, folder)) as container:
        secrets = []
        for name in ("reader", "other"):
            user = await container.accounts.store.create(f"{name}@example.org", "-")
            secrets.append((await container.accounts.add_app_password(user, name))[1])
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": str(folder),
        "FEEDLOOM_DATABASE_URL": databases.web_url,
        "FEEDLOOM_WORKER_DATABASE_URL": databases.worker_url,
        "FEEDLOOM_PORT": str(port),
        **more,
    }
    with (folder / "log.txt").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "feedloom", "serve", "--no-worker"),
            env=environment,
            stderr=log,
            stdout=log,
        )
    await until_answered(f"http://127.0.0.1:{port}")
    try:
        yield Served(process.pid, port, *secrets)
    finally:
        process.terminate()
        await process.wait()


def head(
    method: str,
    path: str,
    *,
    length: int | None = None,
    kind: str = "application/x-www-form-urlencoded",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Write the head of a request; without a length its body comes in chunks."""
    sized = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    lines = [f"{method} {path} HTTP/1.1", "Host: x", sized, f"Content-Type: {kind}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join((*lines, "", "")).encode()


class Sender:
    """One connection that sends what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._answer: asyncio.Task[bytes] | None = None

    @classmethod
    async def open(cls, port: int, address: str = "127.0.0.1") -> "Sender":
        """Connect from an address of loopback."""
        return cls(
            *await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0), limit=2**20)
        )

    async def send(self, data: bytes) -> bool:
        """Send; tell whether the server still listens and has not answered yet."""
        if self._answer is None:
            self._answer = asyncio.create_task(self._reader.read(12))
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError:
            return False
        return not self.is_answered

    @property
    def is_answered(self) -> bool:
        """Tell whether an answer came, or the server hung up."""
        return self._answer is not None and self._answer.done()

    async def send_parts(self, parts: Iterable[bytes], *, chunked: bool) -> None:
        """Send one part after another, until there is an answer."""
        for part in parts:
            data = b"%x\r\n%b\r\n" % (len(part), part) if chunked else part
            if not await self.send(data):
                return

    async def status(self) -> int:
        """Wait for the status; 0 when the server hung up without one."""
        assert self._answer is not None
        try:
            async with asyncio.timeout(_TRUSTING_S):
                line = await self._answer
        except ConnectionError:
            return 0
        return int(line.split()[1]) if line else 0

    async def close(self) -> None:
        """Hang up."""
        if self._answer is not None:
            self._answer.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await self._answer
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


SHAPES = ("large", "endless", "slow", "deep json", "deep xml", "many", "parts")


@dataclass(frozen=True, slots=True)
class Attack:
    """One bad request to one route."""

    route: Route
    method: str
    shape: str

    def __str__(self) -> str:
        return f"{self.method} {self.route.path} {self.shape}"

    async def run(self, port: int, address: str, headers: Mapping[str, str]) -> int:
        """Send it; tell the status, 0 for none."""
        sender = await Sender.open(port, address)
        try:
            path = _filled(self.route.path)
            kind, length, parts = _body(self.shape)
            start = head(self.method, path, length=length, kind=kind, headers=headers)
            await sender.send(start)
            await sender.send_parts(parts, chunked=length is None)
            if self.shape == "slow":
                # It was started and never ended: whoever reads meanwhile must not mind.
                await asyncio.sleep(0.1)
                return await sender.status() if sender.is_answered else 0
            if self.shape == "endless" and not sender.is_answered:
                await sender.send(b"0\r\n\r\n")
            return await sender.status()
        finally:
            await sender.close()


def attacks() -> list[Attack]:
    """List all bad requests for all routes of the table that may have a body."""
    return [
        Attack(route, method, shape)
        for route in all_routes()
        for method in route.methods
        if method in _BODIES
        for shape in SHAPES
    ]


def credentials(route: Route, secret: str, email: str = "reader@example.org") -> dict[str, str]:
    """Show an app password as the route wants to see it."""
    if route.path.startswith("/v1/"):
        return {"X-Auth-Token": secret}
    if "/reader/" in route.path:
        return {"Authorization": f"GoogleLogin auth={secret}"}
    if route.access is Access.PROGRAM or route.path.startswith(("/v2/", "/feedbin/")):
        pair = base64.b64encode(f"{email}:{secret}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}
    return {"Authorization": f"Bearer {secret}"}


def _filled(path: str) -> str:
    parts = path.split("/")
    return "/".join("1" if part.startswith("{") else part for part in parts)


def _body(shape: str) -> tuple[str, int | None, list[bytes]]:
    form = "application/x-www-form-urlencoded"
    match shape:
        case "large":
            return form, ENOUGH, [_PART] * (ENOUGH // len(_PART)) + [_PART]
        case "endless":
            return form, None, [_PART] * (ENOUGH // len(_PART))
        case "slow":
            return form, 1_000, [b"x"]
        case "deep json":
            kind, body = "application/json", b'{"a":' + b"[" * 300_000
        case "deep xml":
            kind, body = "text/xml", b"<opml><body>" + b"<outline>" * 60_000
        case "many":
            kind, body = form, b"a&" * 400_000
        case _:
            part = b"--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n"
            kind, body = "multipart/form-data; boundary=b", part * 10_000
    return kind, len(body), [body]
