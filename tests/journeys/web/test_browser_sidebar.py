"""Three hundred feeds beside what one reads: filtered, folded, moved, and text to taste."""

import re

import pytest
from playwright.async_api import Browser, expect

from tests.journeys.web.browsing import Desk, desk, reader

__all__ = ["desk", "reader"]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=15_000)


async def test_feeds_are_filtered_by_their_name(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    feeds = page.locator(".tree .nav-link[data-feed]:visible")
    everything = await feeds.count()
    name = await feeds.last.locator(".nav-text").inner_text()

    await page.get_by_role("button", name="Filter feeds").click()
    await page.get_by_role("searchbox", name="Filter feeds").fill(name.upper())
    await expect(feeds).to_have_count(1)
    await expect(feeds.first).to_contain_text(name)
    await page.keyboard.press("Escape")

    await expect(feeds).to_have_count(everything)


async def test_feeds_without_unread_articles_can_be_left_out(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/starred")
    quiet = page.locator(".tree .nav-link[data-feed]", has_text="An old favourite")
    await expect(quiet).to_be_visible()

    await page.get_by_role("button", name="Only feeds with unread").click()
    await expect(quiet).to_be_hidden()
    await page.reload()
    await expect(quiet).to_be_hidden()
    await page.get_by_role("button", name="Only feeds with unread").click()

    await expect(quiet).to_be_visible()


async def test_all_folders_fold_at_once(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")

    await page.get_by_role("button", name="Collapse or expand").click()

    await expect(page.locator("details[data-folder][open]")).to_have_count(0)
    await page.get_by_role("button", name="Collapse or expand").click()
    await expect(page.locator("details[data-folder]:not([open])")).to_have_count(0)


async def test_a_feed_is_dragged_to_a_folder_and_out_again(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    branches = page.locator(".tree .branch")
    feed = branches.first.locator(".nav-link[data-feed]").first
    number = await feed.get_attribute("data-feed")
    target = branches.nth(1)

    await feed.drag_to(target.locator(".nav-link[data-sum]").first)
    await expect(target.locator(f"[data-feed='{number}']")).to_be_visible()
    await page.locator(f"[data-feed='{number}']").first.drag_to(
        page.locator("[data-drop-root]")
    )

    await expect(page.locator(f".branch [data-feed='{number}']")).to_have_count(0)
    await expect(page.locator(f".tree [data-feed='{number}']")).to_be_visible()


async def test_the_title_of_the_tab_counts_what_is_unread(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    count = await page.locator("[data-total=unread] .count").inner_text()
    await expect(page).to_have_title(f"({count}) All articles · Feedloom")

    await page.keyboard.press("j")

    left = int(count) - 1
    await expect(page).to_have_title(re.compile(rf"^\({left}\) "))


async def test_text_is_set_to_taste_while_reading(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?item=3")
    sheet = page.locator(".article-sheet")
    before = await sheet.bounding_box()

    await page.locator(".text-menu summary").click()
    async with page.expect_response("**/settings/theme"):
        await page.get_by_role("button", name="Narrow").click()
    async with page.expect_response("**/settings/theme"):
        await page.get_by_role("button", name="Huge").click()
    await expect(page.get_by_role("button", name="Huge")).to_have_attribute(
        "aria-pressed", "true"
    )
    await page.reload()
    after = await sheet.bounding_box()

    assert before
    assert after
    assert after["width"] < before["width"]
    await expect(page.locator("html")).to_have_attribute("data-size", "huge")
