"""The keyboard, on a slow line too: the selection is always where the keys put it."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.journeys.web.browsing import Desk, desk, reader, slow_down

__all__ = ["desk", "reader"]

LATENCIES_MS = [400, 2_500]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=30_000)


async def titles(page: Page) -> list[str]:
    return await page.locator(".row-title").all_inner_texts()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("latency_ms", LATENCIES_MS)
async def test_overtaken_answers_never_move_the_selection(
    desk: Desk, browser: Browser, reader: str, latency_ms: int
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?show=all")
    all_titles = await titles(page)
    await slow_down(page, latency_ms)

    for _ in range(10):
        await page.keyboard.press("j")
    chosen = page.locator(".row.is-current .row-title")
    marked_at_once = await chosen.inner_text()
    await expect(page.locator("#article .article-title")).to_have_text(all_titles[9])

    assert marked_at_once == all_titles[9]
    assert await chosen.inner_text() == all_titles[9]
    assert await page.locator(".toast-bad").count() == 0


@pytest.mark.parametrize("way", ["link", "Escape"])
@pytest.mark.parametrize("place", ["/read/all?show=all", "/ui/?view=feeds"])
async def test_an_article_that_comes_after_one_went_back_to_the_list_does_not_open(
    desk: Desk, browser: Browser, reader: str, place: str, way: str
):
    page = await desk.sign_in(browser, reader, viewport={"width": 360, "height": 800})
    await page.goto(place)
    pane = page.locator("#article, #detail")
    await page.locator(".row-link, .item-link").first.click()
    await expect(pane.locator("[data-article]")).to_be_visible()
    await slow_down(page, LATENCIES_MS[0])
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    # The next article was fetched ahead, the one after it was not.
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    if way == "link":
        await page.locator("[data-back]:visible").first.click()
    else:
        await page.keyboard.press("Escape")
    await page.wait_for_timeout(1_500)

    assert [url for url in asked if re.search(r"/(articles|ui/items)/\d+$", url)]
    await expect(pane.locator("[data-article]")).to_have_count(0)
    await expect(page.locator(".row-link, .item-link").first).to_be_visible()
    assert "item=" not in page.url
    assert await page.locator(".toast-bad").count() == 0


async def test_an_article_that_comes_after_the_browser_went_back_does_not_open(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?show=all")
    first, second = (await titles(page))[:2]
    title = page.locator("#article .article-title")
    third = await page.locator(".row-link").nth(2).get_attribute("hx-get")

    async def late(route: Route) -> None:
        await asyncio.sleep(1)
        await route.continue_()

    await page.route(f"**{third}", late)
    for shown in (first, second):
        await page.keyboard.press("j")
        await expect(title).to_have_text(shown)

    await page.keyboard.press("j")
    await page.go_back()
    await expect(title).to_have_text(first)
    await page.wait_for_timeout(1_500)

    await expect(title).to_have_text(first)
    await expect(page.locator(".row.is-current .row-title")).to_have_text(first)
    item = await page.locator("#article [data-article]").get_attribute("data-article")
    assert page.url.endswith(f"item={item}")


async def test_escape_gives_up_waiting_for_the_first_article(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader, viewport={"width": 360, "height": 800})
    await page.goto("/read/all?show=all")
    await slow_down(page, LATENCIES_MS[0])

    await page.keyboard.press("j")
    await page.keyboard.press("o")
    await page.keyboard.press("Escape")
    await page.wait_for_timeout(1_500)

    await expect(page.locator("#article [data-article]")).to_have_count(0)
    assert "item=" not in page.url


async def test_counts_that_come_late_leave_out_no_mark(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?show=all")
    unread = page.locator(".sidebar [data-total=unread] .count")
    before = int(await unread.inner_text())

    async def late(route: Route) -> None:
        answer = await route.fetch()
        await asyncio.sleep(0.7)
        await route.fulfill(response=answer)

    await page.route("**/ui/counts*", late)

    # One mark is under way when the numbers are asked for, one is made while they come.
    await page.locator(".row.is-unread .icon-read").first.click()
    async with page.expect_response("**/ui/counts*"):
        await page.evaluate("document.dispatchEvent(new CustomEvent('counts'))")
        await page.wait_for_timeout(300)
        await page.locator(".row.is-unread .icon-read").first.click()
    await page.wait_for_timeout(300)

    await expect(unread).to_have_text(str(before - 2))
    await page.wait_for_timeout(1_200)
    await expect(unread).to_have_text(str(before - 2))


async def test_a_slow_request_shows_a_bar_and_a_quick_one_does_not(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?show=all")
    bar = page.locator("#progress-bar.is-busy")
    await slow_down(page, 1_500)

    await page.get_by_role("link", name="Starred").first.click()
    await expect(bar).to_have_count(1)
    await expect(page.locator(".list-name h1")).to_have_text("Starred")

    await expect(bar).to_have_count(0)


async def test_the_next_article_is_fetched_ahead(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?show=all")
    second = (await titles(page))[1]
    path = await page.locator(".row-link").nth(1).get_attribute("hx-get")
    async with page.expect_response(f"**{path}"):
        await page.keyboard.press("j")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_have_text(second)

    assert not [url for url in asked if url.endswith(str(path))]


async def test_letters_lead_to_the_next_feed_and_folder(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    feeds = await page.locator(".tree .nav-link[data-feed]").all()
    folders = await page.locator(".tree .branch > .nav-link").all()
    hrefs = [await link.get_attribute("href") for link in feeds]
    folder = await folders[0].get_attribute("href")

    for key, href in (("n", hrefs[0]), ("n", hrefs[1]), ("p", hrefs[0])):
        await page.keyboard.press(key)
        await expect(page).to_have_url(re.compile(f"{href}$"))
        await page.wait_for_load_state()
    await page.goto("/read/all")
    await page.keyboard.press("Shift+N")
    await expect(page).to_have_url(re.compile(f"{folder}$"))


async def test_pressing_twice_goes_two_feeds_on_though_no_page_came_yet(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    links = page.locator(".tree .nav-link[data-feed]")
    second = await links.nth(1).get_attribute("href")
    await slow_down(page, LATENCIES_MS[0])

    await page.keyboard.press("n")
    await page.keyboard.press("n")

    await expect(page).to_have_url(re.compile(f"{second}$"))


async def test_space_reads_on_to_the_next_article(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader, viewport={"width": 1280, "height": 400})
    await page.goto("/read/all?show=all")
    first, second = (await titles(page))[:2]
    title = page.locator("#article .article-title")
    await page.keyboard.press("Space")
    await expect(title).to_have_text(first)

    for _ in range(50):
        await page.keyboard.press("Space")
        await page.wait_for_timeout(20)
        if await title.inner_text() != first:
            break

    await expect(title).to_have_text(second)


async def test_escape_leaves_the_field_and_then_the_search(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/search?q=harbour")
    await page.keyboard.press("/")
    await expect(page.locator("#side-search")).to_be_focused()

    await page.keyboard.press("Escape")
    await expect(page.locator("#side-search")).not_to_be_focused()
    await page.keyboard.press("Escape")

    await expect(page).to_have_url(re.compile("/read/unread"))


async def test_r_asks_publishers_and_says_so(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")

    async with page.expect_response("**/feeds/refresh") as answer:
        await page.keyboard.press("r")

    assert (await answer.value).ok
    await expect(page.locator(".toast", has_text="Fetching your feeds")).to_be_visible()


async def test_keys_can_be_changed_and_the_help_shows_them(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/settings/keyboard")
    await page.get_by_label("next article").fill("k")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("the same key: k")
    await page.get_by_label("previous article").fill("i")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status").first).to_contain_text("Saved")

    await page.goto("/read/all?show=all")
    first = (await titles(page))[0]
    await page.keyboard.press("k")
    await expect(page.locator("#article .article-title")).to_have_text(first)
    await page.keyboard.press("Shift+?")

    help_ = page.locator("#help")
    await expect(help_.locator("div", has_text="next article").first).to_contain_text("k")
    await page.goto("/settings/keyboard")
    await page.get_by_role("button", name="Restore the default keys").click()
    await expect(page.get_by_label("next article")).to_have_value("j")
