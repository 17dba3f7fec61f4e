"""Draw the icons that browsers and phones want as pictures, from our own drawing.

In: ``static/icons/logo.svg``. Out: PNG files of several sizes and ``favicon.ico`` beside
it. They are committed, so that installing needs no browser; run this after a change of
the drawing.
"""

import asyncio
import shutil
import struct
from pathlib import Path

from playwright.async_api import Page, async_playwright

FOLDER = Path(__file__).resolve().parent.parent / "src/feedloom/serve/pages/static/icons"
ACCENT = "#3b4aa8"
# File, size in pixels, share of the side the drawing takes, colour behind it.
PICTURES = (
    ("icon-192.png", 192, 1.0, "transparent"),
    ("icon-512.png", 512, 1.0, "transparent"),
    ("icon-maskable-512.png", 512, 0.8, ACCENT),
    ("apple-touch-icon.png", 180, 0.86, ACCENT),
)


async def draw(page: Page, size: int, share: float, ground: str) -> bytes:
    """Draw the logo in one size."""
    svg = (FOLDER / "logo.svg").read_text()
    side, edge = size * share, size * (1 - share) / 2
    await page.set_viewport_size({"width": size, "height": size})
    await page.set_content(
        f"<style>html,body{{margin:0;background:{ground}}}"
        f"svg{{position:absolute;left:{edge}px;top:{edge}px;width:{side}px;"
        f"height:{side}px}}</style>{svg}"
    )
    return await page.screenshot(omit_background=True)


def icon_file(picture: bytes, size: int) -> bytes:
    """Wrap one PNG as an ``.ico``, which some programs still ask for."""
    head = struct.pack("<HHH", 0, 1, 1)
    entry = struct.pack("<BBBBHHII", size, size, 0, 0, 1, 32, len(picture), 22)
    return head + entry + picture


async def main() -> None:
    """Draw all of them."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--headless", "--no-sandbox", "--disable-gpu"],
        )
        page = await browser.new_page()
        for name, size, share, ground in PICTURES:
            (FOLDER / name).write_bytes(await draw(page, size, share, ground))
            print(name)
        small = await draw(page, 32, 1.0, "transparent")
        (FOLDER / "favicon.ico").write_bytes(icon_file(small, 32))
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
