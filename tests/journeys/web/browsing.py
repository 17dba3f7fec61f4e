"""A server with something to read, and browsers that are signed in at it."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from feedloom.app import Container
from feedloom.model.bookmarks import NewBookmark
from feedloom.model.reader import User, Wanted
from feedloom.model.rules import NewRule
from tests.databases import sqlite_databases
from tests.publisher import Answer, Publisher, PublisherThread
from tests.serving import PASSWORD, Server, open_server
from tools.sample_feeds import BLOGS


@dataclass(slots=True)
class Desk:
    """A server, a publisher, and people who read there."""

    server: Server
    publisher: Publisher

    async def person(self) -> str:
        """Make an account without feeds; return its email."""
        email = f"{uuid.uuid4().hex[:12]}@example.org"
        await self.server.call(lambda container: self._register(container, email))
        return email

    async def _register(self, container: Container, email: str) -> None:
        if not await container.accounts.store.has_any():
            # The first one runs the place; readers are like most people.
            await container.accounts.register("operator@example.org", PASSWORD)
        await container.accounts.register(email, PASSWORD)

    async def reader(self) -> str:
        """Make an account with feeds, articles, stars, tags, rules and bookmarks."""
        email = await self.person()
        await self.server.call(lambda container: self._fill(container, email))
        await self.server.refresh_all()
        await self.server.refresh_all(due_only=True)
        await self.server.call(lambda container: self._use(container, email))
        return email

    async def follow(self, email: str, *urls: str) -> dict[str, int]:
        """Subscribe somebody to feeds; return the numbers of their articles by title."""

        async def add(container: Container) -> None:
            user = await find_user(container, email)
            for url in urls:
                await container.subscribing().add(user, url, exact=True)

        async def list_items(container: Container) -> dict[str, int]:
            user = await find_user(container, email)
            page = await container.services().reading.articles(user.id, Wanted(limit=200))
            return {article.title: article.item_no for article in page.articles}

        await self.server.call(add)
        await self.server.refresh_all()
        return await self.server.call(list_items)

    async def sign_in(self, browser: Browser, email: str, **options: Any) -> Page:
        """Open a page in a fresh profile that is signed in."""
        options.setdefault("viewport", {"width": 1280, "height": 800})
        options.setdefault("reduced_motion", "reduce")
        context = await browser.new_context(base_url=self.server.url, **options)
        await self.give_session(context, email)
        return await context.new_page()

    async def give_session(self, context: BrowserContext, email: str) -> None:
        """Put a session's cookie into a browser."""

        async def start(container: Container) -> str:
            user = await find_user(container, email)
            signed = await container.accounts.sign_in(user, user_agent="test", address="127.0.0.1")
            return signed.token

        token = await self.server.call(start)
        await context.add_cookies(
            [{"name": "feedloom_session", "value": token, "url": self.server.url}]
        )

    async def _fill(self, container: Container, email: str) -> None:
        user = await find_user(container, email)
        now = datetime.now(UTC)  # noqa: TID251 - what readers see as fresh
        base = uuid.uuid4().bytes[0] % 200 + 20
        for number, blog in enumerate(BLOGS, 2):
            host = f"127.77.{base}.{number}"
            url = self.publisher.feed(
                blog.path, title=blog.title, entries=blog.entries(now), host=host
            )
            folder = await container.folders().ensure(user.id, (blog.folder,))
            await container.subscribing().add(user, url, exact=True, folder_id=folder)
        gone = f"127.77.{base}.90"
        self.publisher.script("/gone.xml", Answer(404), host=gone)
        url = self.publisher.url("/gone.xml", host=gone)
        await container.subscribing().add(user, url, exact=True, title="An old favourite")

    async def _use(self, container: Container, email: str) -> None:
        user = await find_user(container, email)
        services = container.services()
        await services.reading.mark(user.id, [2, 9], "starred")
        await services.reading.tag(user.id, [2, 3], "to print")
        await services.bookmarks.add(user.id, NewBookmark("https://a.example/", "A page"))
        await services.rules.add(
            user.id, NewRule(name="No ads", field="title", pattern="ad", action="read")
        )
        await container.directory(container.work).seed(check=False)
        await container.indexer().catch_up()


async def slow_down(page: Page, latency_ms: int) -> None:
    """Give a page a slow line and a slow CPU, as developer tools do."""
    tools = await page.context.new_cdp_session(page)
    await tools.send("Network.enable")
    line = {"offline": False, "latency": latency_ms}
    speeds = {"downloadThroughput": -1, "uploadThroughput": -1}
    await tools.send("Network.emulateNetworkConditions", line | speeds)
    await tools.send("Emulation.setCPUThrottlingRate", {"rate": 4})


async def find_user(container: Container, email: str) -> User:
    """Find a person by email."""
    found = await container.accounts.store.by_email(email)
    assert found is not None
    return found[0]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Run one server and one publisher for all tests of a module."""
    folder = tmp_path_factory.mktemp("desk")
    with PublisherThread() as publisher, open_server(sqlite_databases(folder), folder) as server:
        yield Desk(server, publisher)


@pytest.fixture
async def reader(desk: Desk) -> str:
    """Hand out the email of somebody with a lot to read."""
    return await desk.reader()
