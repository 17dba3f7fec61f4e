"""From `make run` on an empty folder to an article of one's own choice."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, expect

from tests.factories_feeds import entry
from tests.journeys.web.test_logs import free_port, reachable
from tests.publisher import Publisher
from tests.serving import PASSWORD, Visitor

MOST_CLICKS = 6


async def test_somebody_new_reads_what_they_chose_within_six_clicks(
    browser: Browser, publisher: Publisher, tmp_path: Path
):
    host = "127.91.1.2"
    feed = publisher.feed("/mine.xml", title="My site", entries=[entry(1), entry(2)], host=host)
    link = f'<link rel="alternate" type="application/rss+xml" href="{feed}">'
    site = publisher.page("/", f"<html><head>{link}", host=host)
    port = free_port()
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": str(tmp_path),
        "FEEDLOOM_ALLOW_NETWORKS": "127.0.0.0/8",
        "FEEDLOOM_PORT": str(port),
    }
    with (tmp_path / "log.txt").open("wb") as log:
        running = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "feedloom", "serve"), env=environment, stderr=log, stdout=log
        )
        try:
            clicks = await first_minutes(browser, f"http://127.0.0.1:{port}", site)
        finally:
            running.terminate()
            await running.wait()

    assert len(clicks) <= MOST_CLICKS, clicks


async def first_minutes(browser: Browser, url: str, site: str) -> list[str]:
    """Do what somebody new does, and tell what was clicked."""
    expect.set_options(timeout=30_000)
    await reachable(Visitor(url))
    page = await browser.new_page(base_url=url, viewport={"width": 360, "height": 740})
    clicks: list[str] = []

    async def click(role: Literal["button", "checkbox", "link", "radio"], name: str) -> None:
        clicks.append(name)
        await page.get_by_role("main").get_by_role(role, name=name).first.click()

    await page.goto("/")
    await click("link", "Create an account")
    await page.get_by_label("Email").fill("ada@example.org")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_label("Confirm").fill(PASSWORD)
    await click("checkbox", "I have read")
    await page.keyboard.press("Enter")
    await click("radio", "Nobody")
    await click("button", "Save")
    await expect(page.get_by_role("heading", name="Welcome to Feedloom")).to_be_visible()
    await page.locator("#add-url").fill(site)
    await page.keyboard.press("Enter")
    await click("link", "Read it")
    await click("link", "Entry 2")
    await expect(page.locator("#article")).to_contain_text("what entry 2 says")
    await page.context.close()
    return clicks
