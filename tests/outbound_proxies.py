"""Real proxies on loopback: tinyproxy for HTTP, microsocks for SOCKS5."""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

LOGIN = ("ann", "s3cret")
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_PATIENCE_S = 20


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port: int = taken.getsockname()[1]
        return port


def _program(name: str) -> str:
    found = shutil.which(name, path=_PATH)
    assert found, f"{name} is missing: tools/ensure_programs.sh {name}:{name}"
    return found


@asynccontextmanager
async def http_proxy(folder: Path) -> AsyncIterator[str]:
    """Run a proxy that wants a password; yield its address without one."""
    port = _free_port()
    settings = folder / "tinyproxy.conf"
    settings.write_text(
        f"Port {port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 20\n"
        f'ViaProxyName "proxy.example"\nBasicAuth {LOGIN[0]} {LOGIN[1]}\n'
        f'PidFile "{folder}/tinyproxy.pid"\nLogFile "{folder}/tinyproxy.log"\n'
    )
    async with _running(port, _program("tinyproxy"), "-d", "-c", str(settings)):
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def socks_proxy() -> AsyncIterator[str]:
    """Run a proxy that wants a password; yield its address without one."""
    port = _free_port()
    words = ("-i", "127.0.0.1", "-p", str(port), "-u", LOGIN[0], "-P", LOGIN[1])
    async with _running(port, _program("microsocks"), *words):
        yield f"socks5://127.0.0.1:{port}"


def with_login(url: str, login: tuple[str, str] = LOGIN) -> str:
    return url.replace("//", f"//{login[0]}:{login[1]}@")


@asynccontextmanager
async def _running(port: int, program: str, *words: str) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(
        program, *words, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(_PATIENCE_S):
            while not await _answers(port):  # noqa: ASYNC110 - a program, no event
                await asyncio.sleep(0.02)
        yield
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
