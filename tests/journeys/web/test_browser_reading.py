"""Reading in a real Chromium: leaving an article, tags, undo, keys, one hand on a phone."""

import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.journeys.web.browsing import Desk, desk, reader

__all__ = ["desk", "reader"]

PHONE = {"width": 360, "height": 740}
BETWEEN = {"width": 900, "height": 800}
NOTE_WHAT_OUTLIVES_THE_PAGE = """
window.outliving = [];
const asked = window.fetch;
window.fetch = (path, options) => {
  if (options?.keepalive) window.outliving.push(path);
  return asked(path, options);
};
"""


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=10_000)


async def titles(page: Page) -> list[str]:
    return await page.locator(".row-title").all_inner_texts()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", ["/read/all?show=all&order=oldest", "/read/starred"])
async def test_leaving_an_article_on_a_phone_keeps_the_address_of_its_list(
    desk: Desk, browser: Browser, reader: str, path: str
):
    page = await desk.sign_in(browser, reader, viewport=PHONE)
    await page.goto(path)
    before = await titles(page)
    await page.locator(".row-link").first.click()
    await expect(page.locator("#article .article-title")).to_be_visible()

    await page.get_by_label("Back to the list").click()
    await expect(page.locator(".list-pane")).to_be_visible()
    address = page.url
    await page.reload()

    assert path.partition("?")[0] in address
    assert "item=" not in address
    assert await titles(page) == before


async def test_escape_empties_the_pane_and_keeps_the_search(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/search?q=harbour")
    count = await page.locator(".row").count()
    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_be_visible()

    await page.keyboard.press("Escape")

    await expect(page.locator("#article .article-none")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"/search\?q=harbour(?!.*item=)"))
    await expect(page).to_have_title(re.compile("Search: harbour · Feedloom"))
    await expect(page.locator(".row.is-current")).to_have_count(1)
    await page.go_back()
    await expect(page.locator("#article .article-title")).to_be_visible()
    await page.reload()
    assert await page.locator(".row").count() == count


async def test_a_tag_appears_in_place_and_the_list_stays(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    await page.keyboard.press("j")
    field = page.get_by_label("Add a tag")
    await field.fill("winter")
    await field.press("Enter")

    await expect(page.locator(".article-tags .chip", has_text="winter")).to_be_visible()
    await expect(page.locator("#nav")).to_contain_text("winter")
    await expect(page.locator(".list-pane")).to_be_visible()
    await expect(page).to_have_url(re.compile("/read/all"))
    await expect(field).to_have_value("")
    await expect(field).to_be_focused()
    await page.get_by_label("Remove the tag winter").click()
    await expect(page.locator(".article-tags .chip", has_text="winter")).to_have_count(0)


async def test_a_tag_of_nothing_but_spaces_is_told_in_place(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?item=2")
    await page.get_by_label("Add a tag").fill("  ")
    await page.get_by_role("button", name="Tag", exact=True).click()

    await expect(page.locator(".article-tags .error")).to_be_visible()
    await expect(page.get_by_label("Add a tag")).to_be_visible()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [360, 900, 1280])
async def test_an_article_alone_has_a_way_back_at_every_width(
    desk: Desk, browser: Browser, reader: str, width: int
):
    size = {"width": width, "height": 740}
    page = await desk.sign_in(browser, reader, viewport=size)
    await page.goto("/articles/2")

    await page.get_by_label("Back to the list").click()

    await expect(page.locator(".row").first).to_be_visible()
    await expect(page).to_have_url(re.compile(r"/read/feed/\d+\?show=all"))


async def test_undoing_a_dismissal_leaves_one_row_current(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all")
    first, second, third = (await titles(page))[:3]
    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_have_text(first)
    await page.keyboard.press("x")
    await expect(page.locator("#article .article-title")).to_have_text(second)
    await expect(page.locator(".toast", has_text="Dismissed.")).to_be_visible()

    await page.keyboard.press("u")

    await expect(page.locator(".row-title").first).to_have_text(first)
    await expect(page.locator(".row.is-current")).to_have_count(1)
    await expect(page.locator("[data-item] [aria-current]")).to_have_count(1)
    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_have_text(third)


async def test_between_phone_and_desk_keys_open_and_search(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader, viewport=BETWEEN)
    await page.goto("/read/all")
    first = (await titles(page))[0]

    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_have_text(first)
    await page.keyboard.press("/")

    await expect(page.locator("#side-search")).to_be_focused()
    await expect(page.locator("#side-search")).to_be_visible()


async def open_without_star(page: Page) -> str:
    """Open an article of the river that has no star; answer with its number."""
    await page.goto("/ui/?view=feeds")
    row = page.locator(".item:not(.is-starred)").first
    item = await row.get_attribute("data-item")
    await row.locator(".item-link").click()
    await expect(page.locator("#detail .icon-star")).to_have_attribute("aria-pressed", "false")
    assert item is not None
    return item


async def test_the_browser_is_told_to_send_a_mark_even_when_the_page_is_left(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.add_init_script(NOTE_WHAT_OUTLIVES_THE_PAGE)
    item = await open_without_star(page)

    async with page.expect_response("**/articles/mark"):
        await page.keyboard.press("s")
    sent = await page.evaluate("window.outliving")
    await page.goto("/read/starred")

    assert "/articles/mark" in sent
    await expect(page.locator(f"[data-item='{item}']").first).to_be_visible()


async def test_a_star_in_the_river_is_seen_in_row_and_panel(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    item = await open_without_star(page)
    star = page.locator("#detail .icon-star")

    async with page.expect_response("**/articles/mark"):
        await page.keyboard.press("s")

    await expect(page.locator(f"#item-{item}.is-starred")).to_be_visible()
    await expect(star).to_have_attribute("aria-pressed", "true")
    await page.reload()
    await expect(page.locator(f"#item-{item}.is-starred")).to_be_visible()
    await star.click()
    await expect(page.locator(f"#item-{item}.is-starred")).to_have_count(0)
