"""The attacks that hardened this program, measured: what docs/security/attacks.md tells.

    python -m tests.abuse.attacks                                    this version
    python -m tests.abuse.attacks --python ../0.1.0/.venv/bin/python    another one

Each runs against a fresh server with its worker, on loopback, while somebody else lists
their feeds; printed are the most memory the process had, and how that person
was served: requests, those that failed, and the 95th percentile of the times.
"""

import argparse
import asyncio
import os
import resource
import signal
import socket
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import aiohttp

from tests.abuse.lab import HOSTS, PAGE, Site, memory_mb, packed, until_answered
from tests.abuse.newspaper import NOISE, Newspaper, pictures_of, plain
from tests.abuse.senders import Sender, head
from tests.serving import HTML, PASSWORD, Visitor, registered

AT_ONCE = 40
_SEARCHES_S = 40
"""How long searches that were begun go on in the background."""
IMPORT = "/api/greader.php/reader/api/0/subscription/import"


@dataclass(slots=True)
class Victim:
    """A server, the process it is, and who has an account there."""

    url: str
    port: int
    pid: int
    attacker: Visitor
    reader: Visitor
    times_ms: list[float] = field(default_factory=list)
    failures: int = 0

    def memory_mb(self, name: str) -> int:
        return round(memory_mb(self.pid, name))

    async def read(self) -> None:
        """Read as somebody else, ten times a second."""
        while True:
            began = time.perf_counter()
            try:
                async with asyncio.timeout(10):
                    is_good = (await self.reader.get("/feeds")).status == 200
            except (aiohttp.ClientError, TimeoutError):
                is_good = False
            self.failures += not is_good
            self.times_ms.append((time.perf_counter() - began) * 1_000)
            await asyncio.sleep(0.1)


Attack = Callable[[Victim], Awaitable[str]]


@asynccontextmanager
async def victim(python: str) -> AsyncIterator[Victim]:
    """Start a version in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "FEEDLOOM_DATA_DIR": folder,
            "FEEDLOOM_ALLOW_NETWORKS": "127.0.0.0/8",
            "FEEDLOOM_HOST_DELAY": "0",
            "FEEDLOOM_DIRECTORY_CHECK": "off",
            "FEEDLOOM_LOG_LEVEL": "error",
        }
        process = await asyncio.create_subprocess_exec(
            *(python, "-m", "feedloom", "serve", "--port", str(port)),
            env=environment, cwd=folder, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        url = f"http://127.0.0.1:{port}"
        try:
            await until_answered(url)
            attacker = await _person(url, "a@example.org")
            reader = await _person(url, "b@example.org")
            yield Victim(url, port, process.pid, attacker, reader)
        finally:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            await process.wait()


async def _person(url: str, email: str) -> Visitor:
    visitor = await registered(url, email, PASSWORD)
    visitor.token = (await visitor.get("/api/me")).json()["csrf_token"]
    return visitor


async def adding_feeds(target: Victim) -> str:
    """Add 40 feeds at once, whose publisher answers everything with 9.9 MB (24 KB)."""
    async with Site(packed(PAGE)) as site:

        async def add(number: int) -> int:
            given = {"url": site.url(f"/{number}", host=HOSTS[number])}
            try:
                async with asyncio.timeout(60):
                    return (await target.attacker.post("/feeds", json=given)).status
            except (aiohttp.ClientError, TimeoutError):
                return 0

        answers = Counter(await asyncio.gather(*map(add, range(AT_ONCE))))
        await asyncio.sleep(_SEARCHES_S)
    return f"answers {dict(sorted(answers.items()))}, {site.asked} requests"


async def large_pictures(target: Victim) -> str:
    """Show an article with 60 pictures of 9.9 MB that are none."""
    async with Newspaper(plain(NOISE, "image/png"), pictures=60) as paper:
        await target.attacker.post("/feeds", json={"url": paper.url("/feed/1")})
        while not (found := (await target.attacker.get("/api/articles")).json()["articles"]):
            pass
        pictures = await pictures_of(target.attacker, found[0]["id"])
        replies = await asyncio.gather(*map(target.attacker.get, pictures))
    return f"answers {dict(Counter(reply.status for reply in replies))}"


async def _unfinished(target: Victim, start: bytes, size: int, count: int) -> str:
    senders = [await Sender.open(target.port) for _ in range(count)]

    async def send(sender: Sender) -> None:
        with suppress(OSError):
            await sender.send(start)
            await sender.send_parts([b"x" * 65_536] * (size // 65_536), chunked=False)

    with suppress(TimeoutError):
        async with asyncio.timeout(40):
            await asyncio.gather(*(send(sender) for sender in senders))
    await asyncio.sleep(5)
    refused = sum(sender.is_answered for sender in senders)
    await asyncio.gather(*(sender.close() for sender in senders))
    return f"{refused} of {count} refused"


async def strangers_imports(target: Victim) -> str:
    """Send 60 unfinished imports of 16.7 MB, without an account."""
    start = head("POST", IMPORT, length=16_700_000)
    return await _unfinished(target, start, 16_600_000, 60)


async def slow_bodies(target: Victim) -> str:
    """Begin 2,000 sign-ins from one address and say no more."""
    start = head("POST", "/auth/login", length=1_000) + b"email="
    return await _unfinished(target, start, 0, 2_000)


async def _sign_in(target: Victim, visitor: Visitor | None = None) -> int:
    browser = visitor or Visitor(target.url)
    page = await browser.get("/auth/login", headers=HTML)
    if page.status != 200:
        return page.status
    form = {"email": "b@example.org", "password": PASSWORD, "csrf_token": page.form_token}
    return (await browser.post("/auth/login", data=form, headers=HTML)).status


async def wrong_app_secrets(target: Victim) -> str:
    """Send twenty wrong app secrets, then sign in from the same address."""
    program = Visitor(target.url)
    for number in range(22):
        await program.post("/fever/?api", data={"api_key": f"{number:032x}"})
    return f"sign-in: {await _sign_in(target)}"


async def images_in_an_article(target: Victim) -> str:
    """Show 22 images of the Fever API in an article, then sign in where it was read."""
    browser = Visitor(target.url)
    for number in range(22):
        await browser.get(
            f"/fever/?api&api_key={number:032x}",
            headers={"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors",
                     "Sec-Fetch-Dest": "image"},
        )  # fmt: skip
    return f"sign-in: {await _sign_in(target)}"


async def guesses_from_elsewhere(target: Victim) -> str:
    """Send wrong passwords for somebody from ten other addresses."""
    known = dict(target.reader.cookies)
    for number in range(50, 60):
        connector = aiohttp.TCPConnector(local_addr=(f"127.0.0.{number}", 0))
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=jar) as session:
            for _ in range(6):
                async with session.get(f"{target.url}/auth/login") as reply:
                    token = (await reply.text()).partition('name="csrf_token" value="')[2]
                form = {"email": "b@example.org", "password": "wrong " * 3,
                        "csrf_token": token.partition('"')[0]}  # fmt: skip
                async with session.post(f"{target.url}/auth/login", data=form) as reply:
                    await reply.read()
    known.pop("feedloom_session", None)
    owner = Visitor(target.url, cookies=known)
    return f"owner's sign-in in their own browser: {await _sign_in(target, owner)}"


async def _flooded(target: Victim, data: bytes, count: int) -> str:
    """Send the same from twenty addresses, and wait for no answer."""
    senders = [
        await Sender.open(target.port, f"127.0.0.{number % 20 + 1}") for number in range(count)
    ]

    async def send(sender: Sender) -> None:
        with suppress(OSError):
            await sender.send(data)

    with suppress(TimeoutError):
        async with asyncio.timeout(20):
            await asyncio.gather(*(send(sender) for sender in senders))
    await asyncio.sleep(5)
    refused = sum(sender.is_answered for sender in senders)
    await asyncio.gather(*(sender.close() for sender in senders))
    return f"{refused} of {count} refused"


async def requests_in_a_row(target: Victim) -> str:
    """Send thousands of requests on each of 40 connections, without waiting for answers."""
    return await _flooded(target, b"GET /auth/login HTTP/1.1\r\nHost: x\r\n\r\n" * 6_000, 40)


async def thousands_of_headers(target: Victim) -> str:
    """Begin 500 requests with 15,000 empty headers each."""
    return await _flooded(target, b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a:\r\n" * 15_000, 500)


ATTACKS: tuple[Attack, ...] = (
    adding_feeds,
    large_pictures,
    strangers_imports,
    slow_bodies,
    wrong_app_secrets,
    images_in_an_article,
    guesses_from_elsewhere,
    requests_in_a_row,
    thousands_of_headers,
)


async def measure(python: str, attack: Attack) -> None:
    async with victim(python) as target:
        before = target.memory_mb("VmRSS")
        reading = asyncio.create_task(target.read())
        told = await attack(target)
        reading.cancel()
        times = sorted(target.times_ms) or [0.0]
        p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
        peak, after = target.memory_mb("VmHWM"), target.memory_mb("VmRSS")
        sys.stdout.write(
            f"{attack.__name__}: {told}; memory {before} -> {peak} MB at most,"
            f" {after} MB after; others: {len(times)} requests, {target.failures}"
            f" failed, p95 {p95:.0f} ms\n"
        )
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the attacks.")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65_536), most))
    for attack in ATTACKS:
        if not given.names or attack.__name__ in given.names:
            asyncio.run(measure(given.python, attack))


if __name__ == "__main__":
    main()
