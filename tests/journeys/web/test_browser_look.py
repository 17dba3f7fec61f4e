"""Every page in a real Chromium: accessible in light and dark, and never too wide."""

import uuid
from collections.abc import Callable

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect
from starlette.routing import compile_path

from feedloom.app import Container
from feedloom.model.bookmarks import NewBookmark
from feedloom.model.distilled.proxies import NewProxy
from feedloom.model.reader import Wanted
from feedloom.serve.pages import ROUTES
from tests.browser import Axe, Violation, watch_errors
from tests.journeys.web.browsing import Desk, desk, find_user, reader

__all__ = ["desk", "reader"]

OPEN = ("/", "/auth/login", "/auth/register", "/privacy", "/offline", "/nowhere")
OWN = (
    "/ui/?view=feeds",
    "/ui/?view=feeds&item=3",
    "/ui/?view=bookmarks",
    "/ui/?view=inbox",
    "/ui/?view=archive",
    "/read/unread",
    "/read/all?item=2",
    "/read/starred",
    "/read/tag/to%20print?show=all",
    "/articles/2",
    "/articles/2/changes",
    "/search?q=harbour",
    "/search?q=zzz",
    "/dashboard",
    "/dashboard/charts",
    "/statistics",
    "/feeds",
    "/feeds/{feed}",
    "/feeds/{feed}/edit",
    "/directory",
    "/digest",
    "/digest/{digest}",
    "/bookmarks/{bookmark}",
    "/bookmarks/add?url=https%3A%2F%2Fa.example%2F&title=A%20page",
    "/bookmarks/tools",
    "/settings",
    "/settings/feeds",
    "/settings/rules",
    "/settings/rules/{rule}",
    "/stories",
    "/stories/{story}",
    "/settings/import/{import}",
    "/settings/sharing",
    "/settings/keyboard",
    "/settings/interests",
    "/settings/security",
    "/settings/security/delete",
    "/auth/password",
    "/auth/logout",
)
ALIKE = {"/ui/?view=inbox", "/ui/?view=archive", "/read/starred", "/search?q=zzz"}
"""Pages that look like others: looking at one of each is enough for axe."""
OPERATOR = (
    "/admin",
    "/admin/people",
    "/admin/registration",
    "/admin/feeds",
    "/admin/topics",
    "/admin/events",
    "/admin/proxies",
    "/admin/proxies/{proxy}",
    "/admin/spending",
    "/api/docs",
)
NO_PAGES = {
    *("/static/{version}/{name:path}", "/service-worker.js", "/manifest.webmanifest"),
    *("/favicon.ico", "/apple-touch-icon.png", "/robots.txt"),
    *("/auth/oidc", "/auth/oidc/callback", "/docs", "/docs/{name:path}"),
    *("/ui/counts", "/ui/side", "/ui/items/{item}", "/ui/sources/{id}", "/summaries/latest"),
    *(
        "/articles/{item}/full-text",
        "/articles/{item}/related",
        "/articles/{item}/media",
        "/articles/{item}/chapters",
        "/settings/rules/progress",
        "/ui/add/{task}",
    ),
    *("/ui/fetching", "/videos/{signature}/{address}"),
    *("/offline/articles", "/articles/{item}/media", "/articles/{item}/chapters"),
    *("/bookmarks/export.json", "/bookmarks/export.html", "/bookmarks/export.md"),
    *("/digest/mail", "/mail/stop/{id}/{token}"),
    *("/settings/export.opml", "/settings/export.json", "/ui", "/read", "/read/{kind}"),
}
"""Files, redirects, parts of pages that are looked at with their page; the handbook has
tests of its own."""
SIZES = ((360, 100), (320, 100), (768, 100), (768, 200), (1280, 200), (1920, 100))
"""Widths in pixels, and sizes of text in per cent."""
WIDEST = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

Half = Callable[[list[str], int], list[str]]


async def visit(page: Page, path: str) -> None:
    """Open a page and wait for the parts it loads by itself."""
    reply = await page.goto(path)
    assert reply is not None
    assert reply.status < 500, path
    await expect(page.locator(".htmx-request")).to_have_count(0)


async def judge(page: Page, axe: Axe) -> list[Violation]:
    """Judge a page in the light theme, and its colours in the dark one, too."""
    found = await axe(page)
    await page.emulate_media(color_scheme="dark")
    dark = await page.evaluate(
        "axe.run(document, {runOnly: ['color-contrast'], resultTypes: ['violations']})"
        ".then(r => r.violations.flatMap(v => v.nodes.map(n => String(n.target))))"
    )
    await page.emulate_media(color_scheme="light")
    if dark:
        found.append(Violation("color-contrast", "serious", "dark", tuple(dark)))
    return found


@pytest.fixture
def half(scaled: Callable[[int, int], int]) -> Half:
    """Hand out what chooses every other page, the first or the second, in `make test`."""
    return lambda pages, start: pages[scaled(start, 0) :: scaled(2, 1)]


async def pages_of(desk: Desk, email: str) -> list[str]:
    """List every page of a person's, with an id of theirs where one is needed."""
    ids = {
        "{rule}": await desk.server.call(lambda container: _a_rule(container, email)),
        "{import}": await desk.server.call(lambda container: _an_import(container, email)),
        "{feed}": await desk.server.call(lambda container: _a_feed(container, email)),
        "{digest}": await desk.server.call(lambda container: _a_digest(container, email)),
        "{story}": await desk.server.call(lambda container: _a_story(container, email)),
        "{bookmark}": await desk.server.call(lambda container: _a_bookmark(container, email)),
    }
    paths = list(OWN)
    for name, id_ in ids.items():
        paths = [path.replace(name, str(id_)) for path in paths]
    return paths


async def _a_feed(container: Container, email: str) -> int:
    user = await find_user(container, email)
    feeds = await container.services().subscriptions.subscriptions(user.id)
    return next(feed.id for feed in feeds if feed.last_fetch_status == "success")


async def _a_rule(container: Container, email: str) -> int:
    user = await find_user(container, email)
    return (await container.services().rules.store.rules(user.id))[0].id


async def _an_import(container: Container, email: str) -> int:
    user = await find_user(container, email)
    rows = '<outline text="Odd" xmlUrl="file:///x"/><outline xmlUrl="http://127.0.0.1:9/"/>'
    document = f"<opml><body>{rows}</body></opml>".encode()
    return await container.services().importing.start(user, document)


async def _a_digest(container: Container, email: str) -> int:
    user = await find_user(container, email)
    return (await container.services().digests.generate(user.id)).id


async def _a_story(container: Container, email: str) -> int:
    user = await find_user(container, email)
    await container.story_teller().tell_once()
    page = await container.services().reading.articles(user.id, Wanted(limit=100))
    stories = container.services().stories.store
    kin = await stories.kin(user.id, [article.item_no for article in page.articles], Wanted())
    if kin is not None:
        return next(iter(kin.stories.values()))
    return page.articles[0].article_id


async def _a_bookmark(container: Container, email: str) -> int:
    user = await find_user(container, email)
    new = NewBookmark("https://a.example/", "A page")
    return (await container.services().bookmarks.add(user.id, new)).bookmark.id


@pytest.mark.parametrize("width", [1280, pytest.param(360, marks=pytest.mark.long)])
async def test_axe_finds_nothing_on_any_page_in_light_and_dark(
    desk: Desk, browser: Browser, axe: Axe, reader: str, width: int, half: Half
):
    size = ViewportSize(width=width, height=800)
    visitor = await browser.new_page(
        base_url=desk.server.url, reduced_motion="reduce", viewport=size
    )
    page = await desk.sign_in(browser, reader, viewport=size)
    found = {}
    for path in OPEN:
        await visit(visitor, path)
        found[path] = await judge(visitor, axe)
    for path in half(await pages_of(desk, reader), 0):
        if path not in ALIKE:
            await visit(page, path)
            found[path] = await judge(page, axe)

    assert {path: bad for path, bad in found.items() if bad} == {}


def test_every_page_there_is_is_looked_at():
    looked_at = [path.partition("?")[0] for path in (*OPEN, *OWN, *OPERATOR)]
    missed = [
        route.path
        for route in ROUTES
        if "GET" in route.methods
        and route.path not in NO_PAGES
        and not any(compile_path(route.path)[0].match(path) for path in looked_at)
    ]

    assert missed == []


async def operators_pages(desk: Desk) -> tuple[str, list[str]]:
    """Find an operator, and list their pages with an id where one is needed."""
    await desk.person()
    people = await desk.server.call(lambda container: container.accounts.store.people())
    first = next(person.email for person in people if person.is_operator)
    proxy = await desk.server.call(_a_proxy)
    return first, [path.replace("{proxy}", str(proxy)) for path in OPERATOR]


async def _a_proxy(container: Container) -> int:
    url = f"https://{uuid.uuid4().hex}.example/feed.xml"
    made = await container.proxies(container.work).add(NewProxy(url, enabled=True), actor="a")
    return made.feed_id


async def test_axe_finds_nothing_on_operators_pages(desk: Desk, browser: Browser, axe: Axe):
    operator, paths = await operators_pages(desk)
    page = await desk.sign_in(browser, operator)
    found = {}
    for path in paths:
        await visit(page, path)
        found[path] = await judge(page, axe)

    assert {path: bad for path, bad in found.items() if bad} == {}


async def test_operators_pages_are_not_wider_than_a_phone(desk: Desk, browser: Browser):
    operator, paths = await operators_pages(desk)
    narrow = {"width": 360, "height": 740}
    page = await desk.sign_in(browser, operator, viewport=narrow)
    too_wide = {}
    for path in paths:
        await visit(page, path)
        too_wide[path] = await page.evaluate(WIDEST)

    assert {path: by for path, by in too_wide.items() if by > 0} == {}


async def test_axe_finds_nothing_in_what_opens(desk: Desk, browser: Browser, axe: Axe, reader: str):
    page = await desk.sign_in(browser, reader, viewport={"width": 360, "height": 740})
    found = {}
    await visit(page, "/ui/?view=feeds")
    await page.locator(".source-menu summary").first.click()
    found["menu"] = await axe(page)
    await page.locator(".source-menu").first.get_by_role("link", name="Rename").click()
    await page.locator("dialog[open]").wait_for()
    found["dialog"] = await axe(page)
    await page.keyboard.press("Escape")
    await page.get_by_label("Open the menu").click()
    found["drawer"] = await axe(page)
    await page.keyboard.press("Escape")
    await page.locator("h1").click()
    await page.keyboard.press("Shift+?")
    await page.locator("#help[open]").wait_for()
    found["help"] = await axe(page)
    await page.keyboard.press("Escape")
    await visit(page, "/read/all?item=2")
    found["narrow article"] = await axe(page)

    assert {name: bad for name, bad in found.items() if bad} == {}


async def test_no_page_is_wider_than_its_window(
    desk: Desk, browser: Browser, reader: str, half: Half
):
    page = await desk.sign_in(browser, reader)
    errors = watch_errors(page)
    too_wide = {}
    for path in half(await pages_of(desk, reader), 1):
        await visit(page, path)
        for width, zoom in SIZES:
            await page.set_viewport_size({"width": width, "height": 800})
            await page.evaluate(f"document.documentElement.style.fontSize = '{zoom}%'")
            too_wide[path, width, zoom] = await page.evaluate(WIDEST)

    assert {place: by for place, by in too_wide.items() if by > 0} == {}
    assert errors == []


async def test_open_pages_are_not_wider_than_a_phone(desk: Desk, browser: Browser):
    page = await browser.new_page(base_url=desk.server.url, viewport={"width": 360, "height": 740})
    too_wide = {}
    for path in OPEN:
        await visit(page, path)
        too_wide[path] = await page.evaluate(WIDEST)

    assert {path: by for path, by in too_wide.items() if by > 0} == {}


async def test_every_link_and_form_leads_somewhere(
    desk: Desk, browser: Browser, reader: str, half: Half
):
    """No dead links: what a page offers answers, for the person who sees it."""
    page = await desk.sign_in(browser, reader)
    wanted: set[str] = set()
    for path in half(await pages_of(desk, reader), 1):
        await visit(page, path)
        links = await page.evaluate(
            "[...document.querySelectorAll('a[href]:not([download])')]"
            ".map(a => new URL(a.href)).filter(u => u.origin === location.origin)"
            ".map(u => u.pathname + u.search)"
        )
        wanted.update(links)
    status = "path => fetch(path, {headers: {Accept: 'text/html'}}).then(r => r.status)"
    dead = {
        path: answer
        for path in sorted(wanted)
        if not path.startswith("/admin") and (answer := await page.evaluate(status, path)) != 200
    }

    assert len(wanted) > 60
    assert dead == {}


async def test_print_shows_the_article_and_nothing_around_it(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await visit(page, "/read/all?item=2")
    await page.emulate_media(media="print")

    shown = {
        name: await page.locator(name).is_visible()
        for name in (".sidebar", ".list-pane", ".article-bar", ".article-title", ".prose")
    }

    assert shown == {
        ".sidebar": False,
        ".list-pane": False,
        ".article-bar": False,
        ".article-title": True,
        ".prose": True,
    }
