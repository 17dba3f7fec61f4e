"""Every site shape on loopback, through the real fetcher, guard and parser.

All of them are asked once, side by side, on SQLite; each test looks at one shape.
"""

import asyncio
from pathlib import Path

import pytest

from feedloom.app import open_container
from feedloom.model.stages import Discovered, Ending
from tests.containers import settings_for
from tests.corpus.sites import load_shapes
from tests.corpus.sites.serving import ServedShapes, Site
from tests.databases import sqlite_databases

SHAPES = load_shapes()
AT_ONCE = 16
Found = dict[str, tuple[Site, Discovered]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return asyncio.run(_discover_all(tmp_path_factory.mktemp("corpus")))


async def _discover_all(folder: Path) -> Found:
    settings = settings_for(sqlite_databases(folder), folder, rsshub_url="")
    async with open_container(settings) as container:
        now = container.clock.now()
        discoverer = container.discoverer(container.work)
        free = asyncio.Semaphore(AT_ONCE)
        async with ServedShapes(SHAPES, now) as web:

            async def look(site: Site) -> Discovered:
                async with free:
                    return await discoverer.discover(site.served.pasted)

            sites = list(web.sites.values())
            results = await asyncio.gather(*map(look, sites))
            return {
                site.shape.name: (site, result) for site, result in zip(sites, results, strict=True)
            }


@pytest.mark.parametrize("name", [shape.name for shape in SHAPES])
def test_the_right_feed_is_found_on_the_wire(found: Found, name: str):
    site, discovered = found[name]

    canonical = discovered.canonical.url if discovered.canonical else None
    assert canonical == site.served.canonical
    assert discovered.ending is Ending(site.shape.ending)
    assert discovered.complete
    assert discovered.requests <= 25
    # What is refused at the door of a host that is down never arrives.
    assert len(site.requests) <= discovered.requests
