"""Single calls of a sync with a large account: time, and the server's processor time.

In: a server's address and process, somebody's credentials. Out: rows of a table. What a
client asks at every sync must not grow with all that it has already.
"""

import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.tables import Table
from tests.journeys.sync.walks import ALL, GREADER, NEXTCLOUD, Client

STATE = "user/-/state/com.google/"
_TIMES = 20
_TICKS = os.sysconf("SC_CLK_TCK")
COLUMNS = ("call", "ms", "server's CPU ms", "kB")


@dataclass(frozen=True, slots=True)
class Call:
    """One request."""

    name: str
    target: str
    header: str
    method: str = "GET"
    body: bytes = b""


async def calls(client: Client) -> list[Call]:
    """List what clients ask at every sync."""
    google = await client.google()
    return [
        *_nextcloud(client.basic),
        *_google(google),
        *_fever(client.fever_key),
        *_miniflux(f"X-Auth-Token: {client.secret}"),
    ]


def _nextcloud(basic: str) -> Iterator[Call]:
    base = f"{NEXTCLOUD}/v1-3"
    soon = int(time.time()) + 10
    yield Call("Nextcloud, feeds", f"{base}/feeds", basic)
    yield Call("Nextcloud, folders", f"{base}/folders", basic)
    updated = f"{base}/items/updated?type=3&lastModified={soon}"
    yield Call("Nextcloud, nothing updated", updated, basic)
    one = f"{base}/items/77/"
    yield Call("Nextcloud, mark one", f"{one}read", basic, "POST", b"{}")
    yield Call("Nextcloud, mark it again", f"{one}unread", basic, "POST", b"{}")


def _google(header: str) -> Iterator[Call]:
    ids = f"{GREADER}/stream/items/ids?s={ALL}"
    soon = int(time.time()) + 10
    yield Call("Google Reader, subscriptions", f"{GREADER}/subscription/list", header)
    yield Call("Google Reader, tags", f"{GREADER}/tag/list", header)
    yield Call("Google Reader, unread counts", f"{GREADER}/unread-count", header)
    unread = f"{ids}&n=1000&xt={STATE}read"
    yield Call("Google Reader, 1,000 unread ids", unread, header)
    yield Call("Google Reader, 50,000 ids", f"{ids}&n=50000", header)
    yield Call("Google Reader, no new ids", f"{ids}&n=1000&ot={soon}", header)


def _fever(key: str) -> Iterator[Call]:
    said = f"api_key={key}".encode()
    for name, query in (
        ("feeds and groups", "feeds&groups"),
        ("unread ids", "unread_item_ids"),
        ("no new items", "items&since_id=2000000000"),
    ):
        target = f"/fever/?api&{query}"
        yield Call(f"Fever, {name}", target, "Accept: */*", "POST", said)


def _miniflux(header: str) -> Iterator[Call]:
    for name, path in (
        ("feeds", "/feeds"),
        ("categories", "/categories"),
        ("counters", "/feeds/counters"),
        ("100 unread entries", "/entries?status=unread&limit=100&direction=desc"),
    ):
        yield Call(f"Miniflux, {name}", f"/v1{path}", header)


async def measure(client: Client, pid: int, table: Table) -> None:
    """Ask each of them some times, one after the other."""
    for call in await calls(client):
        name, _, value = call.header.partition(": ")
        said = {name: value, "Content-Type": "application/x-www-form-urlencoded"}
        size = 0
        began, used = time.perf_counter(), cpu_s(pid)
        for _ in range(_TIMES):
            body = await client.send(call.method, call.target, headers=said, body=call.body)
            size = len(body)
        took = (time.perf_counter() - began) / _TIMES * 1000
        # Its time is counted in hundredths of a second.
        cpu = (cpu_s(pid) - used) / _TIMES * 1000
        table.add(call.name, round(took, 1), round(cpu, 1), round(size / 1000))
        await asyncio.sleep(0)


def cpu_s(pid: int) -> float:
    """Return how long a process has been running on a processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
