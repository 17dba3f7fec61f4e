"""Stories: each article in one, whatever becomes of the workers that tell them."""

import asyncio
import sys
from collections.abc import Mapping
from datetime import timedelta

import pytest

from feedloom.distill import StoryGrouper
from feedloom.flow.stories import StoryTeller
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.store import StoryQueue, StoryStore
from tests.databases import Databases
from tests.fakes import START
from tests.stores import Stores, article, refreshed

PLACES = ("Lisbon", "Gdansk", "Tromso", "Bilbao", "Utrecht", "Brno")
EVENTS = tuple(
    (
        f"Ferry sinks in {place} harbour, {number} passengers rescued",
        f"{number} rescued as ferry goes down in {place} harbour",
        f"{place} harbour: ferry with {number} passengers on board sinks",
    )
    for number, place in enumerate(PLACES, 211)
)
FEEDS = tuple(f"https://paper{n}.example/feed.xml" for n in range(3))


def teller(stores: Stores, **more: float) -> StoryTeller:
    told = {"lease_s": 1.0, "batch": 5} | more
    return StoryTeller(StoryQueue(stores.work), StoryGrouper, **told)  # type: ignore[arg-type]


async def publish(stores: Stores, *, hours: int = 0) -> None:
    """Let three papers report six events."""
    ada = await stores.person(f"ada{hours}@example.org")
    at = START + timedelta(hours=hours)
    for place, url in enumerate(FEEDS):
        await stores.subscriptions.subscribe(ada.id, url)
        await stores.deliver(url, *(event[place] for event in EVENTS), at=at)
    await stores.execute(
        "UPDATE articles SET url = replace(url, 'site.example', 'paper' || feed_id || '.example')"
    )


async def told(stores: Stores) -> Mapping[int, int | None]:
    rows = await stores.rows("SELECT article_id, story_id FROM story_articles ORDER BY article_id")
    return {row["article_id"]: row["story_id"] for row in rows}


async def lease_is_over(stores: Stores) -> None:
    await stores.execute("UPDATE story_lease SET locked_until = now_us() - 1")


async def test_articles_about_one_event_become_one_story(stores: Stores):
    await publish(stores)
    before = await told(stores)

    count = await teller(stores).catch_up()

    found = await told(stores)
    assert count == len(before) == 18
    assert set(before.values()) == {None}
    first = list(found)[:6]
    assert list(found.values()) == [*first, *first, *first]


@pytest.mark.threat("Q24")
async def test_a_worker_that_was_killed_loses_no_article(stores: Stores, engine_url: Databases):
    await publish(stores)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.killable_stories", engine_url.worker_url, "8")
    )
    assert await process.wait() == -9
    half = await told(stores)
    assert sum(story is not None for story in half.values()) == 5

    waits = await teller(stores, lease_s=60.0).catch_up()
    await lease_is_over(stores)
    await teller(stores).catch_up()

    again = await _from_the_start(stores)
    assert waits in {0, 13}
    assert await told(stores) == again
    assert None not in again.values()


async def _from_the_start(stores: Stores) -> Mapping[int, int | None]:
    kept = await told(stores)
    await lease_is_over(stores)
    await stores.execute("UPDATE story_articles SET story_id = NULL")
    await teller(stores, batch=500).catch_up()
    found = await told(stores)
    assert found.keys() == kept.keys()
    return found


@pytest.mark.threat("Q24")
async def test_two_workers_at_once_tell_what_one_tells(stores: Stores):
    await publish(stores)
    tellers = [teller(stores, batch=2) for _ in range(2)]

    for _ in range(20):
        await asyncio.gather(*(each.catch_up() for each in tellers))
        await asyncio.gather(*(each.let_go() for each in tellers))

    found = await told(stores)
    assert None not in found.values()
    assert found == await _from_the_start(stores)


@pytest.mark.threat("Q24")
async def test_a_worker_that_outlived_its_lease_writes_nothing(stores: Stores):
    await publish(stores)
    slow, quick = StoryQueue(stores.work), teller(stores)
    assert await slow.claim("slow", 60) is False
    await lease_is_over(stores)
    await quick.catch_up()
    found = await told(stores)

    assert not await slow.tell("slow", [(article, 1) for article in found], 60)
    assert await told(stores) == found
    assert await slow.claim("slow", 60) is None


async def test_whoever_takes_over_knows_the_open_stories(stores: Stores):
    await publish(stores)
    await teller(stores).catch_up()
    await lease_is_over(stores)
    url = "https://paper9.example/feed.xml"
    ada = await stores.person("later@example.org")
    await stores.subscriptions.subscribe(ada.id, url)
    late = "Passengers rescued in Tromso harbour after ferry sinks"
    await stores.deliver(url, late, at=START + timedelta(hours=5))

    await teller(stores).catch_up()

    rows = await stores.rows(
        "SELECT a.title FROM story_articles m JOIN articles a ON a.id = m.article_id WHERE"
        " m.story_id = (SELECT n.story_id FROM story_articles n ORDER BY n.article_id DESC LIMIT 1)"
    )
    assert {row["title"] for row in rows} == {*EVENTS[2], late}


async def test_old_articles_never_wait(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, FEEDS[0])
    await stores.deliver(FEEDS[0], "now", at=START)
    feed = await stores.claim(FEEDS[0])
    old = article("old", published_at=START - timedelta(hours=73))
    await stores.refreshes.store(refreshed(feed, (old,), at=START))

    assert len(await told(stores)) == 1


async def test_what_nothing_joined_is_forgotten_and_stories_later(stores: Stores):
    await publish(stores)
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, FEEDS[0])
    await stores.deliver(FEEDS[0], "Zebra", at=START)
    await teller(stores).catch_up()
    store, day = StoryQueue(stores.work), 86_400_000_000
    await stores.execute("UPDATE story_articles SET arrived_at = now_us()")
    await store.forget_old()
    assert len(await told(stores)) == 19
    await stores.execute("UPDATE story_articles SET arrived_at = now_us() - :age", age=11 * day)
    await store.forget_old()
    assert len(await told(stores)) == 18
    followed = min(await told(stores))
    await stores.execute(
        "INSERT INTO story_marks (user_id, story_id, followed_at) VALUES (:user, :story, 1),"
        " (:user, 999999, 1)",
        user=ada.id,
        story=followed,
    )
    await stores.execute("UPDATE story_articles SET arrived_at = now_us() - :age", age=91 * day)
    await store.forget_old()

    assert set((await told(stores)).values()) == {followed}
    assert len(await stores.rows("SELECT 1 FROM story_marks")) == 1


@pytest.mark.parametrize("gone", ["articles", "users"])
async def test_rows_go_with_what_they_belong_to(stores: Stores, gone: str):
    await publish(stores)
    await teller(stores).catch_up()
    await stores.execute(
        "INSERT INTO story_marks (user_id, story_id, followed_at) SELECT id, 1, 1 FROM users"
    )
    await stores.execute("DELETE FROM article_states")
    await stores.execute(f"DELETE FROM {gone}")

    table = "story_articles" if gone == "articles" else "story_marks"
    assert await stores.rows(f"SELECT 1 FROM {table}") == []


async def test_what_joins_a_muted_story_is_dismissed_but_for_stars(stores: Stores):
    await publish(stores)
    await teller(stores).catch_up()
    [row] = await stores.rows("SELECT id FROM users WHERE email = 'ada0@example.org'")
    ada, story = row["id"], await _story_of(stores, EVENTS[1][0])
    store = StoryStore(stores.front)
    [starred] = [
        each.item_no
        for each in (await store.story(ada, story)).articles
        if each.title == EVENTS[1][2]
    ]
    await stores.reading.mark(ada, [starred], "starred")
    before = (await stores.reading.counts(ada)).unread

    muted = await store.mark(ada, story, "muted")
    assert muted.muted
    assert (await stores.reading.counts(ada)).unread == before - 2
    await lease_is_over(stores)
    await stores.deliver(FEEDS[0], f"{EVENTS[1][1]} today", at=START + timedelta(hours=2))
    await teller(stores).catch_up()

    articles = (await store.story(ada, story)).articles
    assert {each.title: (each.hidden, each.unread) for each in articles} == {
        EVENTS[1][0]: (True, False),
        EVENTS[1][1]: (True, False),
        EVENTS[1][2]: (False, True),
        f"{EVENTS[1][1]} today": (True, False),
    }
    back = await store.mark(ada, story, "unmuted")
    assert not any(each.hidden for each in back.articles)


async def _story_of(stores: Stores, title: str) -> int:
    [row] = await stores.rows(
        "SELECT m.story_id FROM story_articles m JOIN articles a ON a.id = m.article_id"
        " WHERE a.title = :title",
        title=title,
    )
    number: int = row["story_id"]
    return number


@pytest.mark.threat("A25")
async def test_marks_of_stories_are_ones_own(stores: Stores):
    await publish(stores)
    await teller(stores).catch_up()
    eve = await stores.person("eve@example.org")
    [row] = await stores.rows("SELECT id FROM users WHERE email = 'ada0@example.org'")
    ada, story = row["id"], await _story_of(stores, EVENTS[0][0])
    store = StoryStore(stores.front)
    await store.mark(ada, story, "followed")

    assert [line.id for line in await store.followed(ada)] == [story]
    assert await store.followed(eve.id) == await store.current(eve.id) == []
    for doing in (store.story(eve.id, story), store.mark(eve.id, story, "muted")):
        with pytest.raises(NotFound):
            await doing
    with pytest.raises(InvalidInput):
        await store.mark(ada, story, "nothing")
