"""Long lists are searched by walking or by the index: the page is the same either way."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from feedloom.flow.worker.maintenance import Indexer
from feedloom.model.reader import Order, Wanted
from feedloom.store import IndexStore
from tests.fakes import START
from tests.stores import Stores

URL = "https://site.example/feed.xml"
COUNT = 2_400
TITLES = [
    " ".join(
        word
        for word, is_there in (
            (f"n{n}", True),
            ("often", n % 3 != 0),
            ("rarely", n % 300 == 7),
            ("early", n < 40),
            ("lately", n >= COUNT - 40),
            ("twice told", n % 100 == 50),
            ("told twice", n % 100 == 51),
        )
        if is_there
    )
    for n in range(COUNT)
]
QUERIES: dict[str, Callable[[list[str]], bool]] = {
    "often": lambda words: "often" in words,
    "rarely": lambda words: "rarely" in words,
    "early": lambda words: "early" in words,
    "lately": lambda words: "lately" in words,
    "often rarely": lambda words: {"often", "rarely"} <= set(words),
    "often -lately": lambda words: "often" in words and "lately" not in words,
    "-often": lambda words: "often" not in words,
    "-often -rarely": lambda words: not {"often", "rarely"} & set(words),
    '"twice told"': lambda words: "twice told" in " ".join(words),
    "nowhere": lambda _: False,
    "n17": lambda words: "n17" in words,
    "is:unread rarely": lambda words: "rarely" in words,
    "feed:named early": lambda words: "early" in words,
    "feed:other early": lambda _: False,
}


async def pages(stores: Stores, user_id: int, wanted: Wanted) -> list[str]:
    """Read page after page; the titles of all."""
    titles: list[str] = []
    cursor = None
    while True:
        page = await stores.reading.articles(
            user_id, Wanted(text=wanted.text, order=wanted.order, limit=30, cursor=cursor)
        )
        titles += [article.title for article in page.articles]
        cursor = page.next_cursor
        if cursor is None:
            return titles


@pytest.fixture
async def reader(stores: Stores) -> int:
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL, title="Named")
    for first in range(0, COUNT, 300):
        at = START + timedelta(hours=6 * first // 300)
        await stores.deliver(URL, *TITLES[first : first + 300], at=at)
    await Indexer(IndexStore(stores.work)).catch_up()
    return ada.id


async def test_every_page_of_every_search_is_as_one_would_read_it(stores: Stores, reader: int):
    whole = await stores.reading.articles(reader, Wanted(limit=COUNT))
    assert len(whole.articles) == COUNT

    for text, holds in QUERIES.items():
        expected = [
            article.title
            for article in whole.articles
            if holds(article.title.split()) and (article.unread or "is:unread" not in text)
        ]
        newest = await pages(stores, reader, Wanted(text=text, order=Order.NEWEST))
        assert newest == expected, text
        oldest = await pages(stores, reader, Wanted(text=text, order=Order.OLDEST))
        assert sorted(oldest) == sorted(expected), text


async def test_a_search_sorted_by_title_finds_the_same(stores: Stores, reader: int):
    wanted = Wanted(text="rarely", order=Order.TITLE_ASC, limit=100)
    titles = [a.title for a in (await stores.reading.articles(reader, wanted)).articles]

    assert titles == sorted(title for title in TITLES if "rarely" in title)


async def test_what_cannot_be_looked_for_finds_nothing(stores: Stores, reader: int):
    for text in ("☃", "-", '""', "* ?"):
        page = await stores.reading.articles(reader, Wanted(text=text))
        assert page.articles == (), text


async def test_marks_alone_are_a_search(stores: Stores, reader: int):
    await stores.reading.mark(reader, [7, 9], "starred")

    page = await stores.reading.articles(reader, Wanted(text="is:starred"))

    assert {article.item_no for article in page.articles} == {7, 9}


async def test_a_star_that_was_put_away_is_found_by_its_mark(stores: Stores, reader: int):
    await stores.reading.mark(reader, [7], "starred")
    await stores.reading.mark(reader, [7, 8], "hidden")

    page = await stores.reading.articles(reader, Wanted(text="is:starred"))

    assert [article.item_no for article in page.articles] == [7]
