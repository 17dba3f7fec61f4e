"""Bookmarks and digests in a real browser, the model up and down."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser import watch_errors
from tests.databases import sqlite_databases
from tests.factories_feeds import entry
from tests.journeys.distill.test_bookmarks import ARTICLE
from tests.journeys.web.browsing import Desk
from tests.model_api import ModelAPI, fails, says
from tests.publisher import PublisherThread
from tests.serving import open_server

DOWN = "AI service is temporarily unavailable"


@pytest.fixture
async def api() -> AsyncIterator[ModelAPI]:
    async with ModelAPI() as running:
        yield running


@pytest.fixture
async def desk(tmp_path: Path, api: ModelAPI) -> AsyncIterator[Desk]:
    """Run a server whose model is the scripted one."""
    model = {"ai_base_url": api.base_url, "ai_model": "test-model"}
    databases = sqlite_databases(tmp_path)
    with (
        PublisherThread() as publisher,
        open_server(databases, tmp_path, ai_type="compatible", **model) as server,
    ):
        yield Desk(server, publisher)


async def expect_titles(page: Page, *titles: str) -> None:
    await expect(page.locator(".bookmark-title a")).to_have_text(list(titles))


async def test_the_life_of_a_bookmark(desk: Desk, browser: Browser, api: ModelAPI):
    api.script(says({"summary": "Clocks, told briefly.", "tags": ["history"]}))
    page = await desk.sign_in(browser, await desk.person())
    errors = watch_errors(page)
    await page.goto("/ui/?view=inbox")

    await page.get_by_placeholder("Address of a page").fill(desk.publisher.page("/clocks", ARTICLE))
    await page.get_by_role("button", name="Save", exact=True).click()
    row = page.locator(".bookmark")
    await expect(row).to_contain_text("Waiting to fetch the page")
    # Nobody reloads the page: it asks by itself until its bookmark was read.
    await desk.server.refresh_all(due_only=True)
    await expect(row).to_contain_text("Clocks, told briefly.", timeout=10_000)
    await expect(row.locator(".chip")).to_have_text("history")

    await row.get_by_role("button", name="Archive").click()
    await expect(page.get_by_text("The inbox is empty")).to_be_visible()
    await page.get_by_role("link", name="Archive").click()
    await page.get_by_role("link", name="How clocks work").click()
    await expect(page.locator("h1")).to_have_text("How clocks work")
    await page.get_by_role("button", name="Pin").click()
    await page.get_by_label("Tags").fill("history, clocks")
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.goto("/ui/?view=bookmarks")
    await expect(page.get_by_role("heading", name="Pinned")).to_be_visible()
    search = page.get_by_label("Search bookmarks")
    await search.fill("escapement")
    await search.press("Enter")
    await page.wait_for_url("**q=escapement*")
    await expect_titles(page, "How clocks work")
    await page.get_by_role("link", name="clocks", exact=True).first.click()
    await page.wait_for_url("**tag=clocks*")
    await expect_titles(page, "How clocks work")

    await page.get_by_label("Delete How clocks work").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.locator(".bookmark")).to_have_count(0)
    assert errors == []


async def test_a_bookmark_with_the_model_down(desk: Desk, browser: Browser, api: ModelAPI):
    api.script(fails(500))
    page = await desk.sign_in(browser, await desk.person())
    await page.goto("/ui/?view=inbox")

    await page.get_by_placeholder("Address of a page").fill(desk.publisher.page("/clocks", ARTICLE))
    await page.get_by_role("button", name="Save", exact=True).click()
    row = page.locator(".bookmark")
    await desk.server.refresh_all(due_only=True)
    await expect(row).to_contain_text(DOWN, timeout=10_000)
    await expect(row).to_contain_text("A short history of clocks.")

    api.script(says({"summary": "Up again.", "tags": []}))
    await row.get_by_role("button", name="Retry").click()
    await desk.server.refresh_all(due_only=True)
    await expect(row).to_contain_text("Up again.", timeout=10_000)
    await expect(row.get_by_role("button", name="Retry")).to_have_count(0)


async def test_a_digest_is_made_at_the_press_of_a_button(
    desk: Desk, browser: Browser, api: ModelAPI
):
    email = await desk.person()
    now = desk.server.container.clock.now()
    url = desk.publisher.feed("/feed.xml", entries=[entry(1, published_at=now)])
    page = await desk.sign_in(browser, email)
    await page.goto("/dashboard")
    await page.get_by_text("see your dashboard").click()
    panel = page.locator("#summary-container")
    make = panel.get_by_role("button", name="Generate")

    await make.click()
    await expect(panel).to_contain_text("No articles found from the last 24 hours")
    await page.get_by_label("Name").fill("News")
    await page.get_by_label("Feed URL").fill(url)
    await page.locator(".welcome-rest").get_by_role("button", name="Add").click()
    await expect(page.locator("#feed-list-container")).to_contain_text("News")
    await desk.server.refresh_all(due_only=True)
    api.script(fails(500))
    await make.click()
    await expect(panel).to_contain_text(DOWN, timeout=10_000)
    api.script(says({"paragraphs": ["This is what entry 1 says, in a sentence or two [1]."]}))
    await make.click()
    await expect(panel).to_contain_text("This is what entry 1 says, in a sentence or two.")
    await panel.get_by_role("button", name="Generate again").click()
    await expect(panel).to_contain_text("just generated. Please wait")
    await expect(panel).to_contain_text("This is what entry 1 says, in a sentence or two.")

    await panel.locator(".cite a").first.click()
    await expect(page.locator(".article-title")).to_have_text("Entry 1")
