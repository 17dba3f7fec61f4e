"""The browser of the tests is real, alone, and hears what pages complain of."""

import http.server
import threading
from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Error, Page

from tests.browser import Axe, Chromium, watch_errors

GOOD = (
    b"<!doctype html><html lang=en><title>Good</title>"
    b"<main><h1>Good</h1><img src='data:,' alt='a dot'></main>"
)
BAD = (
    b"<!doctype html><html><title>Bad</title><img src='data:,'><input>"
    b"<script>throw new Error('planted')</script>"
)


class PagesWithPolicy(http.server.BaseHTTPRequestHandler):
    """Serves both pages; the good one under a policy as strict as our own."""

    def do_GET(self):
        is_good = self.path == "/good"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if is_good:
            self.send_header("Content-Security-Policy", "default-src 'none'")
        self.end_headers()
        self.wfile.write(GOOD if is_good else BAD)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Stay quiet."""


@pytest.fixture
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), PagesWithPolicy) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


async def test_axe_finds_nothing_on_a_good_page_even_under_a_strict_policy(
    page: Page, axe: Axe, site: str
):
    await page.goto(f"{site}/good")

    assert await axe(page) == []


async def test_axe_finds_the_planted_faults(page: Page, axe: Axe, site: str):
    await page.goto(f"{site}/bad")
    rules = {violation.rule for violation in await axe(page)}

    assert {"html-has-lang", "image-alt", "label"} <= rules


async def test_script_errors_are_heard(page: Page, site: str):
    errors = watch_errors(page)
    await page.goto(f"{site}/bad")

    assert any("planted" in error for error in errors)


async def test_names_beyond_loopback_do_not_resolve(page: Page):
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        await page.goto("http://example.org/")


async def test_a_browser_that_died_is_replaced(chromium: Chromium, browser: Browser):
    assert await chromium.running() is browser

    await browser.close()

    assert (await chromium.running()).is_connected()


async def test_nothing_is_left_of_another_test(browser: Browser):
    """Whichever test of this file ran before: it opened profiles in the same browser."""
    assert browser.contexts == []
