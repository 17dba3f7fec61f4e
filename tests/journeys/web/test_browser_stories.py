"""Stories in a real Chromium: folded rows, the wording board, marks, on any screen."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser import Axe, watch_errors
from tests.journeys.web.browsing import Desk, desk
from tests.journeys.web.newsroom import COPIED, PAPERS, subscribe
from tests.journeys.web.people import Person, arrive

__all__ = ["desk"]

WIDEST = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SIZES = (360, 1280)


async def reader(desk: Desk) -> Person:
    person = await arrive(desk.server)
    await subscribe(person, desk.publisher)
    return person


@pytest.mark.parametrize("width", SIZES)
async def test_a_story_is_found_compared_followed_and_muted(
    desk: Desk, browser: Browser, axe: Axe, width: int
):
    person = await reader(desk)
    page = await desk.sign_in(browser, person.email, viewport={"width": width, "height": 800})
    errors = watch_errors(page)
    await page.goto("/stories")
    assert await axe(page) == []
    story = page.get_by_role("link", name=PAPERS[0].vote)
    await story.click()
    await expect(page.locator(".board-line")).to_have_count(4)

    assert await axe(page) == []
    assert await page.evaluate(WIDEST) <= 0
    await page.emulate_media(color_scheme="dark")
    assert await axe(page) == []
    await page.emulate_media(color_scheme="light")
    await expect(page.locator(".trend")).to_have_count(4)
    await page.get_by_role("button", name="Follow", exact=True).click()
    await expect(page.get_by_text("You follow this story.")).to_be_visible()
    await page.get_by_role("button", name="Mark all read").click()
    await expect(page.locator(".timeline .is-unread")).to_have_count(0)
    await page.get_by_role("button", name="Mute", exact=True).click()
    await expect(page.get_by_role("button", name="Unmute")).to_be_visible()
    await page.goto("/read/all")
    await expect(page.get_by_text(PAPERS[2].vote)).to_have_count(0)
    assert errors == []


@pytest.mark.parametrize("width", SIZES)
async def test_a_folded_row_opens_and_its_articles_too(
    desk: Desk, browser: Browser, axe: Axe, width: int
):
    person = await reader(desk)
    page = await desk.sign_in(browser, person.email, viewport={"width": width, "height": 800})
    errors = watch_errors(page)
    await page.goto("/read/all")
    await page.locator(".list-tools .menu summary").first.click()
    await page.get_by_role("button", name="Fold stories").click()
    row = page.locator(".row", has_text=PAPERS[0].vote)
    await row.get_by_text("Also in 3 other feeds").click()
    await expect(row.get_by_role("link", name=PAPERS[3].vote)).to_be_visible()
    assert await axe(page) == []
    assert await page.evaluate(WIDEST) <= 0

    await row.get_by_role("link", name=PAPERS[3].vote).click()

    await expect(page.locator("article .article-title")).to_have_text(PAPERS[3].vote)
    await page.goto("/read/all")
    await row.get_by_text("Also in 3 other feeds").click()
    await row.get_by_role("button", name="Mark story read").click()
    await expect(page.get_by_text("Story marked as read.")).to_be_visible()
    await expect(page.locator(".row.is-unread", has_text=PAPERS[0].vote)).to_have_count(0)
    assert errors == []


async def test_marking_a_folded_row_tells_the_counts_of_all_feeds(desk: Desk, browser: Browser):
    person = await reader(desk)
    page = await desk.sign_in(browser, person.email)
    await page.goto("/read/all")
    unread = page.locator("[data-total=unread] .count")
    await expect(unread).to_have_text("24")

    row = page.locator(".row", has_text=COPIED)
    await row.hover()
    await row.get_by_role("button", name="Mark read", exact=True).click()

    await expect(unread).to_have_text("20")


async def test_stories_work_without_scripts(desk: Desk, browser: Browser):
    person = await reader(desk)
    page = await desk.sign_in(browser, person.email, java_script_enabled=False)
    await page.goto("/stories")
    await page.get_by_role("link", name=PAPERS[0].vote).click()

    await page.get_by_role("button", name="Mark all read").click()

    await expect(page.get_by_text("Story marked as read.")).to_be_visible()
