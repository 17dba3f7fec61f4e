"""The guarded client among lying name servers, through the system's own resolver.

Run as a program, it enters a network and mounts of its own, in which a scripted name
server is the only one there is and forbidden addresses have listeners, asks for every
name several times, and prints what came of it as JSON. Nothing can leave.
"""

import asyncio
import ctypes
import json
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

from feedloom.fetch import AllowList, HTTPFetcher
from feedloom.model.errors import FetchError
from feedloom.model.stages import FetchRequest
from tests.faults.lab.disks import CLONE_NEWNS, MS_PRIVATE, MS_REC
from tests.faults.lab.resolver import FAILS, Answer, ScriptedNames
from tests.journeys.fetch import canary_lab

PUBLIC = "93.184.216.34"
INSIDE = ("10.0.0.1", "169.254.169.254")
INSIDE_V6 = ("64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "fd00:ec2::254")
PORT = 8080
TRIES = 20
DEADLINE_S = 2.0
MS_BIND = 4096
SCRIPT: dict[str, list[Answer]] = {
    "public.example": [[PUBLIC]],
    "inside.example": [[INSIDE[0]], [INSIDE[1]]],
    "inside-six.example": [[address] for address in INSIDE_V6],
    "mixed.example": [[INSIDE[0], PUBLIC, INSIDE[1], *INSIDE_V6]],
    "rebind.example": [[PUBLIC], [INSIDE[1]], [PUBLIC], [INSIDE[0]]],
    "many.example": [[f"10.0.{n}.1" for n in range(20)]],
    "fails.example": [FAILS],
    "empty.example": [[]],
    "slow.example": [10.0],
}


def use_names(names: ScriptedNames) -> None:
    """Make the scripted server the only one this process knows."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None):
        raise OSError(ctypes.get_errno(), "this machine allows no mounts of one's own")
    folder = Path(tempfile.mkdtemp())
    for place, text in (
        ("resolv.conf", "nameserver 127.0.0.1\noptions timeout:3 attempts:1\n"),
        ("nsswitch.conf", "hosts: dns\n"),
    ):
        file = folder / place
        file.write_text(text)
        target = f"/etc/{place}".encode()
        if libc.mount(str(file).encode(), target, None, MS_BIND, None):
            raise OSError(ctypes.get_errno(), f"/etc/{place} cannot be replaced")
    names.start("127.0.0.1", 53)


async def listen(addresses: tuple[str, ...], touched: Counter[str]) -> None:
    async def answer(_, writer: asyncio.StreamWriter) -> None:
        touched[writer.get_extra_info("sockname")[0]] += 1
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    for address in addresses:
        for _ in range(100):
            try:
                await asyncio.start_server(answer, address, PORT)
            except OSError:
                await asyncio.sleep(0.05)  # a new IPv6 address is not there at once
            else:
                break


async def ask(fetcher: HTTPFetcher, name: str) -> str:
    try:
        url = f"http://{name}:{PORT}/"
        return str((await fetcher.fetch(FetchRequest(url, timeout_s=DEADLINE_S))).status)
    except FetchError as error:
        return type(error).__name__


async def explore() -> dict[str, object]:
    touched: Counter[str] = Counter()
    await listen((PUBLIC, *INSIDE, *INSIDE_V6), touched)
    guarded = HTTPFetcher("lab")
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in SCRIPT}
    slowest = 0.0
    for _ in range(TRIES):
        for name in SCRIPT:
            if name == "slow.example" and sum(outcomes[name].values()) >= 2:
                continue
            began = time.monotonic()
            outcomes[name][await ask(guarded, name)] += 1
            slowest = max(slowest, time.monotonic() - began)
    await guarded.close()
    reached = {a: n for a, n in touched.items() if a != PUBLIC}
    open_one = HTTPFetcher("lab", allow_networks=AllowList.parse("0.0.0.0/0 ::/0"))
    control = [await ask(open_one, name) for name in ("inside.example", "many.example")]
    await open_one.close()
    return {
        "outcomes": outcomes,
        "reached": reached,
        "public": touched[PUBLIC],
        "slowest_s": slowest,
        "control": [control[0], sum(touched[a] for a in INSIDE)],
    }


def main() -> None:
    names = ScriptedNames(SCRIPT)
    if not canary_lab.enter_namespace((PUBLIC, *INSIDE), INSIDE_V6):
        raise OSError("this machine allows no network of one's own")
    use_names(names)
    print(json.dumps(asyncio.run(explore())), flush=True)  # noqa: T201 - a program
    # Lookups that hang would be waited for.
    os._exit(0)


if __name__ == "__main__":
    main()
