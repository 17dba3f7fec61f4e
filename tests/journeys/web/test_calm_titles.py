"""Calm headlines: switched on, read with reasons, toggled, looked for, synced."""

import re
from base64 import b64encode
from collections.abc import Awaitable, Callable
from hashlib import md5

import pytest
from playwright.async_api import Browser, expect

from feedloom.app import Container
from tests.factories_feeds import entry
from tests.journeys.web.browsing import Desk, desk
from tests.journeys.web.people import Person
from tests.publisher import Publisher

__all__ = ["desk"]

BAIT = "Why this woman's heating bill dropped: you won't believe the reason"
ANSWER = "Berg cut her heating bill in half because she closed the doors of unused rooms."
ENTRIES = [
    entry(
        1,
        title="WATCH: Minister REVEALS the plan!!!",
        content="<p>The minister reveals a plan for the old harbour.</p>",
    ),
    entry(2, title=BAIT, content=f"<p>Anna Berg lives in Malmo. {ANSWER}</p>"),
    entry(3, title="Council approves the new bus line to the harbour"),
    entry(4, title="Правительство утвердило бюджет на следующий год"),
]
QUOTED = f"\u201c{ANSWER}\u201d"


async def work_off(container: Container) -> None:
    """Do all tasks that are due."""
    await container.worker().task_loop().drain()


async def test_reading_calmly(ada: Person, publisher: Publisher):
    url = publisher.feed("/calm.xml", entries=ENTRIES, host=ada.host, language="en")
    feed = await ada.subscribe(url)
    await ada.server.refresh_all()
    before = await ada.page("/read/all")

    await ada.send("/settings/calm-titles", next="/read/all")
    item = before.all(".row")[0].attributes["data-item"]
    waiting = await ada.page(f"/articles/{item}")
    await ada.server.call(work_off)
    page = await ada.page("/read/all")
    analysed = await ada.page(f"/articles/{item}")

    assert waiting.texts(".not-analysed") == ["Not analysed yet. This is the original headline."]
    assert analysed.texts(".not-analysed") == []
    assert BAIT in before.texts(".row-title")
    assert QUOTED not in before.texts(".row-title")
    assert set(page.texts(".row-title")) == {
        "Minister reveals the plan!",
        QUOTED,
        "Council approves the new bus line to the harbour",
        "Правительство утвердило бюджет на следующий год",
    }
    await _reads_why(ada)
    await _looks_for_it(ada)
    await _lets_one_feed_be(ada, feed.id)


async def _reads_why(ada: Person) -> None:
    rows = (await ada.page("/read/all")).all(".row")
    item = next(row.attributes["data-item"] for row in rows if "heating bill" in row.text())
    page = await ada.page(f"/articles/{item}")

    assert page.texts("h2.article-title") == [QUOTED]
    assert page.texts(".judged-original") == [BAIT]
    assert "Signs of clickbait" in page.one(".judged summary").text()
    assert "you won't" in page.one(".judged-scores").text()
    told = (await ada.visitor.get(f"/api/articles/{item}")).json()
    assert (told["title"], told["calm_title"]) == (BAIT, QUOTED)
    assert told["scores"]["clickbait"] > 0.6
    assert told["judgement"]["kind"] == "quotation"
    assert "words" in told["judgement"]["reasons"]["clickbait"]


async def _looks_for_it(ada: Person) -> None:
    bait = await ada.page("/search?q=clickbait:>0.6")
    plain = await ada.page("/search?q=clickbait:<0.3")

    assert bait.texts(".row-title") == [QUOTED]
    assert "Council approves the new bus line to the harbour" in plain.texts(".row-title")
    # What was not judged is neither.
    assert not any("бюджет" in t for t in plain.texts(".row-title"))


async def _lets_one_feed_be(ada: Person, feed_id: int) -> None:
    reply = await ada.visitor.patch(f"/feeds/{feed_id}", json={"calm_titles": False})
    assert reply.json()["calm_titles"] is False

    assert BAIT in (await ada.page("/read/all")).texts(".row-title")


async def _nextcloud(ada: Person, secret: str) -> list[str]:
    client = ada.server.visitor(Authorization=f"Bearer {secret}")
    reply = await client.get("/index.php/apps/news/api/v1-3/items?type=3&id=0")
    return [item["title"] for item in reply.json()["items"]]


async def _greader(ada: Person, secret: str) -> list[str]:
    client = ada.server.visitor(Authorization=f"GoogleLogin auth={secret}")
    path = "/api/greader.php/reader/api/0/stream/contents/user/-/state/com.google/reading-list"
    return [item["title"] for item in (await client.get(path)).json()["items"]]


async def _fever(ada: Person, secret: str) -> list[str]:
    key = md5(f"{ada.email}:{secret}".encode(), usedforsecurity=False).hexdigest()
    reply = await ada.server.visitor().post("/fever/?api&items", data={"api_key": key})
    return [item["title"] for item in reply.json()["items"]]


async def _miniflux(ada: Person, secret: str) -> list[str]:
    client = ada.server.visitor(**{"X-Auth-Token": secret})
    return [entry["title"] for entry in (await client.get("/v1/entries")).json()["entries"]]


async def _feedbin(ada: Person, secret: str) -> list[str]:
    pair = b64encode(f"{ada.email}:{secret}".encode()).decode()
    client = ada.server.visitor(Authorization=f"Basic {pair}")
    return [entry["title"] for entry in (await client.get("/v2/entries.json")).json()]


@pytest.mark.parametrize("titles", [_nextcloud, _greader, _fever, _miniflux, _feedbin])
async def test_a_sync_client_gets_calm_titles_when_asked(
    ada: Person, publisher: Publisher, titles: Callable[[Person, str], Awaitable[list[str]]]
):
    url = publisher.feed("/sync.xml", entries=ENTRIES, host=ada.host, language="en")
    await ada.subscribe(url)
    await ada.server.refresh_all()
    secret = await ada.server.app_password(ada.email)

    assert BAIT in await titles(ada, secret)
    await ada.send("/settings/calm-titles")
    await ada.server.call(work_off)
    assert QUOTED in await titles(ada, secret)


async def test_a_rule_about_scores_acts_when_articles_are_analysed(
    ada: Person, publisher: Publisher
):
    url = publisher.feed("/rule.xml", entries=ENTRIES, host=ada.host, language="en")
    await ada.visitor.post(
        "/api/rules", json={"field": "clickbait", "pattern": ">0.6", "action": "hide"}
    )
    await ada.subscribe(url)
    await ada.server.refresh_all()
    await ada.server.call(work_off)

    titles = (await ada.page("/read/all")).texts(".row-title")
    assert BAIT not in titles
    assert len(titles) == 3


@pytest.mark.parametrize("pattern", ["bait", ">2", "0.5", "> 0,5"])
async def test_a_rule_about_scores_needs_a_comparison(ada: Person, pattern: str):
    reply = await ada.visitor.post(
        "/api/rules", json={"field": "slant", "pattern": pattern, "action": "hide"}
    )

    assert reply.status == 422
    assert ">0.7" in reply.text


async def test_a_key_toggles_in_a_browser(desk: Desk, browser: Browser):
    email = await desk.reader()
    page = await desk.sign_in(browser, email)
    await page.goto("/read/all")
    button = page.get_by_role("button", name="Calm headlines")
    await expect(button).to_have_attribute("aria-pressed", "false")

    await page.keyboard.press("c")

    await expect(button).to_have_attribute("aria-pressed", "true")
    await expect(page).to_have_url(re.compile("/read/all"))
