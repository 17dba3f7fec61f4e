"""Changes of publishers: seen in lists, on the article, as differences, as a feed, in JSON."""

import feedparser
import pytest
from playwright.async_api import Browser

from feedloom.store import CleanupStore
from tests.browser import Axe
from tests.factories_feeds import FIRST_ENTRY_AT, FeedEntry, entry
from tests.journeys.web.people import Page, Person
from tests.publisher import Publisher

pytestmark = pytest.mark.both_engines
TOLD = (
    "The council voted on Tuesday to close the old bridge until May.",
    "Engineers found cracks in 14 of the 60 pillars.",
    "Two ferries will carry passengers every half hour.",
    "The last repair was in 1994.",
)
QUIET = "Council closes old bridge until May"
LOUD = "Furious council slams shut outrageous death trap bridge in shocking disaster"


def bridge(title: str, *texts: str, noise: str = "") -> FeedEntry:
    content = "".join(f"<p>{text}</p>" for text in texts or TOLD) + noise
    return entry(1, title=title, content=content, published_at=FIRST_ENTRY_AT)


async def publish(ada: Person, publisher: Publisher, told: FeedEntry) -> str:
    other = entry(2, title="Tide tables", content="<p>High water at noon.</p>")
    url = publisher.feed("/changes.xml", entries=[told, other], host=ada.host, language="en")
    if not (await ada.visitor.get("/feeds")).json():
        await ada.subscribe(url)
    await ada.server.refresh_all()
    return url


@pytest.fixture
async def item(ada: Person, publisher: Publisher) -> str:
    """Have a headline changed twice and the text once; hand out the article's number."""
    await publish(ada, publisher, bridge(QUIET, noise="<p>12 views</p>"))
    await publish(ada, publisher, bridge("Council closes bridge", noise="<p>99 views</p>"))
    text = (TOLD[0], "Engineers found cracks in 41 of the 60 pillars.", *TOLD[2:])
    await publish(ada, publisher, bridge(LOUD, *text))
    rows = (await ada.page("/read/all")).all(".row")
    return next(row.attributes["data-item"] or "" for row in rows if "bridge" in row.text())


async def test_a_changed_article_is_marked_and_shows_word_by_word_what_changed(
    ada: Person, item: str
):
    rows = await ada.page("/read/all?order=oldest")
    article = await ada.page(f"/articles/{item}")
    page = await ada.page(f"/articles/{item}/changes")

    assert rows.texts(".row .chip") == ["changed"]
    [line] = article.texts(".article-head .chip")
    assert line.startswith("Headline changed twice, text changed, slant 0.")
    assert page.texts("h1 ~ p > b") == [line]
    assert page.texts(".card:nth-of-type(2) del") == ["old", "until May"]
    assert "41" in page.texts(".card ins")
    assert "14" in page.texts(".card del")
    assert "views" not in page.one("main").text()


async def test_what_only_counts_or_dates_is_no_change(ada: Person, publisher: Publisher):
    for views in range(3):
        noise = f"<p>{views} comments</p><p>Updated {views + 1} hours ago</p>"
        await publish(ada, publisher, bridge(QUIET, noise=noise))

    page = await ada.page("/read/all")

    assert len(page.all(".row")) == 2
    assert page.texts(".row .chip") == []
    assert (await ada.page("/search?q=is:changed")).all(".row") == []


async def test_changes_are_found_read_as_json_and_followed_as_a_feed(ada: Person, item: str):
    found = await ada.page("/search?q=is:changed")
    listed = (await ada.visitor.get("/api/articles?changed=true")).json()["articles"]
    told = (await ada.visitor.get(f"/api/articles/{item}/changes")).json()
    shared = await ada.send("/settings/sharing", view="changes", label="")
    address = Page(shared.text).value("#made-rss") or ""
    feed = await ada.visitor.get("/view/" + address.rpartition("/view/")[2])

    assert found.texts(".row-title") == [LOUD]
    assert [a["id"] for a in listed] == [int(item)]
    assert listed[0]["changed_at"]
    newest, first = told["changes"]
    assert (first["title_before"], newest["title_after"]) == (QUIET, LOUD)
    assert first["slant_before"] < 0.1
    assert newest["slant_after"] > 0.3
    assert first["text"] == []
    assert {"kind": "new", "text": " 41"} in [piece for line in newest["text"] for piece in line]
    parsed = feedparser.parse(feed.body)
    assert [e.title for e in parsed.entries][1] == "Headline changed: Council closes bridge"
    assert "<del> old</del>" in parsed.entries[1].summary
    assert len({e.id for e in parsed.entries}) == 2


async def test_an_own_headline_is_no_change_of_the_publisher(ada: Person, item: str):
    user = await ada.server.call(lambda c: c.accounts.store.by_email(ada.email))
    assert user is not None
    await ada.server.call(
        lambda c: c.services().reading.edit(user[0].id, int(item), title="Mine", content=None)
    )

    told = (await ada.visitor.get(f"/api/articles/{item}/changes")).json()

    assert told["changes"][0]["title_after"] == LOUD


@pytest.mark.threat("A8")
async def test_changes_of_others_are_not_found(ada: Person, item: str):
    stranger = await ada.server.register(f"stranger-{item}-{id(ada)}@example.org")

    for path in (f"/articles/{item}/changes", f"/api/articles/{item}/changes"):
        assert (await stranger.get(path)).status == 404


@pytest.mark.threat("X9", "X15")
async def test_what_a_publisher_wrote_is_shown_as_text(ada: Person, publisher: Publisher):
    await publish(ada, publisher, bridge("Bridge", "One"))
    evil = "Fish &amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt; and chips"
    await publish(ada, publisher, bridge("&lt;img src=x onerror=alert(1)&gt; bridge", evil))
    [item] = [
        row.attributes["data-item"]
        for row in (await ada.page("/read/all")).all(".row")
        if "bridge" in row.text()
    ]

    page = await ada.visitor.get(f"/articles/{item}/changes")

    assert page.status == 200
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text
    assert "onerror" not in page.text or "&lt;img" in page.text


async def test_an_operator_can_forbid_keeping(ada: Person, item: str):
    await ada.server.call(lambda c: CleanupStore(c.work).forget_revisions(0))

    page = await ada.page(f"/articles/{item}/changes")

    assert "No changes are kept" in page.one("main").text()
    assert (await ada.page("/search?q=is:changed")).all(".row") == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [360, 1280])
async def test_the_differences_are_accessible_and_fit_the_screen(
    ada: Person, item: str, browser: Browser, axe: Axe, width: int
):
    page = await browser.new_page(viewport={"width": width, "height": 900})
    token = ada.visitor.cookies["feedloom_session"]
    url = ada.server.url
    await page.context.add_cookies([{"name": "feedloom_session", "value": token, "url": url}])
    await page.goto(f"{url}/articles/{item}/changes")

    assert await axe(page) == []
    await page.emulate_media(color_scheme="dark")
    assert await axe(page) == []
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wide) <= 0
