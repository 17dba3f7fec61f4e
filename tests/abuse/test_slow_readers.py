"""Programs that ask for a lot and read none of it: that is their own loss."""

import asyncio
import socket
from pathlib import Path

import pytest

from tests.abuse.lab import HOSTS, MOST_MB, Behaviour, Served, Site, serving
from tests.abuse.newspaper import plain
from tests.containers import settings_for
from tests.databases import sqlite_databases

ARTICLES, FEEDS, AT_ONCE = 50, 5, 100
STORED = ARTICLES * FEEDS
TEXT = "words and more words " * 2_500
LISTS = {
    "/v1/entries?limit=400": "X-Auth-Token: {}",
    "/index.php/apps/news/api/v1-3/items?batchSize=-1&type=3&getRead=true": (
        "Authorization: Bearer {}"
    ),
    "/reader/api/0/stream/contents/user/-/state/com.google/reading-list?n=1000": (
        "Authorization: GoogleLogin auth={}"
    ),
}


def large_feed() -> Behaviour:
    items = "".join(
        f"<item><title>Report {n}</title><guid>{n}</guid><description>{TEXT}</description></item>"
        for n in range(ARTICLES)
    )
    text = f"<rss version='2.0'><channel><title>Reports</title>{items}</channel></rss>"
    return plain(text.encode(), "text/xml")


async def ask(server: Served, path: str, header: str) -> socket.socket:
    """Ask for a list, and read nothing of the answer."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.settimeout(0)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(line, ("127.0.0.1", int(server.url.rpartition(":")[2])))
    head = f"GET {path} HTTP/1.1\r\nHost: x\r\n{header.format(server.secret)}\r\n\r\n"
    await loop.sock_sendall(line, head.encode())
    return line


@pytest.mark.sampled(1)
@pytest.mark.faults
@pytest.mark.threat("W3", "W15")
@pytest.mark.parametrize("path", LISTS)
async def test_long_lists_that_nobody_reads_take_little_memory(path: str, tmp_path: Path, counts):
    settings = settings_for(sqlite_databases(tmp_path), tmp_path)
    async with Site(large_feed()) as site, serving(settings) as server:
        owner = server.people[0]
        for number in range(FEEDS):
            added = await owner.post(
                "/feeds", json={"url": site.url(f"/{number}", host=HOSTS[number])}
            )
            assert added.status == 201, added.text
        known = {"X-Auth-Token": server.secret}
        while (await owner.get("/v1/entries?limit=1", headers=known)).json()["total"] < STORED:
            pass
        async with server.watched() as seen:
            lines = await asyncio.gather(*(ask(server, path, LISTS[path]) for _ in range(AT_ONCE)))
            # The owner's browser and somebody else are answered meanwhile, often enough.
            own = [(await owner.get("/feeds")).status for _ in range(20)]
            own += [(await owner.get("/feeds")).status for _ in range(20)]
            for line in lines:
                line.close()
            # What waited for its turn is not made any more.
            own += [(await owner.get("/feeds")).status for _ in range(20)]

    counts("slow readers", path=path, peak_mb=round(seen.peak_mb), read=len(seen.answers))
    assert seen.peak_mb < MOST_MB
    assert set(seen.answers) == {200}
    assert set(own) == {200}
