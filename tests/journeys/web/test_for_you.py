"""*For you*: switched on, filled by marks, explained row by row, deleted, switched off."""

import json
from http import HTTPStatus

import pytest
from playwright.async_api import Browser, expect

from tests.browser import Axe
from tests.factories_feeds import entry
from tests.journeys.web.browsing import Desk, desk
from tests.journeys.web.browsing import reader as full_reader
from tests.journeys.web.people import Person
from tests.publisher import Publisher

__all__ = ["desk", "full_reader"]
SETTINGS = "/settings/interests"


@pytest.fixture
async def reader(ada: Person, publisher: Publisher) -> Person:
    for number, title in enumerate(("Birds", "Trains"), 1):
        host = ada.host_of(number)
        told = [entry(10 * number + n, title=f"{title} {n}") for n in range(4)]
        url = publisher.feed(f"/{title}.xml", title=title, entries=told, host=host)
        await ada.subscribe(url)
    await ada.server.refresh_all()
    return ada


async def item_of(person: Person, feed: str) -> int:
    found = (await person.visitor.get("/api/articles?unread=true")).json()["articles"]
    return int(next(article["id"] for article in found if article["feed_title"] == feed))


async def test_for_you_is_off_and_learns_nothing_until_it_is_switched_on(reader: Person):
    await reader.tell("/articles/mark", mark="starred", item=str(await item_of(reader, "Trains")))

    page = await reader.page("/read/for-you")
    learned = (await reader.visitor.get("/api/interests")).json()
    refused = await reader.visitor.get("/api/for-you")

    assert page.texts(".list-pane h2") == ["“For you” is off"]
    assert "For you" not in page.texts("#nav .nav-text")
    assert learned == {"enabled": False, "interests": []}
    assert refused.status == HTTPStatus.CONFLICT


async def test_rows_say_why_they_are_there_and_what_was_learned_can_be_deleted(reader: Person):
    await reader.tell("/articles/mark", mark="starred", item=str(await item_of(reader, "Trains")))
    assert (await reader.send(SETTINGS, enabled="1")).status == HTTPStatus.SEE_OTHER

    page = await reader.page("/read/for-you")
    assert page.texts(".row-meta .cut")[0] == "Trains"
    assert page.texts(".row-why")[0] in {
        "You starred 1 article from Trains.",
        "You starred 1 article about topic-3.",
    }
    assert "For you" in page.texts("#nav .nav-text")
    shown = await reader.page(SETTINGS)
    assert "Trains" in shown.texts(".folder-path b")
    learned = (await reader.visitor.get("/api/interests")).json()["interests"]
    [feed] = [each for each in learned if each["kind"] == "feed"]
    await reader.send(f"{SETTINGS}/forget", id=str(feed["id"]))
    assert "Trains" not in (await reader.page(SETTINGS)).texts(".folder-path b")
    await reader.send(SETTINGS)

    assert (await reader.visitor.get("/api/interests")).json() == {
        "enabled": False,
        "interests": [],
    }


async def test_more_and_less_like_this_move_articles(reader: Person):
    await reader.visitor.put("/api/interests", json={"enabled": True})
    birds, trains = await item_of(reader, "Birds"), await item_of(reader, "Trains")

    sent = await reader.send("/articles/like", like=f"less.{birds}", next="/read/for-you")
    liked = await reader.visitor.post(f"/api/articles/{trains}/like", json={"like": "more"})
    page = await reader.page(sent.headers["Location"])
    first = (await reader.visitor.get("/api/for-you?limit=1")).json()

    assert liked.status == HTTPStatus.NO_CONTENT
    assert page.texts(".flash span") == ["You'll see less like this."]
    assert page.texts(".row-meta .cut")[0] == "Trains"
    assert page.texts(".row-meta .cut")[-1] == "Birds"
    assert first[0]["article"]["feed_title"] == "Trains"
    assert first[0]["reason"] == first[0]["reasons"][0]["text"]


async def test_what_was_learned_is_in_the_export(reader: Person):
    await reader.visitor.put("/api/interests", json={"enabled": True})
    item = await item_of(reader, "Birds")
    await reader.tell("/articles/mark", mark="hidden", item=str(item))

    exported = json.loads((await reader.visitor.get("/settings/export.json")).body)

    found = {each["name"]: each["dismissed"] for each in exported["interests"]}
    assert found["Birds"] == 1


@pytest.mark.parametrize("width", [360, 1280])
async def test_the_list_and_its_settings_in_a_browser(
    desk: Desk, browser: Browser, full_reader: str, axe: Axe, width: int
):
    page = await desk.sign_in(browser, full_reader, viewport={"width": width, "height": 800})
    await page.goto(SETTINGS)
    await page.get_by_role("button", name="Turn on").click()
    await page.goto("/read/unread")
    await page.locator(".row-link").first.click()
    await expect(page.locator("#article .article-title")).to_be_visible()
    await expect(page.locator(".row.is-unread").first).to_be_attached()
    await page.goto("/read/for-you")
    await expect(page.locator(".row-why").first).to_be_visible()

    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await axe(page) == []
    await page.get_by_label("More like this").first.click()
    await expect(page.get_by_text("You'll see more like this.")).to_be_visible()
    await page.get_by_role("link", name="What it learned").click()
    await expect(page.get_by_text("opened 1").first).to_be_visible()
    assert await axe(page) == []
    await page.get_by_role("button", name="Delete all").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("Nothing yet.")).to_be_visible()
