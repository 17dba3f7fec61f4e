"""The guard against a real kernel: real sockets, real listeners, no way out.

Run as a program, it prints what it saw as JSON. Where the machine allows it, it first
enters a network namespace of its own in which one address of each forbidden range
exists, so that a wrong dial would truly arrive. Elsewhere only loopback canaries are
set up. Either way nothing can leave: there is no route, or sockets for anything but
loopback are refused. The guard is told to allow only the place that sends redirects.
"""

import asyncio
import ctypes
import errno
import fcntl
import ipaddress
import json
import os
import socket
import struct
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from feedloom.fetch import AllowList, HTTPFetcher, Wire
from feedloom.fetch.guard import AddressInfo, open_socket
from feedloom.model.errors import FetchError
from feedloom.model.stages import FetchRequest
from tests.unit.fetch.spellings import FORBIDDEN_IPS, FORBIDDEN_URLS

HUB = "127.0.0.99"
CANARIES_V4 = (
    "10.0.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.7",
)
CANARIES_V6 = (
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fd00:ec2::254",
    "fec0::1",
    "2001:db8::1",
    "2606:4700::5efe:a9fe:a9fe",
)
LOOPBACK = ("127.0.0.1", "::1")
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
SIOCSIFADDR = 0x8916
IFF_UP = 0x1


@dataclass
class Seen:
    """What the lab found."""

    canaries: list[str] = field(default_factory=list)
    tries: int = 0
    redirects: int = 0
    reached: list[str] = field(default_factory=list)
    """Canaries that got a connection from the guarded client."""
    control: list[str] = field(default_factory=list)
    """Canaries that got one from a client without a guard: the lab's own proof."""


def enter_namespace(v4: tuple[str, ...] = CANARIES_V4, v6: tuple[str, ...] = CANARIES_V6) -> bool:
    """Leave all networks behind for one that has these addresses; tell if allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
        for number, text in enumerate(v4):
            name = f"lo:{number}".encode()
            packed = socket.inet_aton(text)
            ask = struct.pack("16sHH4s8x", name, socket.AF_INET, 0, packed)
            fcntl.ioctl(control, SIOCSIFADDR, ask)
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as control:
        for text in v6:
            packed = socket.inet_pton(socket.AF_INET6, text)
            index = socket.if_nametoindex("lo")
            fcntl.ioctl(control, SIOCSIFADDR, struct.pack("16sIi", packed, 128, index))
    return True


class Lab:
    """Canaries that listen, and a hub that redirects to wherever it is told."""

    def __init__(self) -> None:
        self.touched: list[str] = []
        self.location = ""
        self.port = 0
        self.servers: list[asyncio.Server] = []

    async def start(self, canaries: list[str]) -> None:
        await self._listen(HUB, self._redirect)
        for canary in canaries:
            await self._listen(canary, self._touch)

    async def _listen(self, host: str, serve) -> None:
        server = await self._bind(host, serve)
        self.port = server.sockets[0].getsockname()[1]
        self.servers.append(server)

    async def _bind(self, host: str, serve) -> asyncio.Server:
        try:
            return await asyncio.start_server(serve, host, self.port)
        except OSError as error:
            if error.errno != errno.EADDRNOTAVAIL:
                raise
        # A new IPv6 address can be bound only after the kernel has thought about it.
        await asyncio.sleep(0.05)
        return await self._bind(host, serve)

    async def _touch(self, _, writer: asyncio.StreamWriter) -> None:
        self.touched.append(writer.get_extra_info("sockname")[0])
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nprey")
        writer.close()

    async def _redirect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, OSError):
            await reader.readuntil(b"\r\n\r\n")
            where = self.location.encode().replace(b"\r\n", b"%0d%0a")
            writer.write(
                b"HTTP/1.1 302 Found\r\nconnection: close\r\ncontent-length: 0\r\n"
                b"location: " + where + b"\r\n\r\n"
            )
        writer.close()


def with_port(url: str, port: int) -> str:
    """Aim a spelling at the port the canaries listen on."""
    head, slash, host = url.removesuffix("/").rpartition("//")
    plain = url.endswith("/") and head in {"http:", "https:"}
    if not plain or "/" in host or host.rpartition("]")[2].count(":"):
        return url
    return f"http:{slash}{host}:{port}/"


async def attempt(fetcher: HTTPFetcher, url: str) -> None:
    with suppress(FetchError):
        await fetcher.fetch(FetchRequest(url, timeout_s=3))


def only_loopback(info: AddressInfo) -> socket.socket:
    """Open sockets where no namespace keeps a mistake inside."""
    if not ipaddress.ip_address(info[4][0]).is_loopback:
        raise OSError("not in a namespace, so not tried")
    return open_socket(info)


async def explore(canaries: list[str]) -> Seen:
    lab, seen = Lab(), Seen(canaries)
    await lab.start(canaries)
    answers: list[str] = []

    async def lookup(_: str) -> list[str]:
        return answers

    hub = f"http://{HUB}:{lab.port}/"
    allowed = AllowList.parse(HUB)
    opener = open_socket if len(canaries) > len(LOOPBACK) else only_loopback
    wire = Wire(lookup=lookup, open_socket=opener)
    fetcher = HTTPFetcher("lab", allow_networks=allowed, wire=wire)
    for url in FORBIDDEN_URLS:
        lab.location = with_port(url, lab.port)
        # Names in tricks lead to nobody, so that no resolver is ever asked.
        answers[:] = ["127.0.0.1"]
        await attempt(fetcher, lab.location)
        await attempt(fetcher, hub)
        seen.tries += 2
        seen.redirects += 1
    for address in (*FORBIDDEN_IPS, *canaries):
        answers[:] = [address]
        await attempt(fetcher, f"http://name.example:{lab.port}/")
        seen.tries += 1
    seen.reached, lab.touched = lab.touched, []
    await fetcher.close()
    seen.control = await probe(lab, canaries)
    return seen


async def probe(lab: Lab, canaries: list[str]) -> list[str]:
    """Ask every canary without a guard."""
    fetcher = HTTPFetcher("lab", allow_networks=AllowList.parse("0.0.0.0/0 ::/0"))
    for canary in canaries:
        host = f"[{canary}]" if ":" in canary else canary
        await attempt(fetcher, f"http://{host}:{lab.port}/")
    await fetcher.close()
    for server in lab.servers:
        server.close()
    return lab.touched


def main() -> None:
    found = [*LOOPBACK]
    if sys.platform == "linux" and enter_namespace():
        found += [str(ipaddress.ip_address(c)) for c in (*CANARIES_V4, *CANARIES_V6)]
    print(json.dumps(asdict(asyncio.run(explore(found)))))  # noqa: T201 - a program


if __name__ == "__main__":
    main()
