"""Lists to one's taste: layouts with and without pictures, and what each list remembers."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.journeys.web.browsing import Desk, desk, reader

__all__ = ["desk", "reader"]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=15_000)


async def choose_layout(page: Page, name: str) -> None:
    await page.locator(".layout-menu summary").click()
    async with page.expect_response("**/read/**"):
        await page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["Compact list", "Cards", "Magazine"])
async def test_a_layout_fills_the_page_until_an_article_is_open(
    desk: Desk, browser: Browser, reader: str, axe, name: str, width: int
):
    page = await desk.sign_in(browser, reader, viewport={"width": width, "height": 800})
    await page.goto("/read/all")

    await choose_layout(page, name)
    await expect(page.locator(".article-pane")).to_be_hidden()
    wide = await page.evaluate("document.scrollingElement.scrollWidth")
    problems = await axe(page)
    await page.keyboard.press("j")
    await expect(page.locator(".article-pane")).to_be_hidden()
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-article]")).to_be_visible()
    first = await page.locator("[data-article]").get_attribute("data-article")
    await page.keyboard.press("j")
    await expect(page.locator(f"[data-article]:not([data-article='{first}'])")).to_be_visible()
    await expect(page.locator("[data-item].is-current ~ [data-item]").first).to_be_attached()
    await page.get_by_role("link", name="Back to the list").click()

    await expect(page.locator(".article-pane")).to_be_hidden()
    assert wide <= width
    assert problems == []


async def test_a_feed_remembers_how_its_list_is_shown_and_others_stay(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    feed = await page.locator(".tree .nav-link[data-feed]").nth(1).get_attribute("href")
    assert feed

    await page.goto(feed)
    await choose_layout(page, "Cards")
    await expect(page.locator("[data-layout='cards']")).to_be_visible()
    await page.get_by_label("Order: Newest first").click()
    await page.get_by_role("button", name="Oldest first").click()
    await expect(page.get_by_label("Order: Oldest first")).to_be_visible()
    await page.get_by_role("button", name="All", exact=True).click()
    await expect(page.get_by_role("button", name="All", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    await page.goto("/read/all")
    await expect(page.locator("[data-layout='list']")).to_be_visible()
    await page.goto(feed)

    await expect(page.locator("[data-layout='cards']")).to_be_visible()
    await expect(page.get_by_label("Order: Oldest first")).to_be_visible()
    times = await page.locator(".row time").evaluate_all("all => all.map((t) => t.dateTime)")
    assert times == sorted(times)
    assert page.url.endswith(feed)
