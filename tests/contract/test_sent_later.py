"""Marks that were made without a network and are sent later: the later action decides."""

from datetime import UTC, datetime, timedelta

import pytest

from feedloom.model.errors import Conflict
from feedloom.model.reader import Article, Order, User, Wanted
from feedloom.store import BookmarkStore
from tests.stores import Stores

FEED = "https://site.example/feed"
OPPOSITE = {"read": "unread", "unread": "read", "starred": "unstarred", "unstarred": "starred"}


def ago(seconds: float) -> datetime:
    """Return a time before now."""
    return datetime.now(UTC) - timedelta(seconds=seconds)  # noqa: TID251 - the stores' own time


def has(article: Article, mark: str) -> bool:
    """Tell whether an article is as a mark leaves it."""
    return {
        "read": not article.unread,
        "unread": article.unread,
        "starred": article.starred,
        "unstarred": not article.starred,
    }[mark]


@pytest.fixture
async def ada(stores: Stores) -> User:
    return await stores.person("ada@example.org")


@pytest.fixture
async def item(stores: Stores, ada: User) -> int:
    await stores.subscriptions.subscribe(ada.id, FEED)
    await stores.deliver(FEED, "First")
    [item] = await stores.reading.item_nos(ada.id, Wanted(order=Order.ITEM_DESC))
    return item


@pytest.mark.parametrize("mark", OPPOSITE)
async def test_what_was_done_before_the_last_mark_changes_nothing(
    stores: Stores, ada: User, item: int, mark: str
):
    await stores.reading.mark(ada.id, [item], mark)
    await stores.reading.mark(ada.id, [item], OPPOSITE[mark])

    marked = await stores.reading.mark(ada.id, [item], mark, ago(60))

    assert marked.count == 0
    assert has(await stores.reading.article(ada.id, item), OPPOSITE[mark])


@pytest.mark.parametrize("mark", OPPOSITE)
async def test_devices_may_send_in_any_order(stores: Stores, ada: User, item: int, mark: str):
    sent = [(OPPOSITE[mark], ago(50)), (mark, ago(30)), (OPPOSITE[mark], ago(40))]
    for verb, at in (sent[1], sent[0], sent[2]):
        await stores.reading.mark(ada.id, [item], verb, at)

    assert has(await stores.reading.article(ada.id, item), mark)


@pytest.mark.parametrize("mark", OPPOSITE)
async def test_what_is_sent_twice_is_done_once(stores: Stores, ada: User, item: int, mark: str):
    at = ago(10)
    await stores.reading.mark(ada.id, [item], mark, at)
    once = await stores.reading.article(ada.id, item)

    marked = await stores.reading.mark(ada.id, [item], mark, at)

    assert marked.count == 0
    assert await stores.reading.article(ada.id, item) == once


async def test_a_clock_that_is_ahead_wins_nothing(stores: Stores, ada: User, item: int):
    await stores.reading.mark(ada.id, [item], "starred", ago(-3600))

    await stores.reading.mark(ada.id, [item], "unstarred")

    assert not (await stores.reading.article(ada.id, item)).starred
    await stores.reading.mark(ada.id, [item], "starred", ago(-3600))
    await stores.reading.mark(ada.id, [item], "unstarred", ago(-1))
    assert not (await stores.reading.article(ada.id, item)).starred


async def test_a_bookmark_that_was_deleted_later_stays_deleted(
    stores: Stores, ada: User, item: int
):
    bookmarks = BookmarkStore(stores.front)
    feed = (await stores.reading.article(ada.id, item)).subscription_id
    kept = await bookmarks.save_article(ada.id, feed, item)
    await bookmarks.delete(ada.id, kept.bookmark.id)

    with pytest.raises(Conflict):
        await bookmarks.save_article(ada.id, feed, item, ago(60))

    assert (await bookmarks.save_article(ada.id, feed, item, ago(-60))).is_new
