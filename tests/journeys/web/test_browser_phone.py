"""Feedloom on a phone: long words wrap, fingers mark rows, other apps share addresses."""

import json

import pytest
from playwright.async_api import Browser, CDPSession, Page, expect

from feedloom.app import Container
from tests.factories_feeds import entry
from tests.journeys.web.browsing import Desk, desk, find_user, reader

__all__ = ["desk", "reader"]

PHONE = {"width": 360, "height": 740}
HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
WIDE = f"""
<p>{HASH}</p><p><code>{HASH}</code></p><p><a href="https://a.example/{HASH}">{HASH}</a></p>
<ul><li>{HASH}</li></ul><blockquote>{HASH}</blockquote><pre>{HASH * 3}</pre>
<table><tr><th>{HASH}</th><td>{HASH}</td></tr></table>
"""


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=15_000)


async def test_no_page_is_wider_than_the_phone_whatever_the_words(desk: Desk, browser: Browser):
    email = await desk.person()
    url = desk.publisher.feed(
        "/wide.xml",
        title=HASH,
        entries=[entry(title=HASH, author=HASH, content=WIDE)],
        host="127.78.1.1",
    )

    async def fill(container: Container) -> None:
        user = await find_user(container, email)
        await container.subscribing().add(user, url, exact=True)

    await desk.server.call(fill)
    await desk.server.refresh_all()
    page = await desk.sign_in(browser, email, viewport=PHONE)

    for path in ("/ui/?view=feeds", "/read/all", "/read/all?item=1", "/dashboard"):
        await page.goto(path)
        await page.wait_for_load_state("networkidle")
        width = await page.evaluate("document.scrollingElement.scrollWidth")
        assert (path, width) == (path, 360)


OVERLAPS = """
() => [...document.querySelectorAll('.row')].flatMap((row) => {
  const icons = [...row.querySelectorAll('.row-actions svg')];
  const boxes = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const all = [...range.getClientRects()];
    // What is cut off is not seen.
    const {left, right, top, bottom} = node.getBoundingClientRect();
    return all.map((b) => ({left: Math.max(b.left, left), right: Math.min(b.right, right),
                            top: Math.max(b.top, top), bottom: Math.min(b.bottom, bottom)}));
  };
  const parts = [...row.querySelectorAll('.row-title, .row-text, .cut, time')];
  const meets = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const seen = parts.filter((part) => part.checkVisibility());
  return seen.filter((part) => icons.some((icon) =>
    boxes(part).some((box) => meets(box, icon.getBoundingClientRect())))).map((p) => p.innerText);
})
"""


@pytest.mark.parametrize("layout", ["List", "Compact list", "Cards", "Magazine"])
async def test_buttons_of_a_row_cover_none_of_its_words_in_either_direction(
    desk: Desk, browser: Browser, layout: str
):
    email = await desk.person()
    name = "A feed whose name is far too long for a line of a phone"
    host = f"127.78.2.{len(layout)}"
    arabic = "هذا نص عربي طويل من أجل الاختبار. " * 9
    told = [
        entry(1, title="مقال من اليمين إلى اليسار", content=f"<p>{arabic}</p>"),
        entry(2, title="An article from left to right", content=f"<p>{'It says much. ' * 9}</p>"),
    ]
    await desk.follow(email, desk.publisher.feed("/rtl.xml", entries=told, title=name, host=host))
    page = await desk.sign_in(browser, email, viewport=PHONE, has_touch=True)
    await page.goto("/read/all?show=all")
    if layout != "List":
        await page.locator(".layout-menu summary").click()
        await page.get_by_role("button", name=layout, exact=True).click()
        await expect(page.locator(".reader:not([data-layout='list'])")).to_be_visible()

    await expect(page.locator(".row-link[dir='rtl']")).to_have_count(1)
    starts = await page.locator(".row-link[dir='rtl'] .cut").evaluate(
        "(cut) => getComputedStyle(cut).direction"
    )

    assert await page.evaluate(OVERLAPS) == []
    assert starts == "ltr"


class Finger:
    """A finger on the screen, as the browser's own protocol moves it."""

    def __init__(self, session: CDPSession) -> None:
        self.session = session

    @classmethod
    async def on(cls, page: Page) -> "Finger":
        return cls(await page.context.new_cdp_session(page))

    async def drag(self, x: float, y: float, by_x: float, by_y: float) -> None:
        await self._send("touchStart", [{"x": x, "y": y}])
        for part in range(1, 9):
            point = {"x": x + by_x * part / 8, "y": y + by_y * part / 8}
            await self._send("touchMove", [point])
        await self._send("touchEnd", [])

    async def _send(self, kind: str, points: list[dict[str, float]]) -> None:
        await self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


async def middle(page: Page, selector: str) -> tuple[float, float]:
    box = await page.locator(selector).first.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_a_swipe_marks_a_row_and_can_be_undone(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader, viewport=PHONE, has_touch=True)
    await page.goto("/read/all?show=all&order=oldest")
    finger = await Finger.on(page)
    row = page.locator(".row.is-unread:not(.is-starred)").first
    number = await row.get_attribute("data-item")
    x, y = await middle(page, f"#row-{number}")

    async with page.expect_response("**/articles/mark"):
        await finger.drag(x - 60, y, 140, 0)
    await expect(page.locator(f"#row-{number}.is-unread")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(f"#row-{number}.is-unread")).to_have_count(1)
    async with page.expect_response("**/articles/mark"):
        await finger.drag(x + 60, y, -140, 0)

    await expect(page.locator(f"#row-{number}.is-starred")).to_have_count(1)


async def test_a_list_that_is_shown_anew_begins_with_its_first_row(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader, viewport=PHONE)
    await page.goto("/read/all?show=all")

    await page.get_by_label("Layout").click()
    async with page.expect_response("**/read/all*"):
        await page.get_by_role("button", name="Compact list").click()

    await expect(page.locator("[data-layout=compact]")).to_be_visible()
    assert await page.evaluate("scrollY") == 0


async def test_the_arrow_leads_back_to_where_the_list_was(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader, viewport=PHONE)
    await page.goto("/read/all?show=all")
    await page.locator(".row-link").nth(1).click()
    await expect(page.locator("[data-article]")).to_be_visible()
    await page.evaluate("document.body.style.minHeight = '3000px'; scrollTo(0, 300)")

    await page.get_by_role("link", name="Back to the list").click()

    await expect(page.locator(".list-pane")).to_be_visible()
    assert await page.evaluate("scrollY") == 0


async def test_pulling_the_list_down_fetches(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader, viewport=PHONE, has_touch=True)
    await page.goto("/read/all")
    finger = await Finger.on(page)

    async with page.expect_response("**/feeds/refresh"):
        await finger.drag(180, 150, 0, 260)

    await expect(page.locator(".toast", has_text="Fetching")).to_be_visible()


async def test_the_bar_gives_its_place_to_what_is_read(desk: Desk, browser: Browser, reader: str):
    page = await desk.sign_in(browser, reader, viewport=PHONE, has_touch=True)
    await page.goto("/read/all?show=all")
    bar = page.locator(".topbar")

    await page.mouse.wheel(0, 600)
    await expect(bar).not_to_be_in_viewport()
    await page.mouse.wheel(0, -200)

    await expect(bar).to_be_in_viewport()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("query", "typed"),
    [
        ("add=https%3A%2F%2Fblog.example%2F", "https://blog.example/"),
        ("text=Look%20at%20https%3A%2F%2Fblog.example%2Fa", "https://blog.example/a"),
        ("view=feeds&add=web%2Bfeed%3A%2F%2Fblog.example%2Ff", "feed://blog.example/f"),
        ("add=javascript%3Aalert(1)", ""),
    ],
)
async def test_what_another_app_shares_stands_in_the_box(
    desk: Desk, browser: Browser, reader: str, query: str, typed: str
):
    page = await desk.sign_in(browser, reader, viewport=PHONE)

    await page.goto(f"/ui/?{query}")

    await expect(page.locator("#add-url")).to_have_value(typed)


async def test_the_manifest_offers_to_take_what_is_shared(desk: Desk, browser: Browser):
    page = await desk.sign_in(browser, await desk.person())
    answer = await page.request.get("/manifest.webmanifest")
    manifest = json.loads(await answer.text())

    assert manifest["share_target"]["action"] == "/ui/"
    assert {h["protocol"] for h in manifest["protocol_handlers"]} == {"web+feed", "web+rss"}
