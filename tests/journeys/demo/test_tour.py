"""A tour over all pages in Chromium: three widths, light and dark, and without scripts."""

from collections.abc import Callable, Iterator

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.browser import Axe, watch_errors
from tests.journeys.demo.demonstration import Demo, running
from tests.journeys.demo.places import OPEN, OWN, find_ids

SCHEMES = ("light", "dark")
EVERY = tuple((width, scheme) for width in (360, 768, 1280) for scheme in SCHEMES)
MOST_SHIFT = 0.1
MOST_BYTES = 200_000
SHIFT = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({type: 'layout-shift', buffered: true});
  requestAnimationFrame(() => setTimeout(() => done(sum), 50));
})"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running(tmp_path_factory.mktemp("tour")) as made:
        yield made


async def visitor(browser: Browser, demo: Demo, **options: object) -> BrowserContext:
    """Open a profile that is signed in."""
    ada = await demo.sign_in()
    context = await browser.new_context(
        base_url=demo.url,
        reduced_motion="reduce",
        **options,  # type: ignore[arg-type] # names are the caller's
    )
    await context.add_cookies(
        [{"name": n, "value": v, "url": demo.url} for n, v in ada.cookies.items()]
    )
    return context


async def count_bytes(page: Page) -> list[float]:
    """Count what goes over the wire to a page, nothing taken from a cache."""
    sizes: list[float] = []
    wire = await page.context.new_cdp_session(page)
    await wire.send("Network.enable")
    await wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
    wire.on("Network.loadingFinished", lambda e: sizes.append(e["encodedDataLength"]))
    return sizes


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("width", "scheme"), EVERY)
async def test_no_page_complains_shifts_overflows_or_is_heavy(
    demo: Demo, browser: Browser, scaled: Callable[[int, int], int], width: int, scheme: str
):
    """Of three cases in `make test`, each has a third of the pages."""
    first = scaled(EVERY.index((width, scheme)) // 2, 0)
    context = await visitor(
        browser,
        demo,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        service_workers="block",
    )
    page = await context.new_page()
    errors, sizes = watch_errors(page), await count_bytes(page)
    ids = (await find_ids(demo))[1]
    bad = {}
    for path in (*OPEN, *OWN)[first :: scaled(3, 1)]:
        sizes.clear()
        reply = await page.goto(path.format(**ids))
        await expect(page.locator(".htmx-request")).to_have_count(0)
        shift, wider = await page.evaluate(SHIFT), await page.evaluate(WIDER)
        is_expected = path == "/nowhere" and errors == [NOT_FOUND]
        said = [] if is_expected else errors.copy()
        errors.clear()
        status = reply.status if reply else 0
        if (
            said
            or shift > MOST_SHIFT
            or wider > 0
            or sum(sizes) > MOST_BYTES
            or status not in {200, 404 if path == "/nowhere" else 200}
        ):
            bad[path] = (status, said, round(shift, 3), wider, round(sum(sizes)))
    await context.close()

    assert bad == {}


NOT_FOUND = "Failed to load resource: the server responded with a status of 404 (Not Found)"


@pytest.mark.long
async def test_axe_finds_nothing_on_any_page_of_a_phone(demo: Demo, browser: Browser, axe: Axe):
    """Wide pages, and dark ones, are judged in ``web/test_browser_look.py``."""
    context = await visitor(browser, demo, viewport={"width": 360, "height": 800})
    page = await context.new_page()
    ids = (await find_ids(demo))[1]
    found = {}
    for path in (*OPEN, *OWN):
        await page.goto(path.format(**ids))
        await expect(page.locator(".htmx-request")).to_have_count(0)
        found[path] = await axe(page)
    await context.close()

    assert {path: bad for path, bad in found.items() if bad} == {}


async def test_every_page_can_be_read_before_any_script_has_run(
    demo: Demo, browser: Browser, scaled: Callable[[int, int], int]
):
    context = await visitor(browser, demo, java_script_enabled=False)
    page = await context.new_page()
    ids = (await find_ids(demo))[1]
    empty = []
    for path in (*OPEN, *OWN)[:: scaled(2, 1)]:
        await page.goto(path.format(**ids))
        has_head = await page.locator("main h1").count() > 0
        text = (await page.locator("main").inner_text()).split()
        if not has_head or len(text) < 5:
            empty.append((path, has_head, text))
    await context.close()

    assert empty == []
