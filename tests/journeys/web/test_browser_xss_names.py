"""A thousand hostile shapes as names: of feeds, folders, tags, rules, bookmarks, errors.

Each is written into the rows as an older release or another door could have left it, then
every page that shows such a name is drawn in a real Chromium, with and without our CSP.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from feedloom.app import Container
from feedloom.model.distilled.documents import ImportedPage
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from tests.journeys.web.browsing import Desk, desk, find_user
from tests.journeys.web.test_browser_xss import CANARIES, CLEAN, INSPECT, Watch, chosen, results

__all__ = ["desk"]

AT_ONCE = 40
PARTS = 4
"""Shapes are shown in parts: a page of all of them at once is slow to look through."""
SHOW_PARTS = f"""
async (paths) => {{
  const root = document.querySelector('#main');
  const inspect = {INSPECT.strip().replace("document.query", "root.query")};
  const complaints = [];
  for (const path of paths) {{
    await htmx.ajax('GET', path, {{target: '#main', swap: 'innerHTML'}});
    if (!root.children.length) complaints.push('nothing at ' + path);
    complaints.push(...inspect().map(one => path + ' ' + one));
  }}
  return complaints;
}}
"""


@dataclass(frozen=True, slots=True)
class Planted:
    """Somebody whose every name is hostile."""

    email: str
    subscriptions: list[int]
    tags: list[str]


def shapes_of(count: int) -> list[str]:
    """Pick so many shapes, as names keep them."""
    return [" ".join(shape.replace("\x00", "").split())[:250] or "x" for _, shape in chosen(count)]


async def plant(desk: Desk, shapes: list[str]) -> Planted:
    """Make a person with as many feeds, folders, tags, rules and bookmarks as shapes."""
    email = await desk.person()
    return await desk.server.call(lambda container: _plant(container, email, shapes))


async def _plant(container: Container, email: str, shapes: list[str]) -> Planted:
    user = await find_user(container, email)
    root = await container.folders().root(user.id)
    ids = await container.work.write(WORKER, _feeds, user.id, root, shapes)
    pages = [
        ImportedPage(f"https://pages.example/{n}", shape, None, shape, (shape[:90],))
        for n, shape in enumerate(shapes)
    ]
    await container.services().bookmarks.add_many(user.id, pages)
    tags = [name for name, _ in await container.services().reading.tags(user.id)]
    return Planted(email, ids, tags)


def _feeds(user_id: int, root: int, shapes: list[str]) -> Script[list[int]]:
    key = f"{user_id}"
    numbered = list(enumerate(shapes))
    yield Insert(
        "feeds",
        (
            *("url", "url_key", "host_key", "title", "description", "site_url"),
            *("state", "last_fetch_status", "last_fetch_error", "language"),
            *("consecutive_failures", "created_at", "updated_at", "in_directory"),
        ),
        [
            (
                *(f"https://h{n}.example/{key}", f"{key} {n}", f"h{n}", shape, shape),
                *(shape, "unhealthy", "permanent_error", shape, shape),
                *(5, 0, 0, True),
            )
            for n, shape in numbered
        ],
    )
    feeds = yield sql("SELECT id FROM feeds WHERE url_key LIKE :k", k=f"{key} %")
    feed_ids = [row["id"] for row in feeds]
    yield Insert(
        "folders",
        ("user_id", "parent_id", "name"),
        [(user_id, root, f"{n} {shape}") for n, shape in numbered],
    )
    yield Insert("tags", ("user_id", "name"), [(user_id, f"{n} {shape}") for n, shape in numbered])
    folders = yield sql("SELECT id FROM folders WHERE user_id = :u AND NOT is_root", u=user_id)
    yield Insert(
        "subscriptions",
        ("user_id", "feed_id", "folder_id", "title", "added_at", "seeded"),
        [
            (user_id, feed, folder["id"], shape, 0, True)
            for feed, folder, shape in zip(feed_ids, folders, shapes, strict=True)
        ],
    )
    yield Insert(
        "rules",
        (
            *("user_id", "name", "field", "pattern", "action", "tag", "position"),
            *("last_error", "created_at"),
        ),
        [(user_id, shape, "title", shape, "tag", shape, n, shape, 0) for n, shape in numbered],
    )
    yield Insert(
        "fetch_log",
        ("feed_id", "at", "outcome", "message"),
        [(feed, 1, "gone", shape) for feed, shape in zip(feed_ids, shapes, strict=True)],
    )
    yield Insert(
        "audit_log",
        ("at", "actor", "action", "subject", "before_value", "after_value", "why"),
        [
            (1, "worker", "feed_moved", f"feed:{feed}", shape, shape, shape)
            for feed, shape in zip(feed_ids, shapes, strict=True)
        ],
    )
    made = yield sql("SELECT id FROM subscriptions WHERE user_id = :u", u=user_id)
    return [row["id"] for row in made]


def whole_pages() -> Iterator[str]:
    """List pages that show all names at once, sidebar included."""
    yield from (
        "/ui/?view=feeds",
        "/dashboard",
        "/settings/feeds",
        "/settings/rules",
        "/settings/sharing",
        "/ui/?view=bookmarks",
        "/directory",
    )


def parts(planted: Planted, *, csp: str) -> Iterator[str]:
    """List what is drawn one by one: each feed, its form, its articles, lists by page.

    Without a policy everything would run that comes through: all is shown so. With one,
    each feed's own page is enough to see that the policy is in nobody's way.
    """
    for id_ in planted.subscriptions:
        yield f"/feeds/{id_}"
        if csp == "off":
            yield f"/feeds/{id_}/edit"
            yield f"/read/feed/{id_}?show=all"
    for page in range(1, -(-len(planted.subscriptions) // 20) + 1):
        yield f"/feeds?page={page}"


async def look(page: Page, path: str) -> list[str]:
    """Open a whole page, follow its list to the end, and tell what is wrong with it."""
    await page.goto(path)
    for _ in range(40):
        more = page.locator("#more a")
        if await more.count() == 0:
            break
        address = await more.first.get_attribute("hx-get")
        await more.first.evaluate("link => link.click()")
        # Waiting by a function would need what our policy forbids.
        await expect(page.locator(f'[hx-get="{address}"]')).to_have_count(0)
    found: list[str] = await page.evaluate(INSPECT)
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("csp", ["on", "off"])
@pytest.mark.parametrize("part", range(PARTS))
async def test_no_name_of_anything_runs_on_any_page(
    desk: Desk, browser: Browser, scaled: Callable[[int, int], int], *, part: int, csp: str
):
    shapes = shapes_of(scaled(80, 1_200))
    planted = await plant(desk, shapes[part::PARTS])
    page = await desk.sign_in(browser, planted.email, bypass_csp=csp == "off")
    watch = Watch(desk.server.url)
    watch.on(page)
    wrong: dict[str, Any] = {}
    for path in whole_pages():
        if found := await look(page, path):
            wrong[path] = found
    links = page.locator("#nav .nav-link")
    # Some pages fetch the sidebar once they are there.
    await links.nth(3 * len(planted.subscriptions) - 1).wait_for(state="attached")
    names = await links.count()
    todo = list(parts(planted, csp=csp))
    for start in range(0, len(todo), AT_ONCE):
        wrong_here = await page.evaluate(SHOW_PARTS, todo[start : start + AT_ONCE])
        if wrong_here:
            wrong[todo[start]] = wrong_here

    assert wrong == {}
    assert await page.evaluate(CANARIES) == []
    assert await results(page, watch) == CLEAN
    assert len(shapes) >= scaled(70, 500)
    assert len(planted.tags) == len(planted.subscriptions) == len(shapes[part::PARTS])
    assert names >= 3 * len(planted.subscriptions)
