"""Somebody listens while they read on, leaves, and goes on at another device."""

import json
import re
import wave
from dataclasses import dataclass, replace
from io import BytesIO

import pytest
from playwright.async_api import Browser, Page, expect

from feedloom.app import Container
from tests.factories_feeds import entries, rss
from tests.journeys.web.browsing import Desk, desk, find_user
from tests.publisher import Answer
from tests.unit.images.pictures import picture

__all__ = ["desk"]

RATE = 8_000
LENGTH_S = 300
SOUND = {"content-type": "audio/wav", "accept-ranges": "bytes"}
CHAPTERS = [
    {"startTime": 0, "title": "Hello"},
    {"startTime": 100, "title": "The <b>long</b> part"},
    {"startTime": 50, "toc": False, "title": "Not shown"},
    {"startTime": "soon", "title": "Not a time"},
]


def silence(seconds: int = LENGTH_S) -> bytes:
    """Return a quiet WAV file."""
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(RATE)
        sound.writeframes(b"\x80" * RATE * seconds)
    return file.getvalue()


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=30_000)


@dataclass(slots=True)
class Podcast:
    desk: Desk
    email: str
    items: list[int]

    def asked(self) -> int:
        """Return how often somebody asked for a sound."""
        return self.desk.publisher.count("/1.wav") + self.desk.publisher.count("/2.wav")

    async def seconds(self, item: int) -> int:
        """Return the position that the server keeps."""

        async def read(container: Container) -> int:
            user = await find_user(container, self.email)
            reading = container.services().reading
            article = await reading.article(user.id, item)
            found = await reading.media_positions(user.id, [article.article_id])
            return next(iter(found.values()), 0)

        return await self.desk.server.call(read)


@pytest.fixture
async def podcast(desk: Desk) -> Podcast:
    email = await desk.person()
    place = desk.publisher
    sounds = [
        place.script(f"/{n}.wav", Answer(body=silence(length), headers=SOUND))
        for n, length in ((1, LENGTH_S), (2, 3))
    ]
    told = place.file("/chapters.json", json.dumps({"chapters": CHAPTERS}).encode(), "text/json")
    shows = [
        replace(each, title=f"Show {n}", enclosure=(sound, "audio/wav", 100))
        for n, (each, sound) in enumerate(zip(entries(2), sounds, strict=True), 1)
    ]
    chapters = (
        '<podcast:chapters xmlns:podcast="https://podcastindex.org/namespace/1.0"'
        f' url="{told}" type="application/json+chapters"/><enclosure'
    )
    cover = place.file("/cover.png", picture(90, 90), "image/png")
    show = rss(title="A show", entries=shows).replace(b"<enclosure", chapters.encode(), 1)
    image = (
        '<itunes:image xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
        f' href="{cover}"/><item>'
    )
    show = show.replace(b"<item>", image.encode(), 1)
    url = place.file(f"/{email}.xml", show, "application/rss+xml")

    items = await desk.follow(email, url)
    return Podcast(desk, email, [items["Show 1"], items["Show 2"]])


async def play(page: Page, item: int) -> None:
    await page.goto(f"/read/all?item={item}")
    await page.get_by_role("button", name="Play", exact=True).first.click()
    await expect(page.get_by_role("region", name="Player")).to_be_visible()


async def shown(page: Page) -> int:
    """Return the position that the player shows, in seconds."""
    minutes, seconds = (await page.locator(".player-time").inner_text()).split(" /")[0].split(":")
    return int(minutes) * 60 + int(seconds)


async def test_somebody_listens_leaves_and_goes_on_at_another_device(
    podcast: Podcast, browser: Browser
):
    podcast.desk.publisher.forget()
    first, item = await podcast.desk.sign_in(browser, podcast.email), podcast.items[0]
    await first.goto(f"/read/all?item={item}")
    await expect(first.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert podcast.asked() == 0
    await play(first, item)
    await expect(first.locator(".player-time")).to_contain_text("/ 5:00")
    await first.get_by_label("Position").fill("137")
    await expect(first.locator(".player-time")).to_contain_text(re.compile("2:(19|2)"))
    left_at = await shown(first)
    await first.close()

    second = await podcast.desk.sign_in(browser, podcast.email)
    await play(second, item)
    await expect(second.locator(".player-time")).to_contain_text("2:")

    assert abs(await shown(second) - left_at) <= 2
    assert abs(await podcast.seconds(item) - left_at) <= 2


async def test_the_sound_goes_on_while_somebody_reads_on(podcast: Podcast, browser: Browser):
    page = await podcast.desk.sign_in(browser, podcast.email)
    await play(page, podcast.items[0])
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    await page.evaluate("window.sameDocument = true")

    await page.locator(".sidebar .brand").click()
    await expect(page).to_have_url(re.compile("/ui/"))
    await page.get_by_role("link", name="Directory", exact=True).click()
    await expect(page).to_have_url(re.compile("/directory"))
    await page.go_back()
    await expect(page).to_have_url(re.compile("/ui/"))

    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    before = await shown(page)
    await expect(page.locator(".player-time")).not_to_contain_text(f":{before % 60:02} /")
    assert await page.evaluate("window.sameDocument")


async def test_a_page_that_is_loaded_again_goes_on_playing(podcast: Podcast, browser: Browser):
    page = await podcast.desk.sign_in(browser, podcast.email)
    await play(page, podcast.items[0])
    await expect(page.locator(".player-time")).to_contain_text("/ 5:00")
    await page.get_by_label("Position").fill("60")
    await expect(page.locator(".player-time")).to_contain_text("1:0")

    await page.reload()

    await expect(page.locator(".player-time")).to_contain_text("1:0")
    assert 60 <= await shown(page) <= 69


async def test_a_sound_that_cannot_be_played_is_not_shown_as_playing(
    podcast: Podcast, browser: Browser
):
    page = await podcast.desk.sign_in(browser, podcast.email)
    await page.route("**/1.wav", lambda route: route.abort())
    await play(page, podcast.items[0])

    await expect(page.locator(".toast", has_text="can't be played")).to_be_visible()
    button = page.get_by_role("region", name="Player").get_by_role(
        "button", name="Play", exact=True
    )
    await expect(button).to_be_visible()
    await page.unroute("**/1.wav")
    await button.click()

    await expect(page.locator(".player-time")).to_contain_text("/ 5:00")


@pytest.mark.threat("S11")
async def test_chapters_are_fetched_by_the_server_and_lead_to_their_place(
    podcast: Podcast, browser: Browser
):
    podcast.desk.publisher.forget()
    page = await podcast.desk.sign_in(browser, podcast.email)
    await play(page, podcast.items[0])
    await page.get_by_label("Chapters").click()
    chapters = page.locator(".player-chapters .menu-panel button")
    await expect(chapters).to_have_count(2)
    await expect(chapters.nth(1)).to_have_text("1:40  The <b>long</b> part")

    await chapters.nth(1).click()

    await expect(page.locator(".player-feed")).to_have_text("The <b>long</b> part")
    assert 100 <= await shown(page) <= 104
    [asked] = podcast.desk.publisher.asked("/chapters.json")
    assert "Mozilla" not in asked.headers["user-agent"]


async def test_what_was_heard_to_the_end_is_read_and_the_queue_goes_on(
    podcast: Podcast, browser: Browser
):
    page = await podcast.desk.sign_in(browser, podcast.email)
    long, short = podcast.items
    await play(page, short)
    await page.locator(f"#row-{long} .row-link").click()
    await page.get_by_role("button", name="Add to queue").click()
    await page.locator(f"#row-{short}").get_by_role("button", name="Mark unread").click()

    await expect(page.locator(".player-title")).to_have_text("Show 1", timeout=15_000)

    await expect(page.locator(f"#row-{short}")).not_to_have_class(re.compile("is-unread"))
    assert await podcast.seconds(short) == 0


KEYS = """
  self.keys = {};
  MediaSession.prototype.setActionHandler = (name, handler) => { self.keys[name] = handler; };
"""


async def test_keys_of_headphones_and_the_system_steer_the_player(
    podcast: Podcast, browser: Browser
):
    page = await podcast.desk.sign_in(browser, podcast.email)
    await page.add_init_script(KEYS)
    long, short = podcast.items
    await play(page, long)
    await expect(page.locator(".player-time")).to_contain_text("/ 5:00")
    title = await page.evaluate("navigator.mediaSession.metadata.title")
    covers = await page.evaluate("navigator.mediaSession.metadata.artwork.map(({src}) => src)")
    size = await page.locator(".player-cover").evaluate(
        "(i) => i.decode().then(() => i.naturalWidth)"
    )
    nothing = await page.evaluate("keys.nexttrack")

    await page.evaluate("keys.pause()")
    await expect(page.locator(".player-play")).to_have_attribute("aria-label", "Play")
    steps = {"seekto({seekTime: 100})": "1:40", "seekforward()": "2:10", "seekbackward()": "1:55"}
    for act, place in steps.items():
        await page.evaluate(f"keys.{act}")
        await expect(page.locator(".player-time")).to_contain_text(place)
    await page.locator(f"#row-{short} .row-link").click()
    await page.get_by_role("button", name="Add to queue").click()
    await expect(page.locator(".player-queue .count")).to_have_text("1")
    await page.evaluate("keys.nexttrack()")

    assert (title, nothing, size) == ("Show 1", None, 90)
    assert covers[0].startswith(f"{podcast.desk.server.url}/images/")
    await expect(page.locator(".player-title")).to_have_text("Show 2")


async def test_an_episode_can_be_taken_out_of_the_queue_in_every_tab(
    podcast: Podcast, browser: Browser
):
    page = await podcast.desk.sign_in(browser, podcast.email)
    await play(page, podcast.items[0])
    await page.locator(f"#row-{podcast.items[1]} .row-link").click()
    await page.get_by_role("button", name="Add to queue").click()
    other = await page.context.new_page()
    await play(other, podcast.items[0])
    waiting = other.locator(".player-queue .count")
    await expect(waiting).to_have_text("1")

    await page.get_by_label("Queue", exact=True).click()
    await page.get_by_role("button", name="Remove Show 2 from the queue").click()

    await expect(page.locator(".player-queue")).to_be_hidden()
    await expect(other.locator(".player-queue")).to_be_hidden()


async def test_speed_and_sleep_timer_do_what_they_say(podcast: Podcast, browser: Browser):
    page = await podcast.desk.sign_in(browser, podcast.email)
    await page.clock.install()
    await play(page, podcast.items[0])
    await page.get_by_label("Speed").select_option("2")
    await page.get_by_label("Sleep timer").select_option("5")

    await page.clock.fast_forward("05:01")

    await expect(page.locator(".player-play")).to_have_attribute("aria-label", "Play")
    await expect(page.locator(".player-play")).to_be_visible()
    await expect(page.get_by_label("Sleep timer")).to_have_value("")
    assert await page.evaluate("localStorage['feedloom-speed']") == "2"


async def test_without_scripts_there_is_a_plain_player(podcast: Podcast, browser: Browser):
    page = await podcast.desk.sign_in(browser, podcast.email, java_script_enabled=False)

    await page.goto(f"/read/all?item={podcast.items[0]}")

    await expect(page.locator("audio[controls]")).to_be_visible()
    await expect(page.get_by_role("button", name="Add to queue")).to_be_hidden()
