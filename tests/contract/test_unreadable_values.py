"""Values that cannot be read cost their own row, visibly, and nothing else."""

import pytest

from feedloom.flow.refresh.schedule import explain
from feedloom.model.bookmarks import NewBookmark, WantedBookmarks
from feedloom.model.reader import Order, Wanted
from feedloom.model.sync import View, ViewKind
from feedloom.model.work import NewTask, TaskKind
from feedloom.store import (
    BookmarkStore,
    DatabaseURL,
    OversightStore,
    SummaryStore,
    ViewTokenStore,
    find_faults,
)
from feedloom.store.distilled.proxied_feeds import read_item
from feedloom.store.queues.leases import SCHEDULES, TASKS, UNREADABLE
from tests.stores import Stores

NO_OBJECTS = ["5", '"text"', "null", "[[1]]"]
"""JSON, but not what the columns hold. PostgreSQL lets in nothing worse."""
NO_JSON = ["", "{", "not JSON", "[" * 5_000]
ALL = Wanted(limit=10, order=Order.ITEM_ASC, with_content=True)


def bad_values(stores: Stores) -> list[str]:
    return NO_OBJECTS + (NO_JSON if stores.work.kind == "sqlite" else [])


async def faults(databases) -> str:
    return " ".join(await find_faults(DatabaseURL.parse(databases.worker_url)))


async def subscribe(stores: Stores, count: int) -> tuple[int, list[int]]:
    """Subscribe a person to feeds of hosts of their own."""
    person = await stores.person()
    urls = [f"https://site{n}.example/feed" for n in range(count)]
    for url in urls:
        await stores.subscriptions.subscribe(person.id, url)
    rows = await stores.rows("SELECT id FROM feeds ORDER BY id")
    return person.id, [row["id"] for row in rows]


async def test_an_unreadable_task_is_parked_and_others_run(stores, engine_url):
    bad = []
    for value in bad_values(stores):
        id_ = await stores.tasks.add(NewTask(TaskKind.FAVICON, {"feed_id": 1}))
        await stores.execute("UPDATE tasks SET payload = :v WHERE id = :i", v=value, i=id_)
        bad.append(id_)
    good = await stores.tasks.add(NewTask(TaskKind.FAVICON, {"feed_id": 2}))

    claimed = await stores.tasks.claim(50)

    assert [task.id for task in claimed] == [good]
    assert await stores.tasks.claim(50) == []
    parked = await OversightStore(stores.front).parked_tasks()
    assert {(line.id, line.error) for line in parked} == {(i, UNREADABLE) for i in bad}
    assert (await stores.depth(TASKS)).parked == len(bad)
    assert f"{len(bad)} rows of tasks have a value" in await faults(engine_url)


async def test_a_person_can_look_at_a_task_that_cannot_be_read(stores):
    person = await stores.person()
    task = NewTask(TaskKind.IMPORT, {"rows": []}, user_id=person.id)
    id_ = await stores.tasks.add(task)
    await stores.execute("UPDATE tasks SET payload = '5', progress = '5'")

    assert await stores.tasks.claim(50) == []

    found = await stores.tasks.find(person.id, id_)
    assert (found.payload, found.progress, found.last_error) == ({}, None, UNREADABLE)


async def test_an_unreadable_schedule_is_parked_and_others_are_fetched(stores, engine_url):
    values = bad_values(stores)
    person_id, feeds = await subscribe(stores, len(values) + 1)
    for feed_id, value in zip(feeds, values, strict=False):
        await stores.execute(
            "UPDATE feed_schedules SET reason = :v WHERE feed_id = :i", v=value, i=feed_id
        )

    claimed = await stores.queue.claim(50)

    assert [feed.feed_id for feed in claimed] == feeds[-1:]
    assert (await stores.depth(SCHEDULES)).parked == len(values)
    oversight = OversightStore(stores.front)
    lines = await oversight.feeds()
    expected = [UNREADABLE] * len(values) + [None]
    assert [line.last_fetch_error for line in lines] == expected
    shown = [explain(one.reason) for one in await stores.subscriptions.subscriptions(person_id)]
    assert sum("can't be read" in why for why in shown) == len(values)
    assert f"{len(values)} rows of feed_schedules have" in await faults(engine_url)

    await oversight.refresh(feeds[0])

    assert [feed.feed_id for feed in await stores.queue.claim(50)] == feeds[:1]


async def test_a_host_whose_requests_cannot_be_read_is_spared_for_a_while(stores, engine_url):
    values = [*bad_values(stores), "{}", '[["token", "soon"]]']
    _, feeds = await subscribe(stores, len(values) + 1)
    for number, value in enumerate(values):
        await stores.execute(
            "INSERT INTO hosts (host_key, in_flight) VALUES (:h, :v)",
            h=f"site{number}.example",
            v=value,
        )
    assert f"{len(values) - 2} rows of hosts have a value" in await faults(engine_url)

    claimed = await stores.queue.claim(50)

    assert [feed.feed_id for feed in claimed] == feeds[-1:]
    rows = await stores.rows(
        "SELECT cooldown_until - now_us() AS us FROM hosts WHERE CAST(in_flight AS TEXT) = '[]'"
    )
    assert len(rows) == len(values)
    assert all(0 < row["us"] <= 900_000_000 for row in rows)


@pytest.mark.parametrize("column", ["categories", "enclosures"])
async def test_an_unreadable_article_costs_no_list(stores, engine_url, column):
    person = await stores.person()
    url = "https://site.example/feed"
    await stores.subscriptions.subscribe(person.id, url)
    values = [*bad_values(stores), "[{}]"]
    await stores.deliver(url, *(str(n) for n in range(len(values))), "good")
    for number, value in enumerate(values):
        await stores.execute(
            f"UPDATE articles SET {column} = :v WHERE title = :t", v=value, t=str(number)
        )

    page = await stores.reading.articles(person.id, ALL)

    assert len(page.articles) == len(values) + 1
    assert {getattr(one, column) for one in page.articles} == {()}
    assert "rows of articles have a value" in await faults(engine_url)


async def test_an_impossible_time_costs_no_list(stores):
    person = await stores.person()
    await stores.execute("UPDATE users SET created_at = 9000000000000000000")
    assert [one.created_at.year for one in await stores.accounts.people()] == [1970]
    url = "https://site.example/feed"
    await stores.subscriptions.subscribe(person.id, url)
    await stores.deliver(url, "bad", "good")
    await stores.execute(
        "UPDATE articles SET published_at = 9000000000000000000,"
        " updated_at = 9000000000000000000 WHERE title = 'bad'"
    )

    page = await stores.reading.articles(person.id, ALL)

    assert [one.title for one in page.articles] == ["bad", "good"]


async def test_unreadable_settings_keep_nobody_out(stores, engine_url):
    values = bad_values(stores)
    people = [await stores.person(f"p{number}@example.org") for number in range(len(values) + 1)]
    await stores.execute("UPDATE users SET digest_at = 1")
    for person, value in zip(people, values, strict=False):
        await stores.execute("UPDATE users SET settings = :v WHERE id = :i", v=value, i=person.id)

    found = [await stores.accounts.by_email(person.email) for person in people]
    due = await SummaryStore(stores.work).due(50)

    assert [pair[0].settings for pair in found] == [{}] * len(people)
    assert [one.user_id for one in due] == [person.id for person in people]
    assert f"{len(values)} rows of users have a value" in await faults(engine_url)


async def test_an_unreadable_bookmark_digest_or_shared_view_costs_no_list(stores, engine_url):
    person = await stores.person()
    bookmarks, views = BookmarkStore(stores.work), ViewTokenStore(stores.work)
    values = bad_values(stores)
    for number, value in enumerate(values):
        kept = await bookmarks.add(person.id, NewBookmark(f"https://site.example/{number}"))
        view = View(ViewKind.ALL)
        token = await views.create(person.id, token_hash=str(number), label="x", view=view)
        for table, column, id_ in (
            ("bookmarks", "tags", kept.bookmark.id),
            ("view_tokens", "view", token.id),
        ):
            await stores.execute(f"UPDATE {table} SET {column} = :v WHERE id = :i", v=value, i=id_)

    listed = (await bookmarks.bookmarks(person.id, WantedBookmarks(limit=50))).bookmarks
    shown = await views.tokens(person.id)
    by_hash = await views.by_hash("0")

    assert [one.tags for one in listed] == [()] * len(values)
    assert await bookmarks.tags(person.id) == []
    assert [one.view.wanted(1).subscription_id for one in shown] == [0] * len(values)
    assert by_hash is not None
    assert by_hash.view.wanted(1).subscription_id == 0
    found = await faults(engine_url)
    assert "rows of bookmarks have a value" in found
    assert "rows of view_tokens have a value" in found


async def test_an_unreadable_digest_keeps_its_text(stores):
    person = await stores.person()
    summaries = SummaryStore(stores.work)
    values = bad_values(stores)
    for value in values:
        await stores.execute(
            "INSERT INTO summaries (user_id, content, article_ids, article_count, model,"
            " paragraphs, created_at) VALUES (:u, 'News.', '[]', 1, 'm', :v, 1)",
            u=person.id,
            v=value,
        )

    page = await summaries.summaries(person.id)

    assert [one.content for one in page.summaries] == ["News."] * len(values)
    assert {one.paragraphs for one in page.summaries} == {()}


@pytest.mark.parametrize("value", ["5", "{", "[{}]", None])
def test_an_unreadable_article_costs_no_proxied_feed(value):
    row: dict[str, object] = dict.fromkeys(
        ("guid", "url", "url_hash", "title", "description", "author"), "x"
    )
    row |= {"thumbnail_url": None, "comments_url": None, "published_at": 9 * 10**18}
    bad = dict.fromkeys(("enclosures", "categories", "analyzer_result"), value)

    item = read_item(row | bad)

    assert (item.enclosures, item.categories, item.analysis) == ((), (), None)
