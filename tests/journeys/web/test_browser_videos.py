"""Videos are cards that ask nobody for anything until somebody clicks."""

import base64
import re
from dataclasses import replace

import pytest
from playwright.async_api import Browser, Page, Route

from feedloom.app import Container
from feedloom.serve.pages.players import _signature
from feedloom.serve.services import Services
from tests.factories_feeds import entry, fresh
from tests.journeys.web.browsing import Desk, desk
from tests.journeys.web.people import Person
from tests.publisher import Publisher
from tests.serving import HTML
from tests.unit.images.pictures import picture

__all__ = ["desk"]

ID = "abc_-123456"
FILM = f"https://www.youtube.com/watch?v={ID}"
PEER = "https://tube.example.org/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d"
PLAYER = """<script>
  let cookie = 'none';
  try { cookie = document.cookie || 'empty'; } catch { cookie = 'refused'; }
  try { top.location.href; cookie = 'reached our page'; } catch {}
  document.title = cookie;
  document.write(`<p id=said>${cookie}</p>`);
</script>"""


async def _services(container: Container) -> Services:
    return container.services()


def _encoded(url: str) -> str:
    return base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def channel(place: Publisher, host: str) -> str:
    """Place the feed of a video site's channel, one Short included."""
    still = place.file("/still.jpg", picture(480, 360, kind="JPEG"), "image/jpeg", host=host)
    film, short, text = (
        replace(each, enclosure=(still, "image/jpeg", 1), title=f"Title {number}")
        for number, each in enumerate(fresh(3))
    )
    entries = (
        replace(film, link=FILM, content="About the film.", enclosure=(still, "image/jpeg", 1)),
        replace(short, link="https://www.youtube.com/shorts/xyz_-123456", content="Short."),
        replace(text, content=f'<p>Text</p><iframe src="{PEER}"></iframe>', enclosure=None),
    )
    return place.feed("/youtube.com/feeds/videos.xml", entries=entries, host=host)


async def read(desk: Desk, browser: Browser, host: str) -> tuple[Page, list[str]]:
    """Sign in somebody who subscribes to a channel; note what their browser asks for."""
    email = await desk.person()
    url = channel(desk.publisher, host)
    await desk.follow(email, url)
    page = await desk.sign_in(browser, email)
    foreign: list[str] = []

    async def answer(route: Route) -> None:
        foreign.append(route.request.url)
        await route.fulfill(content_type="text/html", body=PLAYER)

    await page.route(re.compile(r"https://"), answer)
    return page, foreign


@pytest.mark.threat("X3", "X5")
async def test_a_click_loads_the_player_and_nothing_else_does(desk: Desk, browser: Browser):
    page, foreign = await read(desk, browser, "127.97.1.1")

    await page.goto("/read/all")
    await page.click(".row-link:has-text('Title 0')")
    card = page.locator(".prose .video-open")
    await card.locator("img").evaluate("(image) => image.decode()")
    before = list(foreign)
    pictures = await page.locator(".row-picture").evaluate_all(
        "(all) => Promise.all(all.map((i) => i.decode().then(() => i.naturalWidth)))"
    )
    await card.focus()
    await page.keyboard.press("Enter")
    player = page.frame_locator(".prose .video iframe").frame_locator("iframe")
    said = await player.locator("#said").text_content()
    sandbox = await page.frames[1].locator("iframe").get_attribute("sandbox")

    assert before == [], "until then nobody is asked"
    assert pictures == [320, 320], "lists show what a video looks like, through the proxy"
    assert foreign == [f"https://www.youtube-nocookie.com/embed/{ID}?autoplay=1"]
    assert said == "empty", "a player reaches what is its own, and nothing of ours"
    assert sandbox == "allow-scripts allow-same-origin allow-presentation"
    assert await page.get_attribute(".prose .video figcaption a", "href") == FILM


@pytest.mark.threat("X3", "X5")
async def test_a_player_page_frames_one_site_only(desk: Desk, browser: Browser):
    page, foreign = await read(desk, browser, "127.97.1.2")
    await page.goto("/read/all")
    await page.click(".row-link:has-text('Title 2')")
    async with page.expect_response(re.compile("/videos/")) as answered:
        await page.click(".prose .video-open")
    policy = (await (await answered.value).all_headers())["content-security-policy"]
    await page.frame_locator(".prose iframe").frame_locator("iframe").locator("#said").wait_for()

    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    for frame in reversed(page.frames[:2]):
        await frame.evaluate(
            "() => { document.querySelector('iframe').src = 'https://evil.example/'; }"
        )
    await page.wait_for_timeout(200)

    assert "frame-src https://tube.example.org;" in policy
    assert "script-src" not in policy
    assert foreign == [PEER]
    assert len([text for text in refused if "frame-src" in text]) == 2


async def test_without_scripts_a_card_is_a_link(desk: Desk, browser: Browser):
    page, foreign = await read(desk, browser, "127.97.1.3")
    context = await browser.new_context(
        base_url=desk.server.url,
        java_script_enabled=False,
        storage_state=await page.context.storage_state(),
    )
    plain = await context.new_page()

    await plain.goto("/read/all")
    await plain.click(".row-link:has-text('Title 0')")

    assert await plain.get_attribute(".prose .video-open", "href") == FILM
    assert await plain.get_attribute(".prose .video-open", "target") == "_blank"
    assert foreign == []


async def test_shorts_are_left_out_for_one_reader_alone(ada: Person, publisher: Publisher):
    other = await ada.server.program(ada.email)
    feed = await ada.subscribe(channel(publisher, ada.host))
    await ada.server.refresh_all()
    before = await ada.page("/read/all")
    edit = f"/feeds/{feed.id}/edit"

    await ada.send(edit, shorts="0")
    await ada.server.refresh_all()
    without = await ada.page("/read/all")
    publisher.bump(
        "/youtube.com/feeds/videos.xml",
        entry(99, link="https://www.youtube.com/shorts/new_-123456", title="New Short"),
        host=ada.host,
    )
    await ada.server.refresh_all()
    later = await ada.page("/read/all")
    form = await ada.page(edit)
    await ada.send(edit, shorts="1")
    rules = (await other.get("/api/rules")).json()

    assert "Title 1" in before.text
    assert "Title 1" not in without.text
    assert "Title 0" in without.text
    assert "New Short" not in later.text
    assert '<option value="0" selected>Leave out' in form.text
    assert rules == []


@pytest.mark.threat("X3", "A2")
async def test_only_players_signed_for_here_are_shown(ada: Person):
    key = (await ada.server.call(_services)).secret_key
    path = "/videos/{}/{}".format
    youtube = f"https://www.youtube-nocookie.com/embed/{ID}?autoplay=1"
    evil = "https://evil.example/"
    good = path(_signature(key, youtube), _encoded(youtube))
    wrong = {
        path(_signature(key, youtube), _encoded(evil)): 403,
        path(_signature(b"of another installation" * 2, youtube), _encoded(youtube)): 403,
        path("é", _encoded(youtube)): 403,
        path(_signature(key, evil), _encoded(evil)): 404,
        path(_signature(key, youtube), "!!"): 404,
        path(_signature(key, youtube), "gICA"): 404,
    }

    found = {one: (await ada.visitor.get(one)).status for one in wrong}
    shown = await ada.visitor.get(good, headers=HTML)

    assert found == wrong
    assert shown.status == 200
    assert shown.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in shown.headers["Content-Security-Policy"]
    assert (await ada.server.visitor().get(good)).status == 401
