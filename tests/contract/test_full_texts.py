"""Full texts as rows: who wants them, where they are kept, how they are found."""

from datetime import timedelta

import pytest

from feedloom.flow.worker.maintenance import Indexer
from feedloom.model.distilled.documents import ArticlePageToRead
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Wanted
from feedloom.store import FullTextStore, IndexStore
from tests.fakes import START
from tests.stores import Stores, article, refreshed

URL = "https://site.example/feed.xml"


@pytest.mark.parametrize("wants", [True, False])
async def test_only_what_a_refresh_brought_is_wanted_and_only_where_it_is(
    stores: Stores, wants: bool
):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(ada.id, URL)
    mine = await stores.subscriptions.subscribe(bob.id, URL)
    await stores.subscriptions.change(bob.id, mine.id, {"full_text": wants})
    first = await stores.deliver(URL, "old")
    later = START + timedelta(hours=1)
    await stores.deliver(URL, "older", "newer", at=later)
    store = FullTextStore(stores.work)

    found = await store.wanting(first.feed_id, later, 10)
    one = await store.wanting(first.feed_id, later, 1)

    rows = await stores.rows("SELECT id, title FROM articles")
    titles = {row["id"]: row["title"] for row in rows}
    expected = ["newer", "older"] if wants else []
    assert [titles[id_] for id_ in found] == expected
    assert [titles[id_] for id_ in one] == expected[:1]


async def test_a_full_text_is_kept_shown_and_found_by_its_words(stores: Stores):
    person = await stores.person()
    await stores.subscriptions.subscribe(person.id, URL)
    await stores.deliver(URL, "short")
    [row] = await stores.rows("SELECT id FROM articles")
    store = FullTextStore(stores.work)

    before = await store.find(row["id"])
    await store.save(row["id"], CleanHTML("<p>The whole of it, platypus included.</p>"))
    await Indexer(IndexStore(stores.work)).catch_up()

    assert before == ArticlePageToRead("https://site.example/short", has_full_text=False)
    assert await store.find(row["id"]) == ArticlePageToRead(
        "https://site.example/short", has_full_text=True
    )
    page = await stores.reading.articles(person.id, Wanted(text="platypus"))
    assert [article.title for article in page.articles] == ["short"]
    article = await stores.reading.article(person.id, page.articles[0].item_no)
    assert "whole of it" in (article.full_content or "")


async def test_an_article_that_is_gone_needs_no_text(stores: Stores):
    store = FullTextStore(stores.work)

    await store.save(4711, CleanHTML("<p>Nothing</p>"))

    assert await store.find(4711) is None


@pytest.mark.parametrize("wants", [True, False])
async def test_a_changed_article_keeps_its_full_text_where_it_will_be_read_again(
    stores: Stores, wants: bool
):
    ada = await stores.person()
    mine = await stores.subscriptions.subscribe(ada.id, URL)
    await stores.subscriptions.change(ada.id, mine.id, {"full_text": wants})
    await stores.deliver(URL, "read", "never read")
    store = FullTextStore(stores.work)
    rows = await stores.rows("SELECT id FROM articles ORDER BY id")
    await store.save(rows[0]["id"], CleanHTML("<p>All of it.</p>"))
    feed = await stores.claim(URL)
    changed = tuple(
        article(title)._replace(content=CleanHTML("<p>Part.</p>"), content_hash="new")
        for title in ("read", "never read")
    )

    stored = await stores.refreshes.store(refreshed(feed, changed))

    assert set(stored.changed_ids) == {row["id"] for row in rows}
    after = await stores.reading.article(ada.id, 1)
    assert after.content == "<p>Part.</p>"
    assert after.full_content == ("<p>All of it.</p>" if wants else None)
    again = await store.wanting_again(stored.changed_ids, 10)
    assert again == ([rows[0]["id"]] if wants else [])
    assert await store.wanting_again(stored.changed_ids, 0) == []
