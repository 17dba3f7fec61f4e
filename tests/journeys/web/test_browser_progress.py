"""Progress as people see it: what is done, what waits, and lists that change by themselves."""

import re

import pytest
from playwright.async_api import Browser, FilePayload, Page, expect

from feedloom.app import Container
from tests.factories_feeds import entry, fresh
from tests.journeys.web.browsing import Desk, desk, find_user, reader, slow_down
from tests.publisher import Answer

__all__ = ["desk", "reader"]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=15_000)


async def subscribe(desk: Desk, email: str, *urls: str) -> list[int]:
    async def add(container: Container) -> list[int]:
        user = await find_user(container, email)
        added = [await container.subscribing().add(user, url, exact=True) for url in urls]
        return [one.subscription.id for one in added if one.subscription]

    return await desk.server.call(add)


def opml(*urls: str) -> bytes:
    rows = "".join(f'<outline type="rss" text="{url[-9:]}" xmlUrl="{url}"/>' for url in urls)
    return f'<opml version="2.0"><head/><body>{rows}</body></opml>'.encode()


@pytest.mark.parametrize("latency_ms", [400, pytest.param(2_500, marks=pytest.mark.long)])
async def test_an_import_is_followed_until_its_feeds_were_fetched(
    desk: Desk, browser: Browser, latency_ms: int
):
    hosts = [f"127.90.{latency_ms % 250}.{number}" for number in (2, 3, 4)]
    urls = [
        desk.publisher.feed("/in.xml", title=host, entries=[entry(1), entry(2)], host=host)
        for host in hosts
    ]
    page = await desk.sign_in(browser, await desk.person())
    await slow_down(page, latency_ms)
    await page.goto("/dashboard")
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))

    file = FilePayload(name="my.opml", mimeType="text/x-opml", buffer=opml(*urls))
    await page.get_by_label("Choose the OPML file").set_input_files(file)
    await page.get_by_role("button", name="Import").click()
    await page.wait_for_url("**/settings/import/*")
    await desk.server.call(lambda container: container.worker().task_loop().drain())
    await expect(page.get_by_text("3 feeds added")).to_be_visible()
    await expect(page.locator("#fetching")).to_contain_text("Fetching feeds: 0 of 3.")
    arrived = len(loads)
    await desk.server.refresh_all(due_only=True)

    await expect(page.locator("#fetching")).to_contain_text("3 feeds fetched.")
    await expect(page.locator("[data-total=unread] .count")).to_have_text("6")
    assert len(loads) == arrived


async def test_an_empty_river_shows_what_arrived_since(desk: Desk, browser: Browser):
    url = desk.publisher.feed("/first.xml", title="First", entries=fresh(2), host="127.90.7.2")
    email = await desk.person()
    page = await desk.sign_in(browser, email)
    await page.goto("/ui/")
    await expect(page.get_by_role("heading", name="Add your first feed")).to_be_visible()

    await subscribe(desk, email, url)
    await desk.server.refresh_all(due_only=True)
    await page.keyboard.press("r")

    await expect(page.locator(".item")).to_have_count(2)


async def test_a_site_that_asked_for_patience_is_named(desk: Desk, browser: Browser):
    host, email = "127.90.8.2", await desk.person()
    url = desk.publisher.feed("/busy.xml", title="Busy", entries=[entry(1)], host=host)
    await subscribe(desk, email, url)
    await desk.server.refresh_all(due_only=True)
    desk.publisher.script("/busy.xml", Answer(429, headers={"Retry-After": "600"}), host=host)
    page = await desk.sign_in(browser, email)
    await page.goto("/dashboard")

    await page.get_by_role("checkbox", name="Select Busy").check()
    await page.get_by_role("button", name="Refresh", exact=True).click()
    await expect(page.locator("#fetching")).to_contain_text("Fetching feeds: 0 of 1.")
    await desk.server.refresh_all(due_only=True)

    await expect(page.locator("#fetching")).to_contain_text(
        re.compile(rf"{re.escape(host)} asked us to wait until .*\(1 feed\)")
    )


async def test_new_rows_appear_by_themselves_and_wait_for_somebody_who_reads(
    desk: Desk, browser: Browser
):
    host, email = "127.90.8.3", await desk.person()
    url = desk.publisher.feed("/live.xml", title="Live", entries=[entry(1)], host=host)
    (feed,) = await subscribe(desk, email, url)
    await desk.server.refresh_all(due_only=True)
    page = await desk.sign_in(browser, email)
    await page.goto(f"/read/feed/{feed}?show=all")
    rows = page.locator(".row")
    await expect(rows).to_have_count(1)

    await fetch(desk, page, host, entry(2, title="Second"))
    await expect(rows).to_have_count(2)
    await rows.first.locator("a").click()
    await expect(page.locator("[data-article]")).to_be_visible()
    await fetch(desk, page, host, entry(3, title="Third"))
    await expect(page.get_by_role("button", name="Show new articles")).to_be_visible()
    assert await rows.count() == 2
    await page.get_by_role("button", name="Show new articles").click()

    await expect(rows).to_have_count(3)
    await expect(page.locator("[data-article]")).to_be_visible()


async def fetch(desk: Desk, page: Page, host: str, new: object) -> None:
    desk.publisher.bump("/live.xml", new, host=host)  # type: ignore[arg-type]  # an entry
    async with page.expect_response("**/refresh"):
        await page.keyboard.press("r")
    await desk.server.refresh_all(due_only=True)


async def test_a_hidden_tab_asks_nothing(desk: Desk, browser: Browser):
    host, email = "127.90.8.4", await desk.person()
    await subscribe(desk, email, desk.publisher.url("/later.xml", host=host))
    page = await desk.sign_in(browser, email)
    async with page.expect_response("**/ui/fetching*"):
        await page.goto("/ui/?view=feeds")
    await expect(page.locator("#waiting")).to_be_visible()
    await hide(page, hidden=True)
    await page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    await page.wait_for_timeout(5_000)
    before = list(asked)
    async with page.expect_response("**/ui/fetching*"):
        await hide(page, hidden=False)

    assert before == []


async def hide(page: Page, *, hidden: bool) -> None:
    await page.evaluate(
        "on => { Object.defineProperty(document, 'hidden', {value: on, configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )


@pytest.mark.parametrize("latency_ms", [400, pytest.param(2_500, marks=pytest.mark.long)])
async def test_a_slow_line_keeps_what_was_typed_and_the_place_in_a_list(
    desk: Desk, browser: Browser, reader: str, latency_ms: int
):
    broken = desk.publisher.script("/", Answer(500), host="127.90.8.9")
    page = await desk.sign_in(browser, reader)
    await slow_down(page, latency_ms)

    await page.goto("/ui/?view=feeds")
    await page.locator("#add-url").fill(broken)
    await page.keyboard.press("Enter")
    await expect(page.locator("#add-answer [role=alert]")).to_be_visible()
    typed = await page.locator("#add-url").input_value()
    await page.goto("/read/all")
    await page.locator(".row-link").nth(4).click()
    await expect(page.locator("[data-article]")).to_be_visible()
    chosen = await page.locator(".row.is-current").get_attribute("id")
    await page.get_by_role("link", name="Settings").first.click()
    await expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
    await page.go_back()

    assert typed == broken
    await expect(page.locator(f"#{chosen}.is-current")).to_be_in_viewport()
