"""Many new feeds at once end as if each had been added on its own."""

import asyncio

import pytest

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import FeedWish, User
from feedloom.store.engine.scripts import WORKER, Insert, Script
from feedloom.store.reader.subscriptions import MOST_SUBSCRIPTIONS
from tests.stores import Stores

URLS = [f"https://site{n}.example/feed?b={n}&a=1" for n in (3, 1, 2)]
_EVERYTHING = """
SELECT f.url, f.url_key, f.host_key, f.tenant_id, f.state, f.etag, f.body_hash,
  c.host_key AS schedules_host, (c.next_run_at - c.due_at + 500000) / 1000000 AS fallback_s,
  c.reason,
  c.lease_token, c.attempts, s.title, s.folder_id, s.retention, s.seeded, s.pinned
FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
JOIN feed_schedules c ON c.feed_id = f.id WHERE s.user_id = :user ORDER BY s.id
"""


async def root(stores: Stores, person: User) -> int:
    [row] = await stores.rows(
        "SELECT id FROM folders WHERE user_id = :id AND is_root", id=person.id
    )
    number: int = row["id"]
    return number


async def wishes(stores: Stores, person: User, *urls: str) -> list[FeedWish]:
    folder = await root(stores, person)
    return [FeedWish(url, f"Title of {url}", folder) for url in urls]


async def counted(stores: Stores, table: str) -> int:
    [row] = await stores.rows(f"SELECT count(*) AS n FROM {table}")
    number: int = row["n"]
    return number


async def test_rows_are_those_of_feeds_added_one_by_one(stores: Stores):
    ada = await stores.person()
    wanted = await wishes(stores, ada, *URLS)

    added = await stores.subscriptions.subscribe_to_new(ada.id, wanted, tenant_id=None)
    together = await stores.rows(_EVERYTHING, user=ada.id)
    events = await stores.rows("SELECT metadata FROM events WHERE event_type = 'feed_added'")
    await stores.execute("DELETE FROM feeds")
    await stores.execute("DELETE FROM events")
    for wish in wanted:
        await stores.subscriptions.subscribe(
            ada.id, wish.url, title=wish.title, folder_id=wish.folder_id
        )

    one_by_one = await stores.rows(_EVERYTHING, user=ada.id)
    assert added == set(URLS)
    assert [dict(row) for row in together] == [dict(row) for row in one_by_one]
    assert [row["url"] for row in together] == URLS
    assert len({row["metadata"] for row in events}) == len(events) == len(URLS)


async def test_feeds_that_are_there_are_left_to_be_added_one_by_one(stores: Stores):
    ada, bea = await stores.person(), await stores.person("bea@example.org")
    await stores.subscriptions.subscribe(bea.id, URLS[1])
    await stores.deliver(URLS[1], "One")

    added = await stores.subscriptions.subscribe_to_new(
        ada.id, await wishes(stores, ada, *URLS), tenant_id=None
    )

    mine = await stores.subscriptions.subscriptions(ada.id)
    assert added == {URLS[0], URLS[2]}
    assert {feed.url for feed in mine} == added
    assert await counted(stores, "feeds") == 3


async def test_all_new_feeds_are_due_at_once(stores: Stores):
    ada = await stores.person()

    await stores.subscriptions.subscribe_to_new(
        ada.id, await wishes(stores, ada, *URLS), tenant_id=None
    )

    assert {feed.url for feed in await stores.queue.claim(10)} == set(URLS)


async def test_one_feed_in_two_spellings_is_one(stores: Stores):
    ada = await stores.person()
    spellings = ("https://site.example/feed", "http://site.example/feed/")

    added = await stores.subscriptions.subscribe_to_new(
        ada.id, await wishes(stores, ada, *spellings), tenant_id=None
    )

    assert len(added) == 1
    assert await counted(stores, "feeds") == 1


async def test_what_is_read_with_a_cookie_is_not_added_without(stores: Stores):
    ada = await stores.person()
    made = await stores.subscriptions.subscribe(ada.id, URLS[0])
    await stores.subscriptions.set_access(
        ada.id, made.id, cookie="a=1", user_agent=None, tenant_id=None
    )
    await stores.execute("DELETE FROM feeds WHERE url_key NOT LIKE '%#%'")

    added = await stores.subscriptions.subscribe_to_new(
        ada.id, await wishes(stores, ada, *URLS), tenant_id=None
    )

    assert added == set(URLS[1:])


@pytest.mark.threat("W9")
async def test_a_list_beyond_the_quota_leaves_nothing(stores: Stores):
    ada = await stores.person()
    folder = await root(stores, ada)

    def fill() -> Script[None]:
        yield Insert(
            "subscriptions",
            ("user_id", "folder_id", "title", "added_at"),
            [(ada.id, folder, "x", 0) for _ in range(MOST_SUBSCRIPTIONS - 2)],
        )

    await stores.work.write(WORKER, fill)

    with pytest.raises(InvalidInput, match="10000 feeds"):
        await stores.subscriptions.subscribe_to_new(
            ada.id, await wishes(stores, ada, *URLS), tenant_id=None
        )
    left = await counted(stores, "feeds")
    added = await stores.subscriptions.subscribe_to_new(
        ada.id, await wishes(stores, ada, *URLS[:2]), tenant_id=None
    )

    assert left == 0
    assert added == set(URLS[:2])


@pytest.mark.threat("A8")
async def test_nobody_puts_feeds_into_another_persons_folder(stores: Stores):
    ada, bea = await stores.person(), await stores.person("bea@example.org")
    theirs = await wishes(stores, bea, *URLS)

    with pytest.raises(NotFound):
        await stores.subscriptions.subscribe_to_new(ada.id, theirs, tenant_id=None)

    assert await counted(stores, "feeds") == 0


async def test_two_people_who_bring_the_same_list_at_once_share_its_feeds(stores: Stores):
    ada, bea = await stores.person(), await stores.person("bea@example.org")
    urls = [f"https://site{n}.example/feed" for n in range(40)]
    forwards = await wishes(stores, ada, *urls)
    backwards = await wishes(stores, bea, *reversed(urls))

    hers, theirs = await asyncio.gather(
        stores.subscriptions.subscribe_to_new(ada.id, forwards, tenant_id=None),
        stores.subscriptions.subscribe_to_new(bea.id, backwards, tenant_id=None),
    )

    assert hers | theirs == set(urls)
    assert not hers & theirs
    assert await counted(stores, "feeds") == len(urls)
