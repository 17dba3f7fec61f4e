"""Fingers and eyes in a real Chromium: targets, bars, strips, tables, what is current."""

import re

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from feedloom.app import Container
from tests.factories_feeds import entry
from tests.journeys.web.browsing import Desk, desk, find_user, reader

__all__ = ["desk", "reader"]

PHONE: ViewportSize = {"width": 360, "height": 740}
LEAST = 40
SMALL = f"""selector => [...document.querySelectorAll(selector)]
  .filter(e => e.checkVisibility())
  .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.height < {LEAST} - 0.5 || box.width < {LEAST} - 0.5))
  .map(([html, box]) => `${{html}} ${{box.width}}x${{box.height}}`)"""
TOUCHED = (
    "main :is(.button, .icon-button, summary.icon-button, .segmented a, .tabs a,"
    " .tag-form .input, .article-tags .link-button, .topics .chip, .feed-unread)"
)


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=10_000)


async def settled(page: Page, path: str) -> None:
    await page.goto(path)
    await expect(page.locator(".htmx-request")).to_have_count(0)
    await expect(page.locator(".skeleton")).to_have_count(0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "path",
    [
        "/read/all",
        "/read/tag/to%20print?show=all&item=2",
        "/ui/?view=feeds&item=3",
        "/ui/?view=bookmarks",
        "/dashboard",
        "/directory",
        "/settings/feeds",
        "/settings/rules",
        "/settings/security",
    ],
)
async def test_what_is_touched_on_a_phone_is_large_enough(
    desk: Desk, browser: Browser, reader: str, path: str
):
    page = await desk.sign_in(browser, reader, viewport=PHONE, has_touch=True)
    await settled(page, path)

    assert await page.evaluate(SMALL, TOUCHED) == []


async def test_the_drawers_buttons_are_large_enough(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader, viewport=PHONE, has_touch=True)
    await page.goto("/ui/")
    await page.get_by_label("Open the menu").click()
    await expect(page.locator("#sidebar")).to_be_visible()

    assert await page.evaluate(SMALL, "#sidebar :is(.icon-button, .input)") == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", [320, 360, 390])
async def test_the_bar_of_an_article_is_one_row_on_a_phone(
    desk: Desk, browser: Browser, reader: str, width: int
):
    size: ViewportSize = {"width": width, "height": 740}
    page = await desk.sign_in(browser, reader, viewport=size, has_touch=True)
    await page.goto("/read/all?item=3")

    tops = await page.evaluate(
        "[...document.querySelectorAll('.article-bar :is(.button, .icon-button)')]"
        ".filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().top)"
    )
    assert len(tops) >= 7
    assert len(set(tops)) == 1


async def test_a_session_that_is_over_leads_back_after_signing_in(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/starred")
    await page.evaluate("0")
    stale = await page.context.cookies()
    for cookie in stale:
        cookie["value"] = "gone"
    await page.context.clear_cookies()
    await page.context.add_cookies(
        [{"name": c["name"], "value": "gone", "url": desk.server.url} for c in stale]
    )

    await page.locator(".row").first.hover()
    await page.locator(".row .icon-read").first.click()

    await expect(page).to_have_url(re.compile(r"/auth/login\?next=%2Fread%2Fstarred"))
    await expect(page.locator(".note")).to_have_text(
        "Your session has expired. Sign in to continue."
    )
    await expect(page.locator("[name=next]")).to_have_value("/read/starred")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("/ui/?view=feeds&item=3", "River"),
        ("/ui/?view=inbox", "Bookmarks"),
        ("/settings/rules", "Settings"),
        ("/feeds", "Dashboard"),
        ("/digest", "Digest"),
        ("/auth/password", "Settings"),
    ],
)
async def test_the_side_bar_shows_where_one_is(
    desk: Desk, browser: Browser, reader: str, path: str, link: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto(path)

    current = page.locator(".sidebar .nav-link[aria-current] .nav-text")
    await expect(current).to_have_text([link])


async def test_the_side_bar_shows_the_feed_whose_page_it_is(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/feeds")
    await page.locator(".feed-name a").first.click()
    title = await page.locator("h1").inner_text()

    current = page.locator(".sidebar .nav-link[aria-current] .nav-text")
    await expect(current).to_have_text([title])


async def test_the_tabs_stay_where_they_are(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    places = []
    for view in ("feeds", "bookmarks", "inbox"):
        await page.goto(f"/ui/?view={view}")
        places.append(await page.locator(".tabs").bounding_box())

    assert places[0] is not None
    assert places == [places[0]] * 3


async def test_a_strip_of_tabs_shows_the_one_that_is_open(desk: Desk, browser: Browser):
    await desk.person()
    page = await desk.sign_in(browser, "operator@example.org", viewport=PHONE)
    await page.goto("/admin/events")

    await expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)


async def test_a_tag_is_asked_for_only_by_rules_that_tag(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader)
    await page.goto("/settings/rules")
    tag = page.get_by_label("Tag", exact=True)
    await expect(tag).not_to_be_visible()

    await page.get_by_label("then").select_option("tag")

    await expect(tag).to_be_visible()


async def test_a_new_app_password_is_copied_with_a_button(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader, permissions=["clipboard-read", "clipboard-write"])
    await page.goto("/settings/security")
    await page.get_by_label("App name").fill("Phone")
    await page.get_by_role("button", name="Create app password").click()
    secret = await page.locator("#app-password-secret").inner_text()

    await page.get_by_role("button", name="Copy password").click()

    await expect(page.locator(".toast")).to_have_text("Copied.")
    assert await page.evaluate("navigator.clipboard.readText()") == secret


async def test_a_copy_button_works_where_browsers_have_no_clipboard(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    await page.goto("/settings/sharing")
    await page.get_by_role("button", name="Share", exact=True).click()

    await page.get_by_role("button", name="Copy the RSS address").click()

    await expect(page.locator(".toast")).to_contain_text(re.compile("Copied|Selected"))
    address = await page.locator("#made-rss").input_value()
    assert await page.evaluate("getSelection().toString()") == address


async def test_plus_on_a_phone_leads_into_the_field(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader, viewport=PHONE)
    await page.goto("/read/all")

    await page.get_by_label("Add a feed").click()

    await expect(page.locator("#add-url")).to_be_focused()


async def test_refresh_on_a_feeds_page_shows_what_it_brought(desk: Desk, browser: Browser):
    host = "127.88.6.2"
    url = desk.publisher.feed("/page.xml", title="Page", entries=[], host=host)
    email = await desk.person()
    feed = await desk.server.call(lambda container: _subscribe(container, email, url))
    await desk.server.refresh_all(due_only=True)
    page = await desk.sign_in(browser, email)
    await page.goto(f"/feeds/{feed}")
    desk.publisher.bump("/page.xml", entry(1, title="Just in"), host=host)

    await page.get_by_role("button", name="Refresh").click()
    await expect(page.locator(".toast")).to_have_text("Fetching now.")
    await desk.server.refresh_all(due_only=True)

    await expect(page.get_by_role("link", name="Just in")).to_be_visible()


async def _subscribe(container: Container, email: str, url: str) -> int:
    user = await find_user(container, email)
    added = await container.subscribing().add(user, url, exact=True)
    assert added.subscription is not None
    return added.subscription.id
