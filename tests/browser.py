"""A real browser for tests: Debian's Chromium, driven by Playwright.

In: a page address on loopback. Out: Playwright's own objects, and what axe-core thinks
of a page. Never: a downloaded browser, a profile that outlives its test, an address
beyond loopback (names other than localhost do not resolve in it).

Starting Chromium and Playwright takes seconds, a fresh profile some milliseconds. One
browser therefore serves all tests of a process, and each test has profiles of its own.
Playwright's objects belong to the loop they were made on, so all tests that ask for
``browser`` run on one loop, together with the fixtures they use.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Playwright, async_playwright

from tests.lines import TidyLoop

AXE = Path(__file__).resolve().parent.parent / ".cache" / "assets" / "axe.min.js"

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "*.localhost")
ONLY_LOOPBACK = "MAP * ~NOTFOUND" + "".join(f", EXCLUDE {n}" for n in LOOPBACK_NAMES)

# Chromium prepares processes for each window that a test never uses: two pages for the
# suggestions below the address bar, and one for the next site. Playwright adds its own list.
UNUSED = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(UNUSED)}",
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


class Chromium:
    """One browser and the loop it lives on."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner(loop_factory=TidyLoop)
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def running(self) -> Browser:
        """Return the browser; start one if there is none, or the last one died."""
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        if self._browser is None or not self._browser.is_connected():
            program = shutil.which("chromium")
            assert program, "Chromium is missing: `make setup-test` installs it."
            self._browser = await self._playwright.chromium.launch(
                executable_path=program, args=list(FLAGS)
            )
        return self._browser

    def cancel_all_but(self, kept: set[asyncio.Task[object]]) -> None:
        """Cancel what a test left running, as the end of its own loop would."""
        left = asyncio.all_tasks(self.runner.get_loop()) - kept
        for task in left:
            task.cancel()
        self.runner.run(_wait_for(left))

    def close(self) -> None:
        """End the browser and the loop."""
        self.runner.run(self._close())
        self.runner.close()

    async def _close(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()


async def _wait_for(tasks: set[asyncio.Task[object]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """Hand out the browser of this process."""
    made = Chromium()
    yield made
    made.close()


@pytest.fixture
def _function_scoped_runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner]:
    """Choose the loop of a test and its fixtures, in place of pytest-asyncio's fixture."""
    if "browser" not in request.fixturenames:
        yield request.getfixturevalue("_function_scoped_runner")
        return
    chromium: Chromium = request.getfixturevalue("chromium")
    chromium.runner.run(chromium.running())
    before = asyncio.all_tasks(chromium.runner.get_loop())
    yield chromium.runner
    chromium.cancel_all_but(before)


@pytest.fixture
async def browser(chromium: Chromium) -> AsyncIterator[Browser]:
    """Hand out a browser without profiles; those that the test opens end with it."""
    running = await chromium.running()
    yield running
    for context in running.contexts:
        await context.close()


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
