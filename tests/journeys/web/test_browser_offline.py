"""Somebody reads without a network; when it is back, the server knows what they did."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

import pytest
from playwright.async_api import Browser, Page, Response, expect

from feedloom.app import Container
from feedloom.model.bookmarks import WantedBookmarks
from feedloom.model.reader import Article, Wanted
from tests.factories_feeds import entry
from tests.journeys.web.browsing import Desk, desk, find_user
from tests.unit.images.pictures import picture

__all__ = ["desk"]

COUNT = 50
KEPT = """caches.keys().then(async names => (await Promise.all(names
  .filter(n => n.startsWith('feedloom-kept-'))
  .map(async n => (await (await caches.open(n)).keys()).map(r => r.url)))).flat())"""


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=30_000)


def words(number: int) -> str:
    """Return a text that is like no other: what two feeds tell alike is read together."""
    return " ".join(sha256(f"{number} {place}".encode()).hexdigest()[:7] for place in range(30))


@dataclass(slots=True)
class Traveller:
    desk: Desk
    email: str

    async def articles(self) -> dict[int, Article]:
        async def read(container: Container) -> dict[int, Article]:
            user = await find_user(container, self.email)
            page = await container.services().reading.articles(user.id, Wanted(limit=200))
            return {article.item_no: article for article in page.articles}

        return await self.desk.server.call(read)

    async def mark(self, item: int, *marks: str) -> None:
        """Mark an article at another device."""

        async def do(container: Container) -> None:
            user = await find_user(container, self.email)
            for mark in marks:
                await container.services().reading.mark(user.id, [item], mark)

        await self.desk.server.call(do)

    async def bookmarks(self) -> list[str]:
        async def read(container: Container) -> list[str]:
            user = await find_user(container, self.email)
            page = await container.services().bookmarks.bookmarks(user.id, WantedBookmarks())
            return [bookmark.title for bookmark in page.bookmarks]

        return await self.desk.server.call(read)


@pytest.fixture
async def traveller(desk: Desk) -> Traveller:
    email = await desk.person()
    path = f"/{email}"
    image = desk.publisher.file(f"{path}.jpg", picture(400, 300, kind="JPEG"), "image/jpeg")
    told = [
        entry(n, title=f"Story {n}", content=f'<p>{words(n)}</p><img src="{image}" alt="A view">')
        for n in range(1, COUNT + 1)
    ]
    url = desk.publisher.feed(f"{path}.xml", entries=told, title="The news")

    items = await desk.follow(email, url)
    traveller = Traveller(desk, email)
    for item in items.values():
        await traveller.mark(item, "unread")
    return traveller


async def keep(page: Page, kept: str = "50 articles are kept") -> None:
    await page.goto("/settings")
    await page.get_by_label("Keep articles on this device").check()
    said = page.locator("[data-offline-settings] output")
    await expect(said).to_contain_text(kept, timeout=30_000)


async def go_offline(page: Page, path: str = "/read/unread") -> None:
    await page.context.set_offline(offline=True)
    await page.goto(path)
    await expect(page.get_by_role("heading", name="Offline")).to_be_visible()


async def until(page: Page, script: str, wanted: object) -> None:
    """Wait until a script returns something."""
    async with asyncio.timeout(30):
        while await page.evaluate(script) != wanted:
            await page.wait_for_timeout(50)


async def sent(page: Page) -> None:
    """Wait until nothing waits to be sent any more."""
    await page.goto("/settings")
    await expect(page.locator("[data-offline-settings] output")).to_contain_text("kept on this")
    await expect(page.locator("[data-offline-settings] output")).not_to_contain_text("to be sent")


async def test_fifty_articles_are_read_without_a_network_and_the_server_learns_of_it(
    traveller: Traveller, browser: Browser
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    await keep(page)
    await go_offline(page)
    rows = page.locator(".row")
    await expect(rows).to_have_count(COUNT)
    await expect(rows.first.locator("time")).to_have_text(
        re.compile("^[0-9]{1,2} Jan$|^Jan [0-9]{1,2}$")
    )

    for number in range(COUNT):
        await page.keyboard.press("j")
        title = page.locator("#article .article-title")
        await expect(title).to_have_text(f"Story {COUNT - number}")
        await expect(rows.nth(number)).not_to_have_class(re.compile("is-unread"))
        if number in {3, 7}:
            await page.keyboard.press("s")
        if number == 5:
            await page.keyboard.press("b")
            await expect(page.locator(".toast").last).to_contain_text("when you're back online")
        if number == 9:
            await page.keyboard.press("m")
    shown = await page.locator("#article .prose img").evaluate("i => i.complete && i.naturalWidth")
    await expect(page.locator(".row.is-unread")).to_have_count(1)
    await page.reload()
    await expect(page.locator(".row")).to_have_count(1)
    await page.get_by_role("button", name="Starred").click()
    await expect(page.locator(".row")).to_have_count(2)
    await page.context.set_offline(offline=False)
    unread = page.locator(".sidebar [data-total=unread] .count")
    await expect(unread).to_have_text("1", timeout=30_000)

    await sent(page)
    found = await traveller.articles()
    assert shown == 400
    assert [a.title for a in found.values() if a.unread] == ["Story 41"]
    assert [a.title for a in found.values() if a.starred] == ["Story 47", "Story 43"]
    assert await traveller.bookmarks() == ["Story 45"]


SLOW_MARK = """((name) => {
  const real = self.fetch;
  self.fetch = async (path, options) => {
    const isSlow = String(options?.body).includes(`mark=${name}&`);
    if (isSlow) await new Promise((done) => setTimeout(done, 700));
    return real(path, options);
  };
})"""
WAITING = """() => new Promise((resolve) => {
  const opening = indexedDB.open("feedloom");
  opening.onsuccess = () => {
    const counting = opening.result.transaction("actions").objectStore("actions").count();
    counting.onsuccess = () => resolve(counting.result);
    opening.result.close();
  };
})"""


@pytest.mark.parametrize("slow", ["page", "worker"])
async def test_the_later_mark_counts_whichever_request_takes_longer(
    traveller: Traveller, browser: Browser, slow: str
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    await keep(page)
    await go_offline(page)
    [worker] = page.context.service_workers
    await (page if slow == "page" else worker).evaluate(f"{SLOW_MARK}('read')")
    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_have_text("Story 50")
    await page.keyboard.press("m")
    await until(page, WAITING, 2)

    await page.goto("/read/unread")
    await expect(page.locator(".row")).to_have_count(COUNT)
    await page.context.set_offline(offline=False)
    await expect(page.locator(".sidebar [data-total=unread] .count")).to_have_text(str(COUNT))

    await sent(page)
    assert all(article.unread for article in (await traveller.articles()).values())


async def test_the_later_mark_counts_on_a_line_that_does_not_keep_the_order(
    traveller: Traveller, browser: Browser
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    await page.goto("/read/unread")
    await page.evaluate(f"{SLOW_MARK}('read')")

    def mark(name: str) -> Callable[[Response], bool]:
        return lambda response: f"mark={name}&" in (response.request.post_data or "")

    async with page.expect_response(mark("read")), page.expect_response(mark("unread")):
        await page.keyboard.press("j")
        await expect(page.locator("#article .article-title")).to_have_text("Story 50")
        await page.keyboard.press("m")
    await page.goto("/settings")

    await expect(page.locator(".sidebar [data-total=unread] .count")).to_have_text(str(COUNT))
    assert all(article.unread for article in (await traveller.articles()).values())


async def test_of_two_devices_the_one_that_acted_later_decides(
    traveller: Traveller, browser: Browser
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    newest, second, *_ = items = list(await traveller.articles())
    await keep(page)
    await go_offline(page)
    await traveller.mark(second, "starred", "unstarred")
    for item in items[:2]:
        await page.locator(f'.row[data-item="{item}"]').get_by_role("button", name="Star").click()
    await expect(page.locator(".row.is-starred")).to_have_count(2)
    await traveller.mark(newest, "starred", "unstarred")

    await page.context.set_offline(offline=False)
    await sent(page)

    found = await traveller.articles()
    assert (found[newest].starred, found[second].starred) == (False, True)


@pytest.mark.threat("A26")
async def test_nothing_is_kept_before_it_is_switched_on_and_after_signing_out(
    traveller: Traveller, browser: Browser
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    await page.goto("/read/unread")
    await page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    await page.reload()
    assert await page.evaluate(KEPT) == []
    await keep(page)
    assert len(await page.evaluate(KEPT)) > COUNT

    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(re.compile("/auth/login"))

    assert await page.evaluate(KEPT) == []
    assert await page.evaluate("indexedDB.databases().then(found => found.length)") == 0


@pytest.mark.threat("A26")
async def test_what_one_person_kept_is_gone_when_another_signs_in_at_the_same_browser(
    traveller: Traveller, browser: Browser
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    await keep(page)
    other = await traveller.desk.person()
    await page.context.clear_cookies()
    await traveller.desk.give_session(page.context, other)

    await page.goto("/settings")
    await expect(page.get_by_label("Keep articles on this device")).not_to_be_checked()
    await page.goto("/settings")

    await expect(page.get_by_label("Keep articles on this device")).not_to_be_checked()
    assert await page.evaluate(KEPT) == []


@pytest.mark.threat("A26")
async def test_a_session_that_ended_takes_the_texts_but_not_what_waits(
    traveller: Traveller, browser: Browser
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    await keep(page)
    await go_offline(page)
    await page.locator(".row").first.get_by_role("button", name="Star").click()
    await expect(page.locator(".row.is-starred")).to_have_count(1)
    await page.context.clear_cookies()
    await page.context.set_offline(offline=False)

    await page.goto("/auth/login")
    await until(page, KEPT, [])
    await traveller.desk.give_session(page.context, traveller.email)
    await page.goto("/read/unread")
    await sent(page)

    assert [a.title for a in (await traveller.articles()).values() if a.starred] == ["Story 50"]


async def test_a_device_without_room_keeps_what_fits_and_says_so(
    traveller: Traveller, browser: Browser
):
    page = await traveller.desk.sign_in(browser, traveller.email)
    await page.goto("/settings")
    await page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    used = await page.evaluate("navigator.storage.estimate().then((found) => found.usage)")
    devtools = await page.context.new_cdp_session(page)
    quota = {"origin": traveller.desk.server.url, "quotaSize": used + 200_000}
    await devtools.send("Storage.overrideQuotaForOrigin", quota)

    await page.get_by_label("Keep articles on this device").check()

    said = page.locator("[data-offline-settings] output")
    await expect(said).to_contain_text("There's no room for more.")
    await go_offline(page)
    kept = await page.locator(".row").count()
    assert 0 < kept < COUNT
    await page.locator(".row-link").first.click()
    await expect(page.locator("#article .article-title")).to_have_text("Story 50")
