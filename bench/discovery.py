"""Discovery on the site shapes of the corpus, beside feedsearch-crawler.

Both search the same sites on loopback in the same run. Requests are counted by the
servers; the peer is run with its guesses on, which is the most it can find.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.tables import Table
from feedloom.app import open_container
from feedloom.model.errors import BadAddress
from feedloom.model.urls import url_key
from tests.containers import settings_for
from tests.corpus.sites import Shape, load_shapes
from tests.corpus.sites.serving import ServedShapes, Site
from tests.databases import sqlite_databases

PEER = "feedsearch-crawler==2.1.7"
# It asks for a newer Python than ours and for a package that is part of Python.
NEEDS = (
    "aiohttp>3.13",
    "beautifulsoup4>=4.14.2",
    "brotli>=1.1",
    "feedparser>=6.0.12",
    "lxml>=5",
    "python-dateutil>=2.9",
    "uvloop>=0.19",
    "w3lib>=2.1.2",
    "yarl>=1.22",
)
HOME = Path(__file__).parent.parent / ".cache" / "feedsearch"
AT_ONCE = 4
QUICK = 24


@dataclass(frozen=True, slots=True)
class Finding:
    """What one program found at one site, best first."""

    urls: tuple[str, ...]
    seconds: float


Search = Callable[[Sequence[Site]], Awaitable[dict[str, Finding]]]


def run(quick: bool) -> list[Table]:
    shapes = load_shapes()
    if quick:
        shapes = shapes[:: len(shapes) // QUICK]
    python = _install()
    return asyncio.run(_run(shapes, python))


def _install() -> Path:
    """Make the peer's environment once; its own pins would not install here."""
    python = HOME / "bin" / "python"
    ready = HOME / "ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", str(HOME)], check=True)
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        alone = ["--no-deps", "--ignore-requires-python"]
        subprocess.run([*pip, *alone, PEER], check=True)
        subprocess.run([*pip, *NEEDS], check=True, stderr=subprocess.DEVNULL)
        ready.touch()
    return python


async def _run(shapes: Sequence[Shape], python: Path) -> list[Table]:
    with tempfile.TemporaryDirectory() as folder:
        ours = await _measure(shapes, lambda sites: _ours(sites, Path(folder)))
    theirs = await _measure(shapes, lambda sites: _theirs(sites, python))
    table = Table(
        "Discovery on self-written site shapes",
        (
            "program",
            "sites with a feed",
            "found",
            "canonical right",
            "sites without",
            "rightly nothing",
            "requests",
            "most per site",
            "median s",
            "p95 s",
        ),
        note=(
            f"{AT_ONCE} sites at once. Feedloom keeps 0.2 s between requests to a host."
            " The shapes were written for Feedloom's own tests."
        ),
    )
    table.add("feedloom", *ours)
    table.add(PEER, *theirs)
    return [table]


async def _measure(shapes: Sequence[Shape], search: Search) -> tuple[int | float, ...]:
    from feedloom.app import SystemClock

    async with ServedShapes(shapes, SystemClock().now()) as web:
        sites = list(web.sites.values())
        found = await search(sites)
    return _row(sites, found)


def _row(sites: Sequence[Site], found: dict[str, Finding]) -> tuple[int | float, ...]:
    with_feed = [site for site in sites if site.served.canonical]
    without = [site for site in sites if not site.served.canonical]
    seconds = sorted(one.seconds for one in found.values())
    requests = [len(site.requests) for site in sites]
    return (
        len(with_feed),
        sum(_place(site, found) is not None for site in with_feed),
        sum(_place(site, found) == 0 for site in with_feed),
        len(without),
        sum(not found[site.shape.name].urls for site in without),
        sum(requests),
        max(requests),
        statistics.median(seconds),
        seconds[int(len(seconds) * 0.95)],
    )


def _place(site: Site, found: dict[str, Finding]) -> int | None:
    wanted = url_key(site.served.canonical or "")
    keys = [url_key(url) for url in found[site.shape.name].urls]
    return keys.index(wanted) if wanted in keys else None


async def _ours(sites: Sequence[Site], folder: Path) -> dict[str, Finding]:
    settings = settings_for(sqlite_databases(folder), folder, rsshub_url="", host_delay=3.0)
    async with open_container(settings) as container:
        discoverer = container.discoverer(container.work)
        free = asyncio.Semaphore(AT_ONCE)

        async def one(site: Site) -> tuple[str, Finding]:
            async with free:
                began_at = time.perf_counter()
                try:
                    result = await discoverer.discover(site.served.pasted)
                    urls = [each.url for each in result.candidates if each.valid]
                except BadAddress:
                    urls = []
                return site.shape.name, Finding(tuple(urls), time.perf_counter() - began_at)

        return dict(await asyncio.gather(*map(one, sites)))


async def _theirs(sites: Sequence[Site], python: Path) -> dict[str, Finding]:
    client = Path(__file__).with_name("feedsearch_client.py")
    process = await asyncio.create_subprocess_exec(
        str(python),
        str(client),
        str(AT_ONCE),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    asked = (json.dumps({"name": site.shape.name, "url": site.served.pasted}) for site in sites)
    said, _ = await process.communicate("\n".join(asked).encode())
    lines = [json.loads(line) for line in said.splitlines()]
    return {line["name"]: Finding(tuple(line["urls"]), line["seconds"]) for line in lines}
