"""Take the pictures of the documentation.

In: nothing; a demonstration is started, with its invented publishers. Out:
``docs/screenshots/*.webp``, in light and dark, wide and narrow. Never: an address beyond
loopback, a real publisher, somebody's data.

Run it from the root: ``python -m tools.screenshots [word]``; a word picks pages.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.browser import FLAGS
from tests.journeys.demo.demonstration import Demo, running
from tests.journeys.demo.places import find_ids

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screenshots"
FONTS = """<?xml version="1.0"?><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<alias binding="strong"><family>system-ui</family>
<prefer><family>Inter</family></prefer></alias></fontconfig>"""
COLOURS = 64
"""So few that a page with four pictures stays small; nobody sees the difference."""
WIDE, MIDDLE, NARROW = (1200, 760), (768, 900), (360, 700)


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: where, how wide, in which theme, and what is done before."""

    name: str
    path: str
    size: tuple[int, int] = WIDE
    scheme: str = "light"
    click: str = ""
    then: str = ""
    """Where to go after that."""
    signed_in: bool = True


SHOTS = (
    Shot("landing", "/", signed_in=False),
    Shot("sign-in", "/auth/login", NARROW, signed_in=False),
    Shot("river", "/ui/?view=feeds&item={story}"),
    Shot("river-dark", "/ui/?view=feeds&item={story}", scheme="dark"),
    Shot("river-middle", "/ui/?view=feeds", MIDDLE),
    Shot("river-narrow", "/ui/?view=feeds", NARROW),
    Shot("reader", "/read/all?item={article}"),
    Shot("reader-dark", "/read/all?item={article}", scheme="dark"),
    Shot("reader-narrow", "/read/unread", NARROW),
    Shot("article-narrow", "/read/all?item={article}", NARROW, "dark"),
    Shot("menu-narrow", "/read/unread", NARROW, click=".topbar .icon-button"),
    Shot("story", "/stories/{told}"),
    Shot("story-narrow", "/stories/{told}", NARROW, "dark"),
    Shot("stories", "/stories"),
    Shot("changes", "/articles/{changed}/changes"),
    Shot("changes-narrow", "/articles/{changed}/changes", NARROW, "dark"),
    Shot("dashboard", "/dashboard"),
    Shot("dashboard-narrow", "/dashboard", NARROW),
    Shot("statistics", "/statistics"),
    Shot("feed", "/feeds/{feed}"),
    Shot("feed-healed", "/feeds/{healed}#audit-title"),
    Shot("feed-broken", "/feeds/{gone}"),
    Shot("bookmarks", "/ui/?view=bookmarks"),
    Shot("digest", "/digest"),
    Shot("directory", "/directory"),
    Shot("search", "/search?q=harbour"),
    Shot("settings", "/settings"),
    Shot("import-export", "/settings/feeds"),
    Shot("rules", "/settings/rules"),
    Shot("sharing", "/settings/sharing"),
    Shot("settings-keyboard", "/settings/keyboard"),
    Shot("settings-interests", "/settings/interests"),
    Shot("security", "/settings/security"),
    Shot("admin", "/admin"),
    Shot("proxy", "/admin/proxies/{proxy}"),
    Shot("register", "/auth/register", NARROW, signed_in=False),
    Shot("privacy", "/privacy", signed_in=False),
    Shot("offline", "/offline", NARROW, signed_in=False),
    Shot("not-found", "/nowhere", NARROW, signed_in=False),
    Shot("inbox", "/ui/?view=inbox"),
    Shot("archive", "/ui/?view=archive"),
    Shot("starred", "/read/starred"),
    Shot("tag", "/read/tag/to%20print?show=all"),
    Shot("feed-edit", "/feeds/{feed}/edit"),
    Shot("digest-kept", "/digest/{digest}"),
    Shot("bookmark", "/bookmarks/{bookmark}"),
    Shot("bookmark-add", "/bookmarks/add?url=https%3A%2F%2Fa.example%2F&title=A%20page"),
    Shot("bookmark-tools", "/bookmarks/tools"),
    Shot("password", "/auth/password", NARROW),
    Shot("admin-people", "/admin/people"),
    Shot("admin-registration", "/admin/registration"),
    Shot("admin-feeds", "/admin/feeds"),
    Shot("admin-topics", "/admin/topics"),
    Shot("admin-events", "/admin/events"),
    Shot("proxies", "/admin/proxies"),
    Shot("spending", "/admin/spending"),
    Shot("api", "/api/docs"),
    Shot("docs", "/docs/operator/guide.html", signed_in=False),
    Shot("docs-narrow", "/docs/operator/guide.html", NARROW, "dark", signed_in=False),
    # The last one: its link stands in the sidebar from then on.
    Shot("for-you", "/settings/interests", click="main .button-primary", then="/read/for-you"),
)


async def take(browser: Browser, demo: Demo, shot: Shot, ids: dict[str, str]) -> None:
    """Take one picture."""
    width, height = shot.size
    context = await browser.new_context(
        base_url=demo.url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.scheme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
    )
    if shot.signed_in:
        ada = await demo.sign_in()
        await context.add_cookies(
            [{"name": n, "value": v, "url": demo.url} for n, v in ada.cookies.items()]
        )
    page = await context.new_page()
    await page.goto(shot.path.format(**ids))
    await _settle(page)
    if shot.click:
        await page.locator(shot.click).first.click()
    if shot.then:
        await page.wait_for_load_state()
        await page.goto(shot.then)
        await _settle(page)
    taken = await page.screenshot()
    await context.close()
    with Image.open(BytesIO(taken)) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(FOLDER / f"{shot.name}.webp", lossless=True, method=6)


async def _settle(page: Page) -> None:
    await expect(page.locator(".htmx-request")).to_have_count(0)
    await page.wait_for_timeout(250)


async def photograph(demo: Demo, folder: Path, word: str) -> None:
    """Take all pictures whose name has a word."""
    ids = (await find_ids(demo))[1]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=list(FLAGS),
            env={**os.environ, "FONTCONFIG_FILE": str(folder / "fonts.conf")},
        )
        for shot in SHOTS:
            if word in shot.name:
                await take(browser, demo, shot, ids)
                print(shot.name)
        await browser.close()


def main(word: str) -> None:
    """Start everything, take the pictures, stop everything."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fonts.conf").write_text(FONTS)
        with running(folder) as demo:
            asyncio.run(photograph(demo, folder, word))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
