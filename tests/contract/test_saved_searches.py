"""Searches that people keep, and articles in the order of how well they fit."""

from dataclasses import replace

import pytest

from feedloom.flow.worker.maintenance import Indexer
from feedloom.model.errors import Conflict, InvalidInput, NotFound
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Order, Wanted
from feedloom.store import IndexStore, SavedSearchStore
from feedloom.store.reader.views import MOST_SEARCHES
from tests.stores import Stores, article, refreshed

URL = "https://site.example/feed.xml"


@pytest.fixture
async def reader(stores: Stores) -> int:
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL, title="Weather")
    await stores.deliver(URL, "Snow in April", "April showers", "Sun")
    await Indexer(IndexStore(stores.work)).catch_up()
    return ada.id


async def test_searches_are_kept_by_name_renamed_and_deleted(stores: Stores, reader: int):
    store = SavedSearchStore(stores.front)
    made = await store.save(reader, "  Wet   days ", "showers  is:unread")
    await store.save(reader, "all", "april")

    assert [s.name for s in await store.searches(reader)] == ["all", "Wet days"]
    assert made.query == "showers is:unread"
    with pytest.raises(Conflict):
        await store.change(reader, made.id, name="all")
    assert (await store.change(reader, made.id, name="Rain")).name == "Rain"
    await store.delete(reader, made.id)
    assert [s.name for s in await store.searches(reader)] == ["all"]


async def test_what_is_unread_of_each_search_is_counted(stores: Stores, reader: int):
    store = SavedSearchStore(stores.front)
    april = await store.save(reader, "April", "april")
    read = await store.save(reader, "Read", "april is:read")
    await stores.reading.mark(reader, [1], "read")

    assert await store.unread(reader) == {april.id: 1, read.id: 0}


async def test_odd_searches_are_refused(stores: Stores, reader: int):
    store = SavedSearchStore(stores.front)
    for name, query in (("", "x"), ("x", " "), ("x" * 256, "x"), ("x", "x" * 301)):
        with pytest.raises(InvalidInput):
            await store.save(reader, name, query)
    for number in range(MOST_SEARCHES):
        await store.save(reader, f"n{number}", "x")

    with pytest.raises(InvalidInput, match="up to 50"):
        await store.save(reader, "one more", "x")


async def test_another_persons_search_is_not_there(stores: Stores, reader: int):
    store = SavedSearchStore(stores.front)
    bob = await stores.person("bob@example.org")
    mine = await store.save(reader, "Mine", "april")

    assert await store.searches(bob.id) == []
    for doing in (
        store.search(bob.id, mine.id),
        store.change(bob.id, mine.id, name="his"),
        store.delete(bob.id, mine.id),
    ):
        with pytest.raises(NotFound):
            await doing
    assert (await store.search(reader, mine.id)).name == "Mine"


async def test_the_best_match_comes_first_page_by_page(stores: Stores, reader: int):
    await stores.deliver(URL, *(f"April {n}" if n % 3 else f"No {n}" for n in range(9)))
    await Indexer(IndexStore(stores.work)).catch_up()
    wanted = Wanted(text="april", order=Order.RELEVANCE, limit=3)
    found: list[str] = []
    while True:
        page = await stores.reading.articles(reader, wanted)
        found += [one.title for one in page.articles]
        if page.next_cursor is None:
            break
        wanted = replace(wanted, cursor=page.next_cursor)

    assert len(found) == len(set(found)) == 8
    assert all("April" in title for title in found)


async def test_a_word_in_the_title_fits_better_than_one_in_the_text(stores: Stores, reader: int):
    garden = article("A garden")._replace(content=CleanHTML("<p>Only the text says tulip.</p>"))
    tulip = article("Tulip")._replace(content=CleanHTML("<p>Of other flowers.</p>"))
    feed = await stores.claim(URL)
    await stores.refreshes.store(refreshed(feed, (tulip, garden)))
    await Indexer(IndexStore(stores.work)).catch_up()
    wanted = Wanted(text="tulip", order=Order.RELEVANCE)

    page = await stores.reading.articles(reader, wanted)

    assert [one.title for one in page.articles] == ["Tulip", "A garden"]


async def test_without_words_relevance_is_the_newest_first(stores: Stores, reader: int):
    by_date = await stores.reading.articles(reader, Wanted(text="is:unread"))
    wanted = Wanted(text="is:unread", order=Order.RELEVANCE)

    assert (await stores.reading.articles(reader, wanted)) == by_date
