"""Hostile text in every field, shown in a real Chromium with and without our CSP.

Each shape has a canary of its own. Nothing may run, nothing may be asked of a foreign
host, and nothing of an article may look like ours.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, Page

from feedloom.app import Container
from feedloom.model.bookmarks import NewBookmark
from feedloom.model.rules import NewRule
from tests.factories_feeds import FeedEntry, entry
from tests.journeys.web.browsing import Desk, desk, find_user
from tests.payloads import CODE, MARK, PAYLOADS
from tests.publisher import Answer

__all__ = ["desk"]

PER_FEED = 50
NASTY = (
    '"><img src=x onerror={}>',
    "'><script>{}</script>",
    "</title><script>{}</script>",
    "</textarea><svg onload={}>",
    "<hx-partial hx-target=body><img src=x onerror={}></hx-partial>",
    "<template><img src=x onerror={}></template>",
    "javascript:{}",
    "{{{{constructor.constructor('{}')()}}}}",
    "\u202e<b onmouseover={}>x</b>",
    "&lt;img src=x onerror={}&gt;",
    "&amp;lt;img src=x onerror={}&amp;gt;",
    "' onfocus='{}' autofocus='",
    '" hx-on:click="{}" hx-trigger="load',
    "]]><script>{}</script>",
    "<!--><img src=x onerror={}>-->",
)
"""Shapes for fields that are plain text everywhere."""

INSPECT = """
() => {
  const found = [];
  const schemes = ['http:', 'https:', 'mailto:', 'tel:'];
  const say = (what, el) => found.push(what + ' ' + el.outerHTML.slice(0, 120));
  for (const el of document.querySelectorAll('*')) {
    for (const {name, value} of el.attributes) {
      if (name.startsWith('on')) say('handler', el);
      if (name === 'srcdoc') say('srcdoc', el);
      if (['href', 'src', 'action', 'formaction', 'poster', 'cite', 'xlink:href']
          .includes(name) && value && !value.startsWith('#')) {
        const url = URL.parse(value, location.href);
        if (!url || !schemes.includes(url.protocol)) say('scheme', el);
      }
    }
    if (el.matches('script:not([src^="/static/"])')) say('script', el);
    if (el.matches('iframe, object, embed, base, meta[http-equiv]')) say('element', el);
  }
  const states = ['unsized', 'in-line', 'emoji', 'came', 'failed', 'failed-unseen'];
  for (const el of document.querySelectorAll('.prose *')) {
    const ours = el.localName === 'img' && [...el.classList].every(c => states.includes(c))
      || el.localName === 'span' && /^code-[a-z]+$/.test(el.className);
    const anchor = n => (n === 'id' || n === 'name' && el.localName === 'a')
      && /^at-\\d+-/.test(el.getAttribute(n));
    const names = el.getAttributeNames().filter(n => !anchor(n) && (n !== 'class' || !ours));
    if (el.matches('form, input, button, select, textarea, dialog, style, link, svg'))
      say('element', el);
    if (names.some(n => /^(hx-|data-|x-|v-|ng-|@|:)|^(id|name|class|style|slot|is)$/
        .test(n))) say('hook', el);
    if (el.matches('a[href]:not([href^="#at-"])') && !el.rel.includes('noopener'))
      say('opener', el);
  }
  return found;
}
"""
POKE = """
() => {
  const events = ['click', 'mouseover', 'focus', 'blur', 'error', 'load', 'toggle',
    'animationstart', 'transitionend', 'pointerenter', 'beforeinput', 'scroll', 'wheel'];
  for (const el of document.querySelectorAll('.prose *')) {
    for (const name of events) {
      const event = new Event(name, {cancelable: true});
      el.addEventListener(name, e => e.preventDefault(), {once: true});
      el.dispatchEvent(event);
    }
  }
}
"""
CANARIES = f"Object.keys(self).filter(k => /^(c\\d+|{MARK})$/.test(k))"
SHOW_EACH = f"""
async (items) => {{
  const inspect = {INSPECT.strip()};
  const poke = {POKE.strip()};
  const complaints = [];
  for (const item of items) {{
    await htmx.ajax('GET', `/articles/${{item}}`, {{target: '#article'}});
    complaints.push(...inspect());
    poke();
  }}
  return complaints;
}}
"""


@dataclass
class Watch:
    """What a page did beyond showing itself."""

    origin: str
    foreign: set[str] = field(default_factory=set)
    dialogs: list[str] = field(default_factory=list)

    def on(self, page: Page) -> None:
        """Follow a page."""
        page.on("request", lambda request: self._note(request.url))
        page.on("dialog", self._refuse)

    def _note(self, url: str) -> None:
        if not url.startswith((self.origin, "data:", "blob:")):
            self.foreign.add(url)

    async def _refuse(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        await dialog.dismiss()


def armed(markup: str, number: int) -> str:
    """Give a shape its own canary."""
    return markup.replace(CODE, f"self.c{number}=1")


def chosen(count: int) -> Iterator[tuple[int, str]]:
    """Pick shapes evenly from all there are."""
    shapes = list(PAYLOADS.values())
    step = -(-len(shapes) // count)
    for number in range(0, len(shapes), step):
        yield number, armed(shapes[number], number)


def hostile_entry(number: int, markup: str) -> FeedEntry:
    """Put one shape into every field of an entry."""
    text = markup.replace("\x00", "").replace("\x01", "")
    return entry(
        number + 1,
        guid=f"urn:{number}:{text}",
        title=f"{number} {text}",
        content=f"<p>Before</p>{markup}<p>After</p>",
        summary=text,
        author=text,
        categories=(text,),
        enclosure=(f"https://files.example/{number}", text[:80], 1),
    )


async def person_with_shapes(desk: Desk, count: int) -> str:
    """Make a person whose feeds, folders, tags and rules are all hostile."""
    email = await desk.person()
    entries = [hostile_entry(number, markup) for number, markup in chosen(count)]
    urls = []
    for start in range(0, len(entries), PER_FEED):
        place = start // PER_FEED
        nasty = NASTY[place % len(NASTY)].format(f"self.c{9000 + place}=1")
        urls.append(
            desk.publisher.feed(
                "/hostile.xml",
                title=f"{place} {nasty}",
                description=nasty,
                link=nasty,
                entries=entries[start : start + PER_FEED],
                host=f"127.99.1.{place + 2}",
            )
        )
    await desk.server.call(lambda container: _subscribe(container, email, urls))
    await desk.server.refresh_all()
    await desk.server.call(lambda container: _spread(container, email))
    return email


async def _subscribe(container: Container, email: str, urls: list[str]) -> None:
    user = await find_user(container, email)
    settings = {"mark_on_open": False}
    await container.accounts.store.save_settings(user.id, settings)
    for url in urls:
        await container.subscribing().add(user, url, exact=True)


async def _spread(container: Container, email: str) -> None:
    """Put hostile names wherever a person names something."""
    user = await find_user(container, email)
    services = container.services()
    feeds = await services.subscriptions.subscriptions(user.id)
    for number, shape in enumerate(NASTY):
        name = shape.format(f"self.c{9500 + number}=1")
        folder = await services.folders.ensure(user.id, (name.replace("/", "|"),))
        feed = feeds[number % len(feeds)]
        await services.subscriptions.change(user.id, feed.id, {"folder_id": folder})
        await services.reading.tag(user.id, [number + 1], name)
        await services.rules.add(
            user.id, NewRule(name=name, field="title", pattern=r"\Qzz\E", action="tag", tag=name)
        )
        url = f"https://pages.example/{number}?{quote(name)}"
        await services.bookmarks.add(user.id, NewBookmark(url, name, name, (name[:90],)))


async def results(page: Page, watch: Watch) -> dict[str, Any]:
    """Tell everything that is wrong by now."""
    await page.wait_for_timeout(300)
    return {
        "ran": await page.evaluate(CANARIES),
        "dialogs": watch.dialogs,
        "leaks": sorted(watch.foreign),
    }


CLEAN: dict[str, Any] = {"ran": [], "dialogs": [], "leaks": []}


@pytest.mark.faults
@pytest.mark.threat("X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X10", "X13")
@pytest.mark.parametrize("csp", ["on", "off"])
async def test_no_shape_runs_in_an_article_however_it_is_shown(
    desk: Desk, browser: Browser, scaled: Callable[[int, int], int], csp: str, counts
):
    email = await person_with_shapes(desk, scaled(80, len(PAYLOADS)))
    page = await desk.sign_in(browser, email, bypass_csp=csp == "off")
    watch = Watch(desk.server.url)
    watch.on(page)
    page.context.on("page", watch.on)
    items = await desk.server.call(lambda container: _items(container, email))
    complaints: dict[int, list[str]] = {}

    await page.goto("/read/all")
    for start in range(0, len(items), PER_FEED):
        seen = await page.evaluate(SHOW_EACH, items[start : start + PER_FEED])
        if seen:
            complaints[items[start]] = seen
    in_reader = await results(page, watch)
    for item in items[:: len(items) // scaled(10, 25)]:
        await page.goto(f"/articles/{item}")
        found = await page.evaluate(INSPECT)
        if found:
            complaints[item] = found
        await page.evaluate(POKE)
        assert await page.evaluate(CANARIES) == []

    counts(
        f"hostile shapes in Chromium, CSP {csp}",
        shapes=len(items),
        fields=8,
        ran=len(in_reader["ran"]),
        foreign_requests=len(in_reader["leaks"]),
        complaints=len(complaints),
    )
    assert len(items) >= scaled(70, 2_000)
    assert complaints == {}
    assert in_reader == CLEAN
    assert await results(page, watch) == CLEAN


async def _items(container: Container, email: str) -> list[int]:
    user = await find_user(container, email)
    counts = await container.services().reading.counts(user.id)
    return list(range(1, (counts.newest_item or 0) + 1))


@pytest.mark.faults
@pytest.mark.threat("X9", "X12", "X13")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("csp", ["off", "on"])
async def test_no_shape_runs_on_any_page_that_names_things(
    desk: Desk, browser: Browser, scaled: Callable[[int, int], int], csp: str, counts
):
    email = await person_with_shapes(desk, scaled(60, 150))
    feeds = await desk.server.call(lambda container: _feeds(container, email))
    page = await desk.sign_in(browser, email, bypass_csp=csp == "off")
    watch = Watch(desk.server.url)
    watch.on(page)
    wrong: dict[str, Any] = {}
    looked = 0
    for path in paths(feeds, scaled(2, len(NASTY))):
        await page.goto(path)
        await page.wait_for_load_state("load")
        found = await page.evaluate(INSPECT)
        ran = await page.evaluate(CANARIES)
        looked += 1
        if found or ran:
            wrong[path] = (found, ran)

    counts(f"pages that name things, CSP {csp}", pages=looked, wrong=len(wrong))
    assert wrong == {}
    assert await results(page, watch) == CLEAN


async def _feeds(container: Container, email: str) -> list[int]:
    user = await find_user(container, email)
    found = await container.services().subscriptions.subscriptions(user.id)
    return [feed.id for feed in found]


def paths(feeds: list[int], shapes: int) -> Iterator[str]:
    """List pages that show what people and publishers call things."""
    yield from (
        "/ui/?view=feeds",
        "/ui/?view=feeds&item=3",
        "/ui/?view=bookmarks",
        "/read/all",
        "/read/unread?order=oldest",
        "/dashboard",
        "/feeds",
        "/settings/feeds",
        "/settings/rules",
        "/directory",
        "/digest",
    )
    for feed in feeds:
        yield f"/feeds/{feed}"
        yield f"/feeds/{feed}/edit"
        yield f"/read/feed/{feed}?show=all"
    for number, shape in enumerate(NASTY[:shapes]):
        text = quote(shape.format(f"self.c{9800 + number}=1"), safe="")
        yield f"/search?q={text}"
        yield f"/dashboard?search={text}"
        yield f"/dashboard?status={text}"
        yield f"/directory?q={text}&topic={text}"
        yield f"/ui/?view={text}"
        yield f"/ui/?view=bookmarks&q={text}"
        yield f"/read/tag/{text}"
        yield f"/read/{text}"
        yield f"/feeds/{text}"
        yield f"/auth/login?next={text}"
        yield f"/{text}"


@pytest.mark.threat("X6", "X9", "X12")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("csp", ["off", "on"])
async def test_answers_that_htmx_puts_into_the_page_run_nothing(
    desk: Desk, browser: Browser, csp: str
):
    email = await desk.person()
    page = await desk.sign_in(browser, email, bypass_csp=csp == "off")
    watch = Watch(desk.server.url)
    watch.on(page)
    host = "127.99.7.2"
    desk.publisher.script("/odd.xml", Answer(500, "<script>self.c1=1</script>"), host=host)
    complaints: dict[str, list[str]] = {}
    await page.goto("/dashboard")
    await page.locator(".welcome-rest > summary").click()
    for number, shape in enumerate(NASTY):
        text = shape.format(f"self.c{9900 + number}=1")
        await page.fill("#feed-name", text)
        await page.fill("#feed-url", text)
        await page.locator('form[hx-post="/feeds"] button').click()
        await page.locator("#feed-add-form-errors .error").first.wait_for()
        await page.fill("#search", text)
        await page.locator("#search").press("Enter")
        found = await page.evaluate(INSPECT)
        if found:
            complaints[text] = found
    await page.goto("/ui/?view=feeds")
    for number, shape in enumerate(NASTY):
        text = shape.format(f"self.c{9950 + number}=1")
        await page.fill("#add-url", text)
        await page.locator("#add button").click()
        await page.locator("#add-answer .error").wait_for()
        found = await page.evaluate(INSPECT)
        if found:
            complaints[text] = found

    assert complaints == {}
    assert await results(page, watch) == CLEAN


@pytest.mark.parametrize(("csp", "runs"), [("on", []), ("off", ["c7"])])
async def test_the_watch_sees_what_runs_and_what_is_asked_for(
    desk: Desk, browser: Browser, csp: str, runs: list[str]
):
    page = await desk.sign_in(browser, await desk.person(), bypass_csp=csp == "off")
    watch = Watch(desk.server.url)
    watch.on(page)
    await page.goto("/settings")

    await page.evaluate(
        "document.querySelector('main').innerHTML = '<div class=prose>"
        "<img src=/x onerror=self.c7=1><a href=javascript:1 hx-get=/>x</a></div>';"
        "new Image().src = 'https://evil.example/beacon'"
    )
    seen = await results(page, watch)

    assert seen["ran"] == runs
    assert seen["leaks"] == ["https://evil.example/beacon"]
    said = {line.split()[0] for line in await page.evaluate(INSPECT)}
    assert said == {"handler", "scheme", "hook", "opener"}
