"""Take pictures of every page for the documentation.

In: nothing; the program is started with invented feeds (see ``sample_feeds``). Out:
``docs/screenshots/*.png``, in light and dark, wide and narrow. Never: an address beyond
loopback, a real publisher, somebody's data.

Run it from the root: ``python -m tools.screenshots [word]``; a word picks pages.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright, expect

from feedloom.app import House
from feedloom.model.distilled.keeping import NewBookmark
from feedloom.model.reading import User
from feedloom.model.rules import NewRule
from feedloom.store.engine.steps import WORKER, Insert, Steps, sql
from tests.browser import FLAGS
from tests.databases import sqlite_databases
from tests.publisher import Answer, Publisher, PublisherThread
from tests.serving import PASSWORD, Server, open_server
from tools.sample_feeds import BLOGS

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screenshots"
EMAIL = "ada@example.org"
FONTS = """<?xml version="1.0"?><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<alias binding="strong"><family>system-ui</family>
<prefer><family>Inter</family></prefer></alias></fontconfig>"""
WIDE, NARROW = (1200, 760), (360, 700)


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: where, how wide, in which theme, and what is done before."""

    name: str
    path: str
    size: tuple[int, int] = WIDE
    scheme: str = "light"
    click: str = ""
    signed_in: bool = True


SHOTS = (
    Shot("landing", "/", signed_in=False),
    Shot("sign-in", "/auth/login", NARROW, signed_in=False),
    Shot("register", "/auth/register", NARROW, signed_in=False),
    Shot("river", "/ui/?view=feeds&item={story}"),
    Shot("river-dark", "/ui/?view=feeds&item={story}", scheme="dark"),
    Shot("river-narrow", "/ui/?view=feeds", NARROW),
    Shot("reader", "/read/all?item={article}"),
    Shot("reader-dark", "/read/all?item={article}", scheme="dark"),
    Shot("reader-narrow", "/read/unread", NARROW),
    Shot("article-narrow", "/read/all?item={article}", NARROW, "dark"),
    Shot("menu-narrow", "/read/unread", NARROW, click=".topbar .icon-button"),
    Shot("dashboard", "/dashboard"),
    Shot("dashboard-narrow", "/dashboard", NARROW),
    Shot("feed", "/feeds/{feed}"),
    Shot("feed-broken", "/feeds/{broken}"),
    Shot("bookmarks", "/ui/?view=bookmarks"),
    Shot("digest", "/digest"),
    Shot("directory", "/directory"),
    Shot("search", "/search?q=harbour"),
    Shot("settings", "/settings"),
    Shot("import-export", "/settings/feeds"),
    Shot("rules", "/settings/rules"),
    Shot("sharing", "/settings/sharing"),
    Shot("security", "/settings/security"),
    Shot("admin", "/admin"),
)


async def fill(house: House, publisher: Publisher) -> dict[str, str]:
    """Make somebody with a month of reading; return the ids that paths need."""
    user = await house.accounts.register(EMAIL, PASSWORD)
    now = datetime.now(UTC)  # noqa: TID251 - what readers see as fresh
    for number, blog in enumerate(BLOGS, 2):
        url = publisher.feed(
            blog.path,
            title=blog.title,
            entries=blog.entries(now, older=24),
            host=f"127.66.1.{number}",
        )
        folder = await house.folders().ensure(user.id, (blog.folder,))
        await house.subscribing().add(user, url, exact=True, folder_id=folder)
    publisher.script("/gone.xml", Answer(404), host="127.66.1.90")
    gone = publisher.url("/gone.xml", host="127.66.1.90")
    await house.subscribing().add(user, gone, exact=True, title="An old favourite")
    await house.operations().make_due(None, everything=True)
    worker = house.worker()
    await worker.feed_loop().drain()
    await worker.task_loop().drain()
    await house.work.write(WORKER, _age)
    return await _use(house, user)


def _age() -> Steps[None]:
    """Let articles have arrived when they were published, and feeds have a past."""
    # Numbers follow arrival, as they do when articles come one by one.
    yield sql(
        "UPDATE article_states SET arrived_at = published_at, item_no = 1000 + (SELECT"
        " count(*) FROM article_states b WHERE (b.published_at, b.article_id)"
        " < (article_states.published_at, article_states.article_id))"
    )
    yield sql("UPDATE users SET next_item_no = 10000")
    hour, now = 3_600_000_000, (yield sql("SELECT now_us() AS now"))[0]["now"]
    feeds = yield sql("SELECT id, state FROM feeds ORDER BY id")
    rows = [
        (
            feed["id"],
            now - step * 4 * hour - feed["id"],
            "temporary" if (step * 7 + feed["id"]) % 23 == 0 else "not_modified",
            304,
            0,
            40 + (step * 37 + feed["id"] * 11) % 90,
            0,
        )
        for feed in feeds
        for step in range(1, 42)
    ]
    columns = ("feed_id", "at", "outcome", "http_status", "bytes", "ms", "new_articles")
    yield Insert("fetch_log", columns, rows, "ON CONFLICT DO NOTHING")


async def _use(house: House, user: User) -> dict[str, str]:
    services = house.services()
    feeds = await services.subscriptions.subscriptions(user.id)
    by_title = {feed.title: feed for feed in feeds}
    found = await _article(house, user, "The first boat of the year")
    await services.reading.mark(user.id, range(1_000, 1_400, 3), "read")
    await services.reading.mark(user.id, [found, found - 3, found - 7], "starred")
    await services.reading.tag(user.id, [found], "to print")
    await services.rules.add(
        user.id,
        NewRule(name="", field="title", pattern="advert|sponsored", action="hide"),
    )
    await services.rules.add(
        user.id,
        NewRule(name="Boats", field="any", pattern="boat", action="tag", tag="boats"),
    )
    quiet = by_title["Quiet Machines"]
    await services.bookmarks.save_article(
        user.id, quiet.id, await _article(house, user, "Clocks that go backwards")
    )
    page = "https://pages.example/a-short-history-of-rope"
    note = "For the long weekend."
    await services.bookmarks.add(
        user.id, NewBookmark(page, "A short history of rope", note, ("reading",))
    )
    await house.directory(house.work).seed(check=False)
    await house.indexer().catch_up()
    await services.digests.generate(user.id)
    return {
        "article": str(found),
        "story": str(
            await _article(house, user, "Night trains return to the northern line")
        ),
        "feed": str(quiet.id),
        "broken": str(by_title["An old favourite"].id),
    }


async def _article(house: House, user: User, title: str) -> int:
    from feedloom.model.reading import Wanted  # noqa: PLC0415 - used here only

    page = await house.services().reading.articles(user.id, Wanted(limit=500))
    return next(a.item_no for a in page.articles if a.title == title)


async def session(house: House) -> str:
    """Sign the person in; return what their browser keeps."""
    found = await house.accounts.store.by_email(EMAIL)
    if found is None:
        raise LookupError(EMAIL)
    signed = await house.accounts.sign_in(
        found[0], user_agent="screenshots", address="127.0.0.1"
    )
    return signed.token


async def take(
    browser: Browser, server: Server, shot: Shot, ids: dict[str, str]
) -> None:
    """Take one picture."""
    width, height = shot.size
    context = await browser.new_context(
        base_url=server.url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.scheme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
    )
    if shot.signed_in:
        token = await server.call(session)
        await context.add_cookies(
            [{"name": "feedloom_session", "value": token, "url": server.url}]
        )
    page = await context.new_page()
    await page.goto(shot.path.format(**ids))
    await _settle(page)
    if shot.click:
        await page.locator(shot.click).first.click()
    picture = FOLDER / f"{shot.name}.png"
    await page.screenshot(path=picture)
    await context.close()
    smaller = shutil.which("pngquant")
    if smaller:  # Debian's; the pictures are only larger without it
        quantise = [smaller, "--force", "--skip-if-larger", "--strip", "--output"]
        await asyncio.to_thread(
            subprocess.run, [*quantise, str(picture), "64", str(picture)], check=False
        )


async def _settle(page: Page) -> None:
    await expect(page.locator(".htmx-request")).to_have_count(0)
    await page.wait_for_timeout(250)


async def main(word: str) -> None:
    """Start everything, take the pictures, stop everything."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fonts.conf").write_text(FONTS)
        with (
            PublisherThread() as publisher,
            open_server(sqlite_databases(folder), folder) as server,
        ):
            ids = await server.call(lambda house: fill(house, publisher))
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(
                    executable_path=shutil.which("chromium"),
                    args=list(FLAGS),
                    env={**os.environ, "FONTCONFIG_FILE": str(folder / "fonts.conf")},
                )
                for shot in SHOTS:
                    if word in shot.name:
                        await take(browser, server, shot, ids)
                        print(shot.name)
                await browser.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
