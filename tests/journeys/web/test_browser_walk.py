"""A real Chromium walks through the product, with scripts and without."""

import re
from dataclasses import replace
from functools import partial

import pytest
from playwright.async_api import Browser, FilePayload, Page, expect

from feedloom.app import Container
from tests.browser import watch_errors
from tests.factories_feeds import entry, fresh
from tests.journeys.web.browsing import Desk, desk, find_user, reader
from tests.serving import PASSWORD

__all__ = ["desk", "reader"]

EMAIL = "walker@example.org"


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=10_000)


async def register(page: Page, desk: Desk, email: str) -> None:
    await page.goto(f"{desk.server.url}/auth/register")
    await page.fill("#email", email)
    await page.fill("#password", PASSWORD)
    await page.fill("#password_confirmation", PASSWORD)
    await page.check("[name=privacy]")
    await page.get_by_role("button", name="Create account").click()
    # The very first person is asked who else may come.
    await expect(page).to_have_url(re.compile("/dashboard|/admin/registration"))
    if "/admin/" in page.url:
        await page.goto(f"{desk.server.url}/dashboard")


async def dialog_answer(page: Page, name: str) -> None:
    await page.locator("dialog[open]").get_by_role("button", name=name).click()
    await expect(page.locator("dialog[open]")).to_have_count(0)


async def test_the_whole_walk(desk: Desk, page: Page):
    errors = watch_errors(page)
    host = "127.88.1.2"
    articles = [replace(e, title=e.title.replace("Entry", "Story")) for e in fresh(3)]
    desk.publisher.feed("/walk.xml", title="Walk Weekly", entries=articles, host=host)
    link = '<link rel="alternate" type="application/rss+xml" href="/walk.xml">'
    site = desk.publisher.page("/", f"<head>{link}</head>", host=host)

    await register(page, desk, EMAIL)
    await _add_a_feed(desk, page, site)
    await _open_save_dismiss(page)
    await _rename_and_unsubscribe(page)
    await _dashboard_filters_and_paging(desk, page)
    await _reader_by_keyboard(desk, page, site)
    await _import_with_progress(desk, page)
    await _rules(page)
    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(re.compile("/auth/login|/$"))
    await page.goto(f"{desk.server.url}/ui/")
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    # An empty name, a broken pattern, and asking again after signing out.
    refused = [re.search(r"status of (\d+)", error) for error in errors]
    assert [found and found[1] for found in refused] == ["400", "400", "401"]


async def _add_a_feed(desk: Desk, page: Page, site: str) -> None:
    await page.get_by_role("link", name="River").click()
    await expect(page.get_by_role("heading", name="Add your first feed")).to_be_visible()
    await page.get_by_label("Add Feed").fill(site)
    await page.locator("#add").get_by_role("button", name="Add").click()
    await expect(page.locator("#add-answer .flash")).to_contain_text("Walk Weekly")
    await desk.server.refresh_all(due_only=True)
    await page.keyboard.press("Escape")
    await page.locator("h1").click()
    await page.keyboard.press("r")
    await expect(page.locator(".item")).to_have_count(3)
    await expect(page.locator("[data-total=unread] .count")).to_have_text("3")


async def _open_save_dismiss(page: Page) -> None:
    await page.get_by_role("link", name="Story 3").click()
    await expect(page.locator("#detail .detail-title")).to_have_text("Story 3")
    await expect(page.locator("[data-total=unread] .count")).to_have_text("2")
    await page.get_by_role("button", name="Save to Bookmarks").click()
    await expect(page.get_by_text("Saved to Bookmarks.")).to_be_visible()
    await page.locator("#detail").get_by_role("button", name="Dismiss").click()
    await expect(page.locator(".item")).to_have_count(2)
    await page.locator(".toast", has_text="Dismissed.").get_by_role("button").click()
    await expect(page.locator(".item")).to_have_count(3)
    await page.reload()
    await expect(page.locator(".item")).to_have_count(3)


async def _rename_and_unsubscribe(page: Page) -> None:
    menu = page.get_by_label("Actions for Walk Weekly")
    await menu.click()
    await page.get_by_role("link", name="Rename").click()
    field = page.locator("dialog[open] input[name=name]")
    await expect(field).to_be_focused()
    await field.fill("Renamed Weekly")
    await dialog_answer(page, "Save")
    await expect(page.locator(".source h2")).to_have_text("Renamed Weekly")
    await expect(page.locator("#nav")).to_contain_text("Renamed Weekly")
    await page.get_by_label("Actions for Renamed Weekly").click()
    await page.get_by_role("button", name="Unsubscribe").click()
    await dialog_answer(page, "Cancel")
    await expect(page.locator(".source")).to_have_count(1)
    await page.get_by_label("Actions for Renamed Weekly").click()
    await page.get_by_role("button", name="Unsubscribe").click()
    await page.locator("dialog[open]").get_by_role("button", name="Unsubscribe").click()
    await expect(page.get_by_text("Unsubscribed.")).to_be_visible()
    await expect(page.locator(".source")).to_have_count(0)


async def _dashboard_filters_and_paging(desk: Desk, page: Page) -> None:
    for number in range(1, 24):
        url = f"http://127.88.1.9:9/n{number}.xml"
        await desk.server.call(partial(_subscribe, url=url, number=number))
    await page.get_by_role("link", name="Dashboard").click()
    rows = page.locator(".feed-row")
    await expect(rows).to_have_count(20)
    await page.get_by_role("link", name="Next").click()
    await expect(rows).to_have_count(3)
    await expect(page).to_have_url(re.compile("page=2"))
    await page.get_by_label("Search", exact=True).fill("number 07")
    await expect(rows).to_have_count(1)
    # Leaving the box asks for nothing again: the list would be replaced under the hand.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.get_by_label("Edit Number 07").click()
    await page.locator("dialog[open] input[name=name]").fill("")
    assert not [url for url in asked if "/feeds?" in url]
    await page.locator("dialog[open]").get_by_role("button", name="Save").click()
    await expect(page.locator("dialog[open]")).to_contain_text("Feed name is required")
    await page.keyboard.press("Escape")
    await page.get_by_label("Delete Number 07").click()
    async with page.expect_request(lambda asked: asked.method == "DELETE") as deleted:
        await dialog_answer(page, "Delete")
    assert "token" not in (await deleted.value).url
    await expect(page.get_by_role("heading", name="No matching feeds")).to_be_visible()
    await page.get_by_label("Search", exact=True).fill("")
    await page.get_by_label("Status").select_option("working")
    await expect(rows).to_have_count(0)


async def _subscribe(container: Container, *, url: str, number: int) -> None:
    user = await find_user(container, EMAIL)
    await container.subscribing().add(user, url, title=f"Number {number:02}", exact=True)


async def _reader_by_keyboard(desk: Desk, page: Page, site: str) -> None:
    await page.goto(f"{desk.server.url}/dashboard")
    await page.get_by_label("Name").fill("Walk Weekly")
    await page.get_by_label("Feed URL").fill(f"{site}walk.xml")
    add = page.locator('form[hx-post="/feeds"]').get_by_role("button", name="Add")
    await add.click()
    await expect(page.get_by_label("Name")).to_have_value("")
    await desk.server.refresh_all(due_only=True)
    await page.locator("h1").click()
    await page.keyboard.press("g")
    await page.keyboard.press("u")
    await expect(page.locator(".row")).to_have_count(3)
    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_have_text("Story 3")
    await expect(page.locator(".row.is-unread")).to_have_count(2)
    await page.keyboard.press("j")
    await expect(page.locator("#article .article-title")).to_have_text("Story 2")
    await expect(page).to_have_title(re.compile("Story 2 · Feedloom"))
    await page.keyboard.press("s")
    await expect(page.locator("[data-total=starred] .count")).to_have_text("1")
    await page.keyboard.press("m")
    await expect(page.locator(".row.is-unread")).to_have_count(2)
    await page.keyboard.press("k")
    await expect(page.locator("#article .article-title")).to_have_text("Story 3")
    await page.go_back()
    await expect(page.locator("#article .article-title")).to_have_text("Story 2")
    await expect(page.locator(".row")).to_have_count(3)
    await page.keyboard.press("Shift+A")
    await expect(page.locator("[data-total=unread] .count")).to_have_text("")
    await page.keyboard.press("u")
    await expect(page.locator("[data-total=unread] .count")).not_to_have_text("")
    await page.keyboard.press("?")
    await expect(page.locator("#help")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("#help")).not_to_be_visible()


async def _import_with_progress(desk: Desk, page: Page) -> None:
    rows = "".join(
        f'<outline text="Imported {n}" xmlUrl="http://127.88.2.2:9/{n}.xml"/>' for n in range(30)
    )
    bad = '<outline text="Odd" xmlUrl="file:///etc/passwd"/>'
    document = f"<opml><body><outline text='Box'>{rows}{bad}</outline></body></opml>"
    await page.goto(f"{desk.server.url}/settings/feeds")
    file = FilePayload(name="f.opml", mimeType="text/xml", buffer=document.encode())
    await page.set_input_files("#opml-file", file)
    await page.get_by_role("button", name="Import").click()
    await expect(page.locator("#import progress")).to_be_visible()
    await desk.server.refresh_all(due_only=True)
    await expect(page.locator("#import")).to_contain_text(
        "Done. 30 feeds added, 1 could not be added."
    )
    await expect(page.locator("#import")).to_contain_text("Odd")
    await expect(page.locator("#nav")).to_contain_text("Imported 29")


async def _rules(page: Page) -> None:
    await page.get_by_role("link", name="Rules").click()
    await page.get_by_label("contains", exact=True).fill("story [12]")
    await page.get_by_label("then").select_option("star")
    await page.get_by_role("button", name="Preview").click()
    await expect(page.locator("#rule-preview")).to_contain_text("2 articles of the newest")
    await page.get_by_label("contains", exact=True).fill("(")
    await page.get_by_role("button", name="Preview").click()
    await expect(page.locator("#rule-preview")).to_contain_text("is not valid")
    await page.get_by_label("contains", exact=True).fill("story [12]")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page.locator(".rule")).to_have_count(1)
    await page.locator(".rule").get_by_role("button", name="Delete").click()
    await dialog_answer(page, "Delete")
    await expect(page.locator(".rule")).to_have_count(0)


async def test_reading_marking_and_subscribing_without_scripts(desk: Desk, browser: Browser):
    host = "127.88.3.2"
    url = desk.publisher.feed("/plain.xml", title="Plain", host=host, entries=fresh(3))
    email = await desk.person()
    context = await browser.new_context(
        java_script_enabled=False, viewport={"width": 1280, "height": 800}
    )
    page = await context.new_page()

    await page.goto(f"{desk.server.url}/auth/login")
    await page.fill("#email", email)
    await page.fill("#password", PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("link", name="River").click()
    await page.get_by_label("Add Feed").fill(url)
    await page.locator("#add").get_by_role("button", name="Add").click()
    await expect(page.locator(".flash")).to_contain_text("Added.")
    await desk.server.refresh_all(due_only=True)
    await page.get_by_role("link", name="Unread").first.click()
    await expect(page.locator(".row")).to_have_count(3)
    await page.get_by_role("link", name="Entry 3").click()
    await expect(page.locator("#article .article-title")).to_have_text("Entry 3")
    await page.locator(".article-bar").get_by_role("button", name="Mark read").click()
    await expect(page.locator(".row.is-unread")).to_have_count(2)
    await page.locator(".article-bar").get_by_role("button", name="Star").click()
    await page.get_by_role("button", name="Mark all read").click()
    await expect(page.locator(".flash")).to_contain_text("2 articles marked as read.")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".row.is-unread")).to_have_count(2)
    await page.get_by_role("link", name="Starred").first.click()
    await expect(page.locator(".row")).to_have_count(1)
    await page.goto(f"{desk.server.url}/ui/?view=feeds")
    await page.get_by_label("Actions for Plain").click()
    await page.get_by_role("button", name="Unsubscribe").click()
    await expect(page.locator(".flash")).to_contain_text("Unsubscribed.")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()


async def test_marking_on_scroll_marks_what_was_passed_and_can_be_undone(
    desk: Desk, browser: Browser
):
    url = desk.publisher.feed(
        "/scroll.xml", entries=[entry(n) for n in range(40, 0, -1)], host="127.88.4.2"
    )
    email = await desk.person()
    await desk.server.call(lambda container: _prepare_scrolling(container, email, url))
    await desk.server.refresh_all(due_only=True)
    await desk.server.call(lambda container: _all_unread(container, email))
    page = await desk.sign_in(browser, email)

    await page.goto("/read/unread")
    await expect(page.locator(".row.is-unread")).to_have_count(40)
    await page.locator(".list-pane").hover()
    for _ in range(6):
        await page.mouse.wheel(0, 200)
        await page.wait_for_timeout(60)
    toast = page.locator(".toast", has_text="marked as read")
    await expect(toast).to_be_visible()
    passed = 40 - await page.locator(".row.is-unread").count()
    assert 4 <= passed <= 16
    await toast.get_by_role("button", name="Undo").click()
    await expect(page.locator(".row.is-unread")).to_have_count(40)


async def _prepare_scrolling(container: Container, email: str, url: str) -> None:
    user = await find_user(container, email)
    await container.subscribing().add(user, url, exact=True)
    await container.accounts.store.save_settings(user.id, {"mark_on_scroll": True})


async def _all_unread(container: Container, email: str) -> None:
    user = await find_user(container, email)
    await container.services().reading.mark(user.id, list(range(1, 60)), "unread")


async def test_a_narrow_screen_shows_the_list_then_the_article_and_comes_back(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader, viewport={"width": 360, "height": 740})

    await page.goto("/read/all")
    rows = await page.locator(".row").count()
    await page.mouse.wheel(0, 900)
    third = page.locator(".row-link").nth(9)
    title = await third.locator(".row-title").inner_text()
    await third.click()
    await expect(page.locator("#article .article-title")).to_have_text(title)
    await expect(page.locator(".list-pane")).not_to_be_visible()
    await page.go_back()
    await expect(page.locator(".list-pane")).to_be_visible()
    assert await page.locator(".row").count() == rows
    await page.get_by_label("Open the menu").click()
    await expect(page.locator("#sidebar")).to_be_visible()
    await page.locator("#sidebar").get_by_role("link", name="Starred").click()
    await expect(page.locator("#sidebar")).not_to_be_visible()
    await expect(page.get_by_role("heading", name="Starred")).to_be_visible()


async def test_going_back_to_a_page_that_is_also_json_shows_the_page(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/feeds")
    await page.locator(".feed-name a").nth(1).click()
    title = await page.locator("h1").inner_text()
    await page.locator("#nav").get_by_role("link", name="Starred").click()
    await expect(page.get_by_role("heading", name="Starred")).to_be_visible()

    await page.go_back()

    await expect(page.locator("h1")).to_have_text(title)
    await expect(page.locator("#sidebar")).to_be_visible()


async def test_the_theme_switch_changes_the_page_at_once_and_is_kept(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader, color_scheme="dark")
    await page.goto("/ui/")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = await page.evaluate(ground)

    async with page.expect_response("**/settings/theme"):
        await page.get_by_role("button", name="Light theme").click()
        light = await page.evaluate(ground)
    await page.reload()

    assert dark != light
    assert await page.evaluate(ground) == light


async def test_when_the_server_is_gone_marks_change_back_and_say_so(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/read/all?order=oldest")
    await page.route("**/articles/mark", lambda route: route.abort())
    star = page.locator(".row").first.get_by_role("button", name=re.compile("^Star"))

    await page.locator(".row").first.hover()
    await star.click()

    await expect(page.locator(".toast-bad")).to_contain_text("Can't reach the server")
    await expect(star).to_have_attribute("aria-pressed", "false")


async def test_the_service_worker_shows_a_page_when_there_is_no_network(
    desk: Desk, browser: Browser, reader: str
):
    page = await desk.sign_in(browser, reader)
    await page.goto("/ui/")
    await page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    await page.reload()

    await page.context.set_offline(offline=True)
    await page.goto("/read/unread")

    await expect(page.get_by_role("heading", name="You're offline")).to_be_visible()
    kept = await page.evaluate(
        "caches.keys().then(async n => (await (await caches.open(n[0])).keys())"
        ".map(r => new URL(r.url).pathname))"
    )
    assert [p for p in kept if not p.startswith(("/static/", "/offline"))] == []


async def test_somebody_new_reads_within_one_paste(desk: Desk, browser: Browser):
    blog = desk.publisher.feed(
        "/first.xml", title="First blog", host="127.77.9.9", entries=fresh(3)
    )
    link = f'<link rel="alternate" type="application/rss+xml" href="{blog}">'
    site = desk.publisher.page("/", f"<html><head>{link}", host="127.77.9.9")
    page = await desk.sign_in(browser, await desk.person())
    clicks = 0

    await page.goto("/")
    await expect(page).to_have_url(re.compile("/dashboard"))
    await expect(page.locator("h1").first).to_have_text("Welcome to Feedloom")
    await expect(page.locator(".totals")).to_have_count(0)
    await expect(page.locator("#add-url")).to_have_value("")
    await page.locator("#add-url").fill(site)
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Read it").click()
    clicks += 1
    await desk.server.refresh_all(due_only=True)
    await page.locator(".row-link").first.click(timeout=30_000)
    clicks += 1
    await expect(page.locator("#article .article-title")).to_be_visible()

    assert clicks <= 6


async def test_somebody_new_starts_with_a_topic(desk: Desk, browser: Browser):
    page = await desk.sign_in(browser, await desk.person())
    await page.goto("/dashboard")
    await expect(page.locator(".pack")).to_have_count(6)

    await page.get_by_role("button", name="Subscribe to Science").click()

    await expect(page.locator(".flash")).to_contain_text("Subscribed.")
    await expect(page.locator(".tree .branch")).to_contain_text("Science")
    assert await page.locator(".tree .nav-link[data-feed]").count() >= 6
    await page.goto("/dashboard")
    await expect(page.locator(".totals")).to_have_count(1)


async def test_somebody_new_is_just_shown_something(desk: Desk, browser: Browser):
    page = await desk.sign_in(browser, await desk.person())
    await page.goto("/dashboard")

    await page.get_by_role("button", name="Just show me").click()

    await expect(page.locator(".tree .nav-link[data-feed]")).to_have_count(6)
