"""The browser extension in a real Chromium, on a news portal on loopback."""

import json
import shutil
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, async_playwright, expect

from tests.browser import FLAGS
from tests.journeys.proxies.desk import Desk
from tests.journeys.proxies.test_reading import CALM, SHRILL
from tools.build_extension import SOURCE, build

MANIFEST = json.loads((SOURCE / "manifest.json").read_text("utf-8"))
QUIET = "You won't BELIEVE what this evil council just did!"


@dataclass(frozen=True, slots=True)
class Extended:
    """A browser with the extension, and where its pages are."""

    context: BrowserContext
    base: str

    async def open(self, page: str) -> Page:
        opened = await self.context.new_page()
        await opened.goto(f"{self.base}/{page}")
        return opened


@pytest.fixture
async def extended(tmp_path: Path) -> AsyncIterator[Extended]:
    """Start Chromium with the extension; nobody can click its permission prompts."""
    folder = tmp_path / "extension"
    with zipfile.ZipFile(build(tmp_path)) as packed:
        packed.extractall(folder)
    granted = MANIFEST | {"host_permissions": ["http://127.0.0.1/*"]}
    (folder / "manifest.json").write_text(json.dumps(granted))
    flags = [flag for flag in FLAGS if flag != "--headless"]
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            str(tmp_path / "profile"),
            executable_path=shutil.which("chromium") or "",
            headless=False,
            args=[
                *flags,
                "--headless=new",
                f"--disable-extensions-except={folder}",
                f"--load-extension={folder}",
            ],
        )
        workers = context.service_workers
        worker = workers[0] if workers else await context.wait_for_event("serviceworker")
        yield Extended(context, worker.url.rpartition("/")[0])
        await context.close()


async def portal(desk: Desk) -> str:
    """Place a news site with a page that links to its articles, and deframe its feed."""
    entries = [
        desk.entry(2, title=SHRILL, content="<p>The council met on Tuesday.</p>"),
        desk.entry(1, title=CALM, content="<p>The council met on Tuesday.</p>"),
    ]
    feed = desk.publisher.feed("/portal.xml", entries=entries, title="Portal")
    await desk.built(feed, root_domain="127.0.0.1")
    links = "".join(
        f'<h2><a href="/articles/{n}">{title}</a></h2>' for n, title in ((2, SHRILL), (1, CALM))
    )
    return desk.publisher.page(
        "/portal", f'<link rel="alternate" type="application/rss+xml" href="{feed}">{links}'
    )


async def signed_in(desk: Desk, extended: Extended) -> str:
    email = "extension@example.org"
    await desk.server.register(email)
    password = await desk.server.app_password(email)
    page = await extended.open("options.html")
    await page.fill("#server", desk.server.url)
    await page.fill("#password", password)
    await page.click("button")
    await expect(page.locator("#said")).to_have_text(f"Signed in as {email}.")
    return email


async def test_headlines_are_calm_where_it_is_switched_on(desk: Desk, extended: Extended):
    url = await portal(desk)
    email = await signed_in(desk, extended)
    site = await extended.context.new_page()
    await site.goto(url)
    headline = site.locator("h2 a").first
    await expect(headline).to_have_text(SHRILL)

    popup = await extended.open(f"popup.html?url={url}")
    await expect(popup.locator("#items li")).to_have_count(2)
    await expect(popup.locator("#items")).to_contain_text(QUIET)
    await popup.check("#calm")
    await expect(popup.locator("#said")).to_contain_text("Load the page again")
    await site.reload()

    await expect(headline).to_have_text(QUIET)
    await expect(site.locator("h2 a").nth(1)).to_have_text(CALM)
    await headline.hover()
    await expect(headline).to_have_text(SHRILL)

    await popup.uncheck("#calm")
    await expect(popup.locator("#said")).to_contain_text("own headlines")
    await site.reload()
    await expect(headline).to_have_text(SHRILL)
    await _subscribes_and_saves(desk, popup, email)


async def _subscribes_and_saves(desk: Desk, popup: Page, email: str) -> None:
    await popup.click("#subscribe")
    await expect(popup.locator("#said")).to_contain_text("Subscribed to Portal", timeout=15_000)
    await popup.click("#bookmark")
    await expect(popup.locator("#said")).to_have_text("Saved to your bookmarks.")
    client = await desk.server.program(email)
    feeds = (await client.get("/feeds")).json()
    kept = (await client.get("/api/bookmarks")).json()["bookmarks"]
    assert [feed["title"] for feed in feeds] == ["Portal"]
    assert [one["url"].rpartition("/")[2] for one in kept] == ["portal"]


async def test_a_wrong_password_is_told_and_not_kept(desk: Desk, extended: Extended):
    page = await extended.open("options.html")
    await page.fill("#server", desk.server.url)
    await page.fill("#password", "wrong")
    await page.click("button")

    await expect(page.locator("#said")).not_to_be_empty()
    kept = await page.evaluate("chrome.storage.local.get()")
    assert kept["password"] == ""


@pytest.mark.threat("L13")
def test_it_asks_for_no_more_than_it_needs():
    assert MANIFEST["permissions"] == ["activeTab", "scripting", "storage"]
    assert "host_permissions" not in MANIFEST
    assert "content_scripts" not in MANIFEST


def test_building_twice_gives_the_same_bytes(tmp_path: Path):
    first, second = (build(tmp_path / name) for name in ("a", "b"))

    assert first.read_bytes() == second.read_bytes()
    packed = set(zipfile.ZipFile(first).namelist())
    assert packed == {"icon.png"} | {file.name for file in SOURCE.iterdir()}


async def test_the_browser_can_draw_its_icon(extended: Extended):
    page = await extended.open("options.html")

    width = await page.evaluate(
        "fetch(chrome.runtime.getManifest().icons[192]).then((reply) => reply.blob())"
        ".then(createImageBitmap).then((image) => image.width)"
    )
    assert width == 192
