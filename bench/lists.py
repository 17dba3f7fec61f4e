"""JSON lists per second, against a bare ASGI handler that returns the same bytes.

Both run under the same HTTP server with the same settings, one process each on the same
core; ``wrk`` has the other one. The bare handler knows nobody and reads nothing: it holds
a body and its headers and sends them, which is the most this server can do. Beside it
stands one that sends two headers only, its body's length and type. Ours signs the person
in by an app password each time, and is measured twice: *kept*, asked for the same list
again while nothing in the database changes, and *anew*, asked for one that nobody asked
for before (each address differs by a number that means nothing), as after any change:
rows are read, and the answer written. A worker at work changes something every few
seconds at least, so both happen.
"""

import asyncio
import http.client
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
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
ROUNDS = 3
"""The best of so many counts, for all alike: other work only ever takes away."""
LISTS = (
    ("50 articles", "/api/articles"),
    ("50 unread", "/api/articles?unread=true"),
    ("10 articles", "/api/articles?limit=10"),
    ("feeds", "/feeds"),
    ("folders", "/api/folders"),
)
_FEW = ("content-type", "content-length")
_ANEW = """
local number = 0
request = function()
  number = number + 1
  local sign = string.find(wrk.path, "?", 1, true) and "&" or "?"
  return wrk.format(nil, wrk.path .. sign .. "number=" .. number)
end
"""
_BARE = """
import json, sys, uvicorn
from pathlib import Path
from feedloom.serve import server_options
body, headers = (Path(name).read_bytes() for name in sys.argv[2:])
start = {"type": "http.response.start", "status": 200, "headers": [
    (name.encode(), value.encode()) for name, value in json.loads(headers)]}
end = {"type": "http.response.body", "body": body}
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send(start)
        await send(end)
uvicorn.run(app, port=int(sys.argv[1]), lifespan="off", **server_options())
"""


def run(quick: bool) -> list[Table]:
    seconds = 1 if quick else 2
    table = Table(
        "JSON lists, one core each, sqlite",
        (
            "list",
            "feeds",
            "articles",
            "kB",
            "bare/s",
            "kept/s",
            "anew/s",
            "bare CPU ms",
            "kept CPU ms",
            "anew CPU ms",
            "kept of bare (CPU)",
            "anew of bare (CPU)",
            "kept of two headers (CPU)",
        ),
        note=f"Goal: at least {GOAL:.0%} of the bare handler. The best of {ROUNDS} rounds of"
        f" {seconds} s, three times as long with 1,000 feeds.",
    )
    for feeds in QUICK_SIZES if quick else SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            settings = settings_for(sqlite_databases(folder), folder)
            secret = asyncio.run(_prepare(settings, feeds))
            # Long lists take longer, and everybody asks at once.
            _measure(table, settings, secret, feeds, seconds * (1 + feeds // 500))
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
    folder = Path(settings.data_dir)
    script = folder / "anew.lua"
    script.write_text(_ANEW)
    hit = partial(_hit, headers=headers, known=False, seconds=seconds)
    with _feedloom(settings) as ours:
        for name, path in LISTS:
            body, said = _answer(ours, path, headers)
            few = {n: v for n, v in said.items() if n in _FEW}
            with _bare(body, said, folder) as bare, _bare(body, few, folder) as barest:
                rounds = [
                    (
                        hit(bare, "/"),
                        hit(ours, path),
                        hit(ours, path, script=script),
                        hit(barest, "/"),
                    )
                    for _ in range(ROUNDS)
                ]
            most, kept, anew, over = (
                max(speeds, key=lambda speed: speed.per_cpu_s)
                for speeds in zip(*rounds, strict=True)
            )
            table.add(
                name,
                feeds,
                feeds * EACH,
                len(body) / 1000,
                *(round(speed.per_s) for speed in (most, kept, anew)),
                *(1000 / speed.per_cpu_s for speed in (most, kept, anew)),
                *(f"{s.per_cpu_s / most.per_cpu_s:.0%}" for s in (kept, anew)),
                f"{kept.per_cpu_s / over.per_cpu_s:.0%}",
            )


def _answer(
    site: Site, path: str, headers: Mapping[str, str]
) -> tuple[bytes, dict[str, str]]:
    """Return an answer's body and headers, but for what the HTTP server adds."""
    line = http.client.HTTPConnection("127.0.0.1", site.port)
    line.request("GET", path, headers=dict(headers))
    answer = line.getresponse()
    body = answer.read()
    line.close()
    if answer.status != 200 or "json" not in (answer.headers["Content-Type"] or ""):
        raise RuntimeError(f"{path} answered {answer.status}")
    said = {name.lower(): value for name, value in answer.getheaders()}
    return body, {name: value for name, value in said.items() if name != "date"}


@contextmanager
def _bare(body: bytes, headers: Mapping[str, str], folder: Path) -> Iterator[Site]:
    port = _free_port()
    files = (folder / f"bare-{port}.json", folder / f"headers-{port}.json")
    files[0].write_bytes(body)
    files[1].write_text(json.dumps([*headers.items()]))
    command = [sys.executable, "-c", _BARE, str(port), *map(str, files)]
    with _process(command, dict(os.environ)) as process:
        _wait_for(port)
        yield Site(port, process.pid)
