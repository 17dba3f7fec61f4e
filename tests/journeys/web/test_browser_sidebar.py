"""Three hundred feeds beside what one reads: filtered, folded, moved, and text to taste."""

import re

import pytest
from playwright.async_api import Browser, expect

from tests.journeys.web.browsing import Desk, desk, reader

__all__ = ["desk", "reader"]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=15_000)


async def test_feeds_are_filtered_by_their_name(desk: Desk, browser: Browser, reader: str):
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
    await page.locator(f"[data-feed='{number}']").first.drag_to(page.locator("[data-drop-root]"))

    await expect(page.locator(f".branch [data-feed='{number}']")).to_have_count(0)
    await expect(page.locator(f".tree [data-feed='{number}']")).to_be_visible()


async def test_a_feed_is_moved_to_a_folder_by_keyboard(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    feed = page.locator(".tree .branch").first.locator(".nav-link[data-feed]").first
    number = await feed.get_attribute("data-feed")
    await page.goto(f"/read/feed/{number}")

    await page.keyboard.press("f")
    await page.locator("dialog[open] select").select_option(label="No folder")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    await expect(page.locator("dialog[open]")).to_have_count(0)
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


async def test_text_is_set_to_taste_while_reading(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?item=3")
    sheet = page.locator(".article-sheet")
    before = await sheet.bounding_box()

    await page.locator(".text-menu summary").click()
    async with page.expect_response("**/settings/theme"):
        await page.get_by_role("button", name="Narrow").click()
    async with page.expect_response("**/settings/theme"):
        await page.get_by_role("button", name="Huge").click()
    await expect(page.get_by_role("button", name="Huge")).to_have_attribute("aria-pressed", "true")
    await page.reload()
    after = await sheet.bounding_box()

    assert before
    assert after
    assert after["width"] < before["width"]
    await expect(page.locator("html")).to_have_attribute("data-size", "huge")


async def test_selected_feeds_are_moved_paused_and_left_together(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/dashboard")
    boxes = page.locator(".feed-row input[name=feed]")
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    chosen = [await boxes.nth(n).get_attribute("value") for n in (0, 1)]
    verbs = page.locator(".selection-verbs")
    await expect(verbs).to_be_visible()

    folder = await verbs.locator("option").last.get_attribute("value")
    await verbs.locator("select").select_option(folder)
    await verbs.get_by_role("button", name="Move").click()
    await expect(page.locator(".toast", has_text="Moved 2 feeds.")).to_be_visible()
    branch = page.locator(f".branch:has(> [data-sum='{folder}'])")
    for number in chosen:
        await expect(branch.locator(f"[data-feed='{number}']")).to_have_count(1)

    await page.locator(f".feed-row input[value='{chosen[0]}']").check()
    await verbs.get_by_role("button", name="Pause").click()
    await expect(page.locator(f"#feed-item-{chosen[0]}")).to_contain_text("Paused")
    await page.locator(f".feed-row input[value='{chosen[0]}']").check()
    await verbs.get_by_role("button", name="Resume").click()
    await expect(page.locator(f"#feed-item-{chosen[0]}")).not_to_contain_text("Paused")

    await page.locator(f".feed-row input[value='{chosen[0]}']").check()
    await verbs.get_by_role("button", name="Unsubscribe").click()
    await page.locator(".dialog").get_by_role("button", name="Unsubscribe").click()
    await expect(page.locator(f"#feed-item-{chosen[0]}")).to_have_count(0)
    await expect(page.locator(f"#feed-item-{chosen[1]}")).to_have_count(1)


async def test_the_list_of_feeds_is_sorted_as_asked(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/dashboard")
    await expect(page.locator(".feed-row").first).to_be_visible()

    await page.get_by_label("Sort by").select_option("errors")
    await expect(page.locator(".feed-row").first).to_contain_text("An old favourite")
    await expect(page).to_have_url(re.compile("sort=errors"))
    await page.get_by_label("Sort by").select_option("unread")

    counts = page.locator(".feed-row .feed-unread b")
    await expect(page).to_have_url(re.compile("sort=unread"))
    numbers = [int(text) for text in await counts.all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)
