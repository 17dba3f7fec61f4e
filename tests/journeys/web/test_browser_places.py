"""Going back and loading again: rows, scroll and selection are where they were."""

import re

import pytest
from playwright.async_api import Browser, Page, expect

from feedloom.app import Container
from tests.factories_feeds import fresh
from tests.journeys.web.browsing import Desk, desk, find_user

__all__ = ["desk"]

MANY = 49


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=15_000)


@pytest.fixture
async def collector(desk: Desk) -> str:
    """Make an account with two pages of articles."""
    email = await desk.person()
    entries = fresh(2 * MANY)
    urls = [
        desk.publisher.feed(f"/{email[:8]}-{n}.xml", title=f"Blog {n}", entries=entries[n::2])
        for n in range(2)
    ]

    async def subscribe(container: Container) -> None:
        user = await find_user(container, email)
        for url in urls:
            await container.subscribing().add(user, url, exact=True)

    await desk.server.call(subscribe)
    await desk.server.refresh_all()
    return email


async def walk_far(page: Page) -> tuple[str, float]:
    """Load the second page of a list and choose a row there."""
    await page.goto("/read/all?show=all")
    await expect(page.locator(".row")).to_have_count(50)
    await page.locator("#more").scroll_into_view_if_needed()
    await expect(page.locator(".row")).to_have_count(2 * MANY)
    row = page.locator(".row").nth(70)
    number = await row.get_attribute("data-item")
    await row.locator(".row-link").click()
    await expect(page.locator(f"#article [data-article='{number}']")).to_be_visible()
    return str(number), await scrolled(page)


async def scrolled(page: Page) -> float:
    top: float = await page.evaluate("document.querySelector('.list-pane').scrollTop")
    return top


async def see_the_same(page: Page, number: str, top: float) -> None:
    await expect(page.locator(".row")).to_have_count(2 * MANY)
    await expect(page.locator(f"#row-{number}.is-current")).to_be_in_viewport()
    assert abs(await scrolled(page) - top) < 120


async def test_back_from_another_page_restores_the_list(
    desk: Desk, browser: Browser, collector: str
):
    page = await desk.sign_in(browser, collector)
    number, top = await walk_far(page)
    await page.get_by_role("link", name="Settings").first.click()
    await expect(page).to_have_url(re.compile("/settings"))

    await page.go_back()

    await see_the_same(page, number, top)
    await page.keyboard.press("j")
    await expect(page.locator(".row").nth(71)).to_have_class(re.compile("is-current"))


async def test_loading_again_restores_the_list(desk: Desk, browser: Browser, collector: str):
    page = await desk.sign_in(browser, collector)
    number, top = await walk_far(page)

    await page.reload()

    await see_the_same(page, number, top)


async def test_the_river_is_where_it_was(desk: Desk, browser: Browser, collector: str):
    page = await desk.sign_in(browser, collector, viewport={"width": 1280, "height": 400})
    await page.goto("/ui/?view=feeds")
    item = page.locator(".item").last
    await item.scroll_into_view_if_needed()
    number = await item.get_attribute("data-item")
    await item.locator(".item-link").click()
    await expect(page.locator(f"#detail [data-article='{number}']")).to_be_visible()
    top = await page.evaluate("document.scrollingElement.scrollTop")
    await page.get_by_role("link", name="Directory").first.click()
    await expect(page).to_have_url(re.compile("/directory"))

    await page.go_back()

    await expect(page.locator(f"#item-{number}.is-current")).to_be_in_viewport()
    assert abs(await page.evaluate("document.scrollingElement.scrollTop") - top) < 120


async def test_a_deep_link_opens_with_its_surroundings(
    desk: Desk, browser: Browser, collector: str
):
    page = await desk.sign_in(browser, collector)
    number, _ = await walk_far(page)
    fresh = await desk.sign_in(browser, collector)

    await fresh.goto(f"/read/all?show=all&item={number}")

    row = fresh.locator(f"#row-{number}")
    await expect(row).to_be_in_viewport()
    await expect(row).to_have_class(re.compile("is-current"))
    assert await fresh.locator(".row").count() > 20
    await fresh.keyboard.press("k")
    await expect(fresh.locator(f"#row-{number}")).not_to_have_class(re.compile("is-current"))
    await fresh.get_by_role("link", name="To the top of the list").click()
    await expect(fresh).to_have_url(re.compile(r"/read/all\?show=all(?!.*item)"))


async def test_signing_out_forgets_what_the_tab_kept(desk: Desk, browser: Browser, collector: str):
    page = await desk.sign_in(browser, collector)
    await walk_far(page)
    await page.reload()
    assert await page.evaluate("sessionStorage.length") > 0

    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(re.compile("/auth/login|/$"))

    await expect(page.locator("body.signed-out")).to_be_visible()
    assert await page.evaluate("sessionStorage.length") == 0
