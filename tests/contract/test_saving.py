"""Saving articles, and whose bookmarks are whose, on both engines."""

import pytest

from feedloom.model.bookmarks import NewBookmark, WantedBookmarks
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Order, Wanted
from feedloom.store import BookmarkStore
from tests.stores import Stores

FEED = "https://site.example/feed"
WANTED = Wanted(order=Order.ITEM_DESC)


@pytest.fixture
def bookmarks(stores: Stores) -> BookmarkStore:
    return BookmarkStore(stores.front)


async def saved(stores: Stores, bookmarks: BookmarkStore, email: str = "ada@example.org"):
    """Let somebody save the newest article of a feed; return all that is needed."""
    person = await stores.person(email)
    feed = await stores.subscriptions.subscribe(person.id, FEED)
    await stores.deliver(FEED, "First", "Second")
    item_nos = await stores.reading.item_nos(person.id, WANTED)
    kept = await bookmarks.save_article(person.id, feed.id, item_nos[0])
    return person, feed, item_nos, kept


async def test_saving_marks_the_article_and_queues_one_task(stores, bookmarks):
    person, _, item_nos, kept = await saved(stores, bookmarks)

    article = await stores.reading.article(person.id, item_nos[0])
    tasks = await stores.rows("SELECT kind, payload FROM tasks WHERE kind = 'enrich'")
    assert kept.is_new
    assert article.saved_bookmark_id == kept.bookmark.id
    assert kept.bookmark.source_article_id == article.article_id
    assert kept.bookmark.archived_at is not None
    assert len(tasks) == 1


async def test_saving_twice_changes_nothing(stores, bookmarks):
    person, feed, item_nos, kept = await saved(stores, bookmarks)
    before = await stores.reading.article(person.id, item_nos[0])

    again = await bookmarks.save_article(person.id, feed.id, item_nos[0])

    after = await stores.reading.article(person.id, item_nos[0])
    assert (again.is_new, again.bookmark) == (False, kept.bookmark)
    assert after.last_modified == before.last_modified


@pytest.mark.threat("A8")
async def test_an_article_is_saved_only_by_its_reader_under_its_feed(stores, bookmarks):
    person, feed, item_nos, _ = await saved(stores, bookmarks)
    other = await stores.person("bob@example.org")

    for user_id, feed_id in ((other.id, feed.id), (person.id, feed.id + 1)):
        with pytest.raises(NotFound):
            await bookmarks.save_article(user_id, feed_id, item_nos[0])


async def test_a_dismissed_article_cannot_be_saved(stores, bookmarks):
    person, feed, item_nos, _ = await saved(stores, bookmarks)
    await stores.reading.mark(person.id, [item_nos[1]], "hidden")

    with pytest.raises(NotFound):
        await bookmarks.save_article(person.id, feed.id, item_nos[1])


async def test_deleting_lets_the_article_go(stores, bookmarks):
    person, _, item_nos, kept = await saved(stores, bookmarks)

    await bookmarks.delete(person.id, kept.bookmark.id)

    article = await stores.reading.article(person.id, item_nos[0])
    assert article.saved_bookmark_id is None
    with pytest.raises(NotFound):
        await bookmarks.delete(person.id, kept.bookmark.id)


async def test_a_bookmark_outlives_its_subscription_and_article(stores, bookmarks):
    person, feed, _, kept = await saved(stores, bookmarks)

    await stores.subscriptions.unsubscribe(person.id, feed.id)
    await stores.cleanup.drop_orphans()

    assert (await bookmarks.bookmark(person.id, kept.bookmark.id)).title == "Second"


async def test_everybody_has_their_own(stores, bookmarks):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    kept = await bookmarks.add(ada.id, NewBookmark("https://site.example/a"))
    theirs = await bookmarks.add(bob.id, NewBookmark("https://site.example/a"))

    assert theirs.is_new
    assert (await bookmarks.bookmarks(bob.id, WantedBookmarks())).bookmarks == (theirs.bookmark,)
    for act in (
        bookmarks.bookmark(bob.id, kept.bookmark.id),
        bookmarks.change(bob.id, kept.bookmark.id, {"title": "x"}),
        bookmarks.delete(bob.id, kept.bookmark.id),
        bookmarks.retry(bob.id, kept.bookmark.id),
    ):
        with pytest.raises(NotFound):
            await act


async def test_changes_are_written_and_archiving_is_dated(stores, bookmarks):
    person = await stores.person()
    kept = await bookmarks.add(person.id, NewBookmark("https://site.example/a"))
    number = kept.bookmark.id

    archived = await bookmarks.change(
        person.id, number, {"state": "archive", "tags": ["x"], "pinned": True}
    )
    back = await bookmarks.change(person.id, number, {"state": "inbox"})
    same = await bookmarks.change(person.id, number, {})

    assert archived.archived_at is not None
    assert (archived.tags, archived.pinned) == (("x",), True)
    assert back.archived_at is None
    assert same == back


@pytest.mark.threat("A22")
@pytest.mark.parametrize("cursor", ["x", "1", "1-x", "1-9999999999", "9" * 19 + "-1"])
async def test_an_odd_cursor_is_refused(stores, bookmarks, cursor):
    person = await stores.person()

    with pytest.raises(InvalidInput):
        await bookmarks.bookmarks(person.id, WantedBookmarks(cursor=cursor))
