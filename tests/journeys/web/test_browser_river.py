"""The river at size: few items of each source, more when they are asked for."""

import pytest
from playwright.async_api import Browser, expect

from feedloom.app import Container
from tests.factories_feeds import fresh
from tests.journeys.web.browsing import Desk, desk, find_user

__all__ = ["desk"]
SOURCES = 14


@pytest.fixture
async def collector(desk: Desk) -> str:
    """Make an account with many busy sources."""
    email = await desk.person()
    urls = [
        desk.publisher.feed(
            f"/{email[:8]}-{n}.xml",
            title=f"Source {n}",
            entries=fresh(11),
            host=f"127.78.{int(email[:2], 16) % 250 + 2}.{n + 2}",
        )
        for n in range(SOURCES)
    ]

    async def subscribe(container: Container) -> None:
        user = await find_user(container, email)
        for url in urls:
            await container.subscribing().add(user, url, exact=True)

    await desk.server.call(subscribe)
    await desk.server.refresh_all()
    return email


@pytest.mark.parametrize("width", [1280, 360])
async def test_a_long_river_is_short_until_more_is_asked_for(
    desk: Desk, browser: Browser, collector: str, width: int
):
    viewport = {"width": width, "height": 800}
    page = await desk.sign_in(browser, collector, viewport=viewport)
    await page.goto("/ui/?view=feeds")
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    await page.wait_for_timeout(300)

    assert await page.evaluate("document.documentElement.scrollHeight") < 10_000
    await expect(page.locator(".item")).to_have_count(12 * 8)

    first = page.locator(".source").first
    await first.get_by_role("link", name="3 more").click()
    await expect(first.locator(".item")).to_have_count(11)
    await expect(first.locator(".item-link").nth(8)).to_be_focused()
    await page.get_by_role("link", name="Show more sources").click()
    await expect(page.locator(".source")).to_have_count(SOURCES)
