"""A real browser for tests: Debian's Chromium, driven by Playwright.

In: a page address on loopback. Out: Playwright's own objects, and what axe-core thinks
of a page. Never: a downloaded browser, a profile that outlives its test, an address
beyond loopback (names other than localhost do not resolve in it).

Everything is async, on the test's own loop: the blocking interface of Playwright keeps
a loop running between tests, which pytest-asyncio cannot live with.
"""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright

AXE = Path(__file__).resolve().parent.parent / ".cache" / "assets" / "axe.min.js"

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "*.localhost")
ONLY_LOOPBACK = "MAP * ~NOTFOUND" + "".join(f", EXCLUDE {n}" for n in LOOPBACK_NAMES)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules={ONLY_LOOPBACK}",
)


@dataclass(frozen=True, slots=True)
class Violation:
    """One accessibility rule that a page breaks, and where."""

    rule: str
    impact: str
    help: str
    targets: tuple[str, ...]


Axe = Callable[[Page], Awaitable[list[Violation]]]


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """Start a browser of one's own; it takes about half a second."""
    program = shutil.which("chromium")
    assert program, "Chromium is missing: `make setup-test` installs it."
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield running
        await running.close()


@pytest.fixture
async def page(browser: Browser) -> Page:
    """Open an empty page of desktop size in a fresh profile."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    return await context.new_page()


@pytest.fixture
def axe() -> Axe:
    """Hand out a judge that returns the violations of a page, but for minor ones."""
    return violations


async def violations(page: Page) -> list[Violation]:
    """Run axe-core in ``page``, past its content security policy."""
    assert AXE.is_file(), "axe-core is missing: `make setup-test` fetches it."
    await page.evaluate(AXE.read_text())
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        Violation(
            rule=row["id"],
            impact=row["impact"],
            help=row["help"],
            targets=tuple(str(node["target"]) for node in row["nodes"]),
        )
        for row in found["violations"]
        if row["impact"] != "minor"
    ]


def watch_errors(page: Page) -> list[str]:
    """Return a list that fills with what the page's scripts and console complain of."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    return errors
