"""What is learned of people who want that: counted, bounded, taken back, deleted."""

import asyncio

import pytest

from feedloom.flow.reader.for_you import ForYou
from feedloom.model.errors import NotFound
from feedloom.model.interests import Interest, Sign
from feedloom.model.reader import Role, User, Wanted
from feedloom.store import BookmarkStore, InterestStore
from feedloom.store.reader.interests import MOST_INTERESTS
from tests.fakes import FixedClock
from tests.stores import Stores

URL = "https://site.example/feed.xml"
OTHER = "https://other.example/feed.xml"


@pytest.fixture
async def ada(stores: Stores) -> User:
    ada = await stores.person()
    for url, title in ((URL, "Birds"), (OTHER, "Trains")):
        await stores.subscriptions.subscribe(ada.id, url, title=title)
    await stores.deliver(URL, "Pelican nests", "Heron counted", "Gulls")
    await stores.deliver(OTHER, "Delays", "Express")
    return ada


@pytest.fixture
def interests(stores: Stores) -> InterestStore:
    return InterestStore(stores.front)


async def learned(store: InterestStore, user: User) -> dict[str, Interest]:
    return {each.name: each for each in await store.interests(user.id)}


async def test_nothing_is_learned_of_people_who_have_not_asked_for_it(stores, interests, ada):
    await stores.reading.mark(ada.id, [1, 2], "starred")
    await interests.learn(ada.id, [1], Sign.OPENED)

    assert await learned(interests, ada) == {}
    assert (await stores.accounts.by_id(ada.id)).learns is False


async def test_learning_starts_with_stars_and_saves_that_are_there(stores, interests, ada):
    await stores.reading.mark(ada.id, [1], "starred")
    birds = await stores.reading.article(ada.id, 1)
    await BookmarkStore(stores.front).save_article(ada.id, birds.subscription_id, 2)

    await interests.start(ada.id)
    await interests.start(ada.id)

    found = await learned(interests, ada)
    assert (await stores.accounts.by_id(ada.id)).learns is True
    assert (found["Birds"].starred, found["Birds"].saved) == (1, 1)
    assert found["pelican"].starred == found["heron"].saved == 1
    assert found["Ada"].starred == 1


@pytest.mark.threat("D15")
async def test_a_feed_that_is_left_meanwhile_counts_no_more(stores, interests, ada):
    await interests.start(ada.id)

    for number in range(8):
        url = f"https://site{number}.example/feed.xml"
        left = await stores.subscriptions.subscribe(ada.id, url)
        await stores.deliver(url, "Shared")
        newest = (await stores.reading.articles(ada.id, Wanted())).articles[0].item_no
        marks = (interests.learn(ada.id, [newest], Sign.MORE) for _ in range(3))
        await asyncio.gather(stores.subscriptions.unsubscribe(ada.id, left.id), *marks)

    assert {each.kind for each in await interests.interests(ada.id)} <= {"word", "author"}


async def test_marks_count_and_are_taken_back(stores, interests, ada):
    await interests.start(ada.id)
    await stores.reading.mark(ada.id, [1, 4], "starred")
    await stores.reading.mark(ada.id, [3], "hidden")
    bookmarks = BookmarkStore(stores.front)
    feed = (await stores.reading.article(ada.id, 2)).subscription_id
    kept = await bookmarks.save_article(ada.id, feed, 2)
    before = await learned(interests, ada)

    await stores.reading.mark(ada.id, [1], "unstarred")
    await stores.reading.mark(ada.id, [3], "shown")
    await bookmarks.delete(ada.id, kept.bookmark.id)

    birds = before["Birds"]
    assert (birds.starred, birds.saved, birds.dismissed) == (1, 1, 1)
    assert set(await learned(interests, ada)) == {"Trains", "Ada", "delays"}


async def test_marking_all_at_once_says_nothing(stores, interests, ada):
    await interests.start(ada.id)

    await stores.reading.mark_all(ada.id, Wanted(), "starred")

    assert await learned(interests, ada) == {}


@pytest.mark.threat("A7")
async def test_one_thing_is_forgotten_or_all_or_learning_ends(stores, interests, ada):
    bob = await stores.person("bob@example.org")
    await interests.start(ada.id)
    await stores.reading.mark(ada.id, [1], "starred")
    pelican = (await learned(interests, ada))["pelican"]
    with pytest.raises(NotFound):
        await interests.forget(bob.id, pelican.id)

    await interests.forget(ada.id, pelican.id)
    assert "pelican" not in await learned(interests, ada)
    await interests.forget_all(ada.id)
    assert await learned(interests, ada) == {}
    await stores.reading.mark(ada.id, [2], "starred")
    await interests.stop(ada.id)

    assert await learned(interests, ada) == {}
    assert (await stores.accounts.by_id(ada.id)).learns is False


async def test_no_more_is_kept_than_a_bound_and_what_counts_least_goes(stores, interests, ada):
    await interests.start(ada.id)
    await stores.reading.mark(ada.id, [1], "starred")
    await interests.learn(ada.id, [1], Sign.MORE)
    now = (await stores.rows("SELECT now_us() AS now"))[0]["now"]
    for number in range(MOST_INTERESTS):
        await stores.execute(
            "INSERT INTO interests (user_id, kind, name, opened, changed_at)"
            " VALUES (:user, 'word', :name, 1, :now)",
            user=ada.id,
            name=f"w{number}",
            now=now,
        )

    await interests.learn(ada.id, [5], Sign.OPENED)

    found = await learned(interests, ada)
    assert len(found) <= MOST_INTERESTS
    assert {"Birds", "pelican", "Ada", "express"} <= set(found)


async def test_leaving_a_feed_or_for_good_forgets_what_was_learned(stores, interests, ada):
    await interests.start(ada.id)
    await stores.reading.mark(ada.id, [1, 4], "starred")
    feed = (await stores.reading.article(ada.id, 4)).subscription_id

    await stores.subscriptions.unsubscribe(ada.id, feed)
    assert "Trains" not in await learned(interests, ada)
    await stores.accounts.create("bob@example.org", None, role=Role.OPERATOR)
    await stores.accounts.delete(ada.id)

    assert await stores.rows("SELECT * FROM interests") == []


async def test_suggestions_follow_what_was_learned(stores, interests, ada):
    await interests.start(ada.id)
    await stores.reading.mark(ada.id, [4], "starred")
    await stores.reading.mark(ada.id, [4], "read")
    for_you = ForYou(interests, stores.reading, FixedClock())

    found = await for_you.suggest(ada.id, 3)

    assert found[0].article.title == "Express"
    assert found[0].text == "You starred 1 article from Trains."
    assert len(found) == 3
    assert [each.points for each in found] == sorted((e.points for e in found), reverse=True)


async def test_a_story_is_one_row_that_counts_its_feeds_and_none_when_muted(stores, interests, ada):
    await interests.start(ada.id)
    rows = await stores.rows("SELECT article_id, item_no FROM article_states ORDER BY item_no")
    ids = {row["item_no"]: row["article_id"] for row in rows}
    await stores.execute("DELETE FROM story_articles")
    for item in (1, 4):
        await stores.execute(
            "INSERT INTO story_articles (article_id, story_id, arrived_at) VALUES (:id, 7, 1)",
            id=ids[item],
        )
    for_you = ForYou(interests, stores.reading, FixedClock())
    found = await for_you.suggest(ada.id, 10)
    await stores.execute(
        "INSERT INTO story_marks (user_id, story_id, muted_at) VALUES (:user, 7, 1)", user=ada.id
    )
    without = await for_you.suggest(ada.id, 10)

    assert found[0].text == "2 of your feeds report it."
    assert len(found) == 4
    assert {each.article.item_no for each in without} == {2, 3, 5}
