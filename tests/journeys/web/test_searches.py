"""Searches: hits, marked words, chips, orders; kept ones in sidebar, feed and settings."""

import pytest

from tests.factories_feeds import FIRST_ENTRY_AT, entry
from tests.journeys.web.people import Page, Person
from tests.publisher import Publisher

pytestmark = pytest.mark.both_engines
LONG = "Nothing of it yet. " * 30 + "Here a pelican sits on its post. " + "And more. " * 30


@pytest.fixture
async def reader(ada: Person, publisher: Publisher) -> Person:
    told = (
        ("Gulls", f"<p>{LONG}</p>"),
        ("Pelican, pelican!", "<p>Pelicans all day.</p>"),
        ("川の夜", "<p>夏の鵜飼いを見る。</p>"),
        ("Fish & <chips>", "<p>No bird.</p>"),
    )
    entries = [
        entry(n, title=title, content=text, published_at=FIRST_ENTRY_AT.replace(day=10 - n))
        for n, (title, text) in enumerate(told, 1)
    ]
    await ada.subscribe(publisher.feed("/b.xml", title="Birds", entries=entries, host=ada.host))
    await ada.server.refresh_all()
    await ada.server.call(lambda container: container.indexer().catch_up())
    return ada


def chips(page: Page) -> dict[str, str]:
    return {
        chip.text(deep=False).strip(): chip.attributes["href"] or "" for chip in page.all(".chip")
    }


async def test_hits_are_counted_and_the_words_marked_where_they_stand(reader: Person):
    page = await reader.page("/search?q=pelican&order=newest")

    assert page.texts(".search-tools b") == ["2 articles"]
    assert page.texts(".row-title mark") == ["Pelican", "pelican"]
    [snippet, _] = page.texts(".row-text")
    assert snippet.startswith("…")
    assert "Here a pelican sits on its post" in snippet
    assert len(snippet) < 200
    assert "pelican" in page.texts(".row-text mark")


async def test_a_part_of_a_text_without_spaces_is_marked(reader: Person):
    page = await reader.page("/search?q=鵜飼")

    assert page.texts(".row-text mark") == ["鵜飼"]
    assert page.texts(".row-title") == ["川の夜"]


async def test_titles_of_hits_are_escaped_once(reader: Person):
    page = await reader.page("/search?q=fish")

    assert page.texts(".row-title") == ["Fish & <chips>"]


async def test_hits_come_by_date_or_by_how_well_they_fit(reader: Person):
    by_date = await reader.page("/search?q=pelican*&order=newest")
    by_match = await reader.page("/search?q=pelican*&order=relevance")

    assert by_date.texts(".row-title") == ["Gulls", "Pelican, pelican!"]
    assert by_match.texts(".row-title") == ["Pelican, pelican!", "Gulls"]
    assert "Best match first" in by_date.texts(".list-tools .menu-panel a")


async def test_chips_narrow_a_search_and_come_off_again(reader: Person):
    page = await reader.page("/search?q=pelican")
    assert list(chips(page)) == ["Starred", "Past day", "Past week", "Past month"]

    narrowed = await reader.page(chips(page)["Starred"])
    assert narrowed.texts(".list-pane h2") == ["Nothing found"]
    back = await reader.page(chips(narrowed)["is:starred"])

    assert len(back.all(".row")) == 2


async def test_a_search_is_kept_in_the_side_bar_with_its_count(reader: Person):
    sent = await reader.send("/searches", q="pelican is:unread", name="Big bills")
    assert sent.status == 303
    page = await reader.page(sent.headers["Location"])
    link = page.one(".sidebar [data-saved]")
    counts = await reader.visitor.get("/ui/counts?searches", headers={"Accept": "application/json"})

    assert link.attributes["href"] == "/search?q=pelican%20is%3Aunread"
    assert link.attributes["aria-current"] == "page"
    assert page.texts(".sidebar [data-saved] .nav-text") == ["Big bills"]
    assert counts.json()["searches"] == {link.attributes["data-saved"]: 2}


async def test_a_kept_search_is_renamed_and_deleted(reader: Person):
    await reader.send("/searches", q="pelican", name="")
    page = await reader.page("/search?q=pelican")
    path = page.one(".search-tools form").attributes["action"] or ""
    await reader.send(path, name="Birds")
    renamed = await reader.page("/search?q=pelican")
    await reader.send(path.replace("rename", "delete"))
    gone = await reader.page("/search?q=pelican")

    assert renamed.texts(".sidebar [data-saved] .nav-text") == ["Birds"]
    assert gone.all(".sidebar [data-saved]") == []


async def test_all_that_a_search_finds_is_marked_read_at_once(reader: Person):
    page = await reader.page("/search?q=pelican")
    fields = {
        name: page.value(f"[data-sweep] [name={name}]") or "" for name in ("next", "seen", "q")
    }

    await reader.send("/articles/sweep", **fields)

    unread = await reader.page("/read/unread")
    assert set(unread.texts(".row-title")) == {"川の夜", "Fish & <chips>"}
    assert (await reader.page("/search?q=pelican+is:unread")).all(".row") == []


async def test_a_kept_search_is_shared_as_a_feed(reader: Person):
    await reader.send("/searches", q="pelican", name="Big bills")
    page = await reader.page("/settings/sharing?view=search%3Apelican")
    assert page.value("#share-view [selected]") == "search:pelican"

    shared = await reader.send("/settings/sharing", view="search:pelican", label="")
    address = Page(shared.text).value("#made-rss") or ""
    feed = await reader.visitor.get("/view/" + address.rpartition("/view/")[2])

    assert feed.status == 200
    assert "<title>Gulls</title>" in feed.text
    assert "Fish" not in feed.text
