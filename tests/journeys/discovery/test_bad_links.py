"""A feed whose links are no addresses harms nobody: not the worker, not the pages."""

import asyncio

import pytest

from feedloom.app import Container
from tests.factories_feeds import NO_ADDRESSES, entry
from tests.publisher import Publisher
from tests.serving import HTML, Server
from tests.stores import Stores

PATIENCE_S = 60

pytestmark = pytest.mark.threat("S6", "P16")


def publish(site: Publisher, number: int, link: str) -> str:
    """Place a feed that says this address wherever it can say one."""
    entries = [
        entry(number, title=f"Tulips {number}", link=link, enclosure=(link or "x", "a/b", 1))
    ]
    return site.feed(
        f"/{number}.xml",
        entries=entries,
        title=f"Garden {number}",
        link=link,
        hub=link,
        self_link=link,
    )


async def work(container: Container) -> None:
    """Let the worker do everything there is to do; raise what ends it early."""
    stores, stop = Stores(container.web, container.work), asyncio.Event()
    working = asyncio.create_task(container.keep_working(stop))
    async with asyncio.timeout(PATIENCE_S):
        while not working.done() and await _waiting(stores):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.1)
    stop.set()
    await working


async def _waiting(stores: Stores) -> bool:
    return bool(
        await stores.rows(
            "SELECT id FROM feeds WHERE last_fetch_status IS NULL"
            " UNION ALL SELECT id FROM tasks WHERE done_at IS NULL"
            " UNION ALL SELECT id FROM index_queue"
        )
    )


async def test_worker_tasks_and_pages_go_on(server: Server, site: Publisher):
    ada = await server.register("ada@example.org")
    urls = [publish(site, number, link) for number, link in enumerate(NO_ADDRESSES)]
    urls.append(site.feed("/good.xml", entries=[entry(99, title="Tulips 99")]))
    for url in urls:
        added = await ada.post("/feeds", json={"url": url})
        assert added.status < 300

    await server.call(work)

    found = await ada.get("/api/search", params={"q": "tulips"})
    titles = {article["title"] for article in found.json()["articles"]}
    assert titles == {f"Tulips {number}" for number in (*range(len(NO_ADDRESSES)), 99)}
    for path in ("/ui/", "/read/unread", "/dashboard", "/feeds", "/directory"):
        assert (await ada.get(path, headers=HTML)).status == 200, path


async def test_what_an_older_version_stored_is_indexed(server: Server, site: Publisher):
    ada = await server.register("ada@example.org")
    for number, link in enumerate(NO_ADDRESSES):
        url = publish(site, number, "")
        await ada.post("/feeds", json={"url": url})
        await _store_link(server, number, link)

    await server.call(work)

    found = await ada.get("/api/search", params={"q": "tulips"})
    assert len(found.json()["articles"]) == len(NO_ADDRESSES)


async def _store_link(server: Server, number: int, link: str) -> None:
    async def change(container: Container) -> None:
        await Stores(container.web, container.work).execute(
            "UPDATE feeds SET site_url = :link WHERE url LIKE :url",
            link=link,
            url=f"%/{number}.xml",
        )

    await server.call(change)
