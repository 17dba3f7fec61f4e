"""JSON lists per second, against a bare ASGI handler that returns the same bytes.

Both run under the same HTTP server with the same settings, one process each on the same
core; ``wrk`` has the other one. The bare handler knows nobody and reads nothing: it is
the most this server can do. Ours signs the person in by an app password, asks the
database and writes the answer anew each time.
"""

import asyncio
import http.client
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.pages import EACH, FOLDERS, _fill
from bench.rss import Site, _feedloom, _free_port, _hit, _process, _wait_for
from bench.tables import Table
from feedloom.app import open_house
from feedloom.config import Settings
from feedloom.store.engine.steps import WORKER
from tests.databases import sqlite_databases
from tests.houses import settings_for

SIZES, QUICK_SIZES = (10, 100, 1_000), (20,)
GOAL = 0.25
LISTS = (
    ("50 articles", "/api/articles"),
    ("50 unread", "/api/articles?unread=true"),
    ("10 articles", "/api/articles?limit=10"),
    ("feeds", "/feeds"),
    ("folders", "/api/folders"),
)
_BARE = """
import sys, uvicorn
from pathlib import Path
from feedloom.serve import server_options
body = Path(sys.argv[2]).read_bytes()
start = {"type": "http.response.start", "status": 200, "headers": [
    (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]}
end = {"type": "http.response.body", "body": body}
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send(start)
        await send(end)
uvicorn.run(app, port=int(sys.argv[1]), lifespan="off", **server_options())
"""


def run(quick: bool) -> list[Table]:
    seconds = 1 if quick else 3
    table = Table(
        "JSON lists, one core each, sqlite",
        (
            "list",
            "feeds",
            "articles",
            "kB",
            "lists/s",
            "bare/s",
            "of bare",
            "per CPU s",
            "of bare (CPU)",
            "CPU ms",
        ),
        note=f"Goal: at least {GOAL:.0%} of the bare handler. {seconds} s each.",
    )
    for feeds in QUICK_SIZES if quick else SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            settings = settings_for(sqlite_databases(folder), folder)
            secret = asyncio.run(_prepare(settings, feeds))
            _measure(table, settings, secret, feeds, seconds)
    return [table]


async def _prepare(settings: Settings, feeds: int) -> str:
    """Fill an account; return an app password."""
    async with open_house(settings) as house:
        user = await house.accounts.register("reader@example.org", "correct horse")
        folders = [
            await house.folders().ensure(user.id, (f"Folder {n}",))
            for n in range(FOLDERS)
        ]
        await house.work.write(WORKER, _fill, user.id, folders, feeds)
        _, secret = await house.accounts.add_app_password(user, "bench")
        return secret


def _measure(
    table: Table, settings: Settings, secret: str, feeds: int, seconds: int
) -> None:
    headers = {"Authorization": f"Bearer {secret}", "Accept": "application/json"}
    with _feedloom(settings) as ours:
        for name, path in LISTS:
            body = _body(ours, path, headers)
            mine = _hit(ours, path, headers, known=False, seconds=seconds)
            with _bare(body, Path(settings.data_dir)) as bare:
                other = _hit(bare, "/", headers, known=False, seconds=seconds)
            table.add(
                name,
                feeds,
                feeds * EACH,
                len(body) / 1000,
                round(mine.per_s),
                round(other.per_s),
                f"{mine.per_s / other.per_s:.0%}",
                round(mine.per_cpu_s),
                f"{mine.per_cpu_s / other.per_cpu_s:.0%}",
                1000 / mine.per_cpu_s,
            )


def _body(site: Site, path: str, headers: Mapping[str, str]) -> bytes:
    line = http.client.HTTPConnection("127.0.0.1", site.port)
    line.request("GET", path, headers=dict(headers))
    answer = line.getresponse()
    body = answer.read()
    line.close()
    if answer.status != 200 or "json" not in (answer.headers["Content-Type"] or ""):
        raise RuntimeError(f"{path} answered {answer.status}")
    return body


@contextmanager
def _bare(body: bytes, folder: Path) -> Iterator[Site]:
    port = _free_port()
    file = folder / "bare.json"
    file.write_bytes(body)
    command = [sys.executable, "-c", _BARE, str(port), str(file)]
    with _process(command, dict(os.environ)) as process:
        _wait_for(port)
        yield Site(port, process.pid)
