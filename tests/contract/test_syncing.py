"""What sync protocols ask of the store: lists without counts, pages, what changed."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Order, User, Wanted
from feedloom.store import SyncStore
from feedloom.store.engine.scripts import Query, Scope, Script, sql
from feedloom.store.reader.article_lists import list_articles
from feedloom.store.values import from_us
from tests.databases import Databases
from tests.stores import Stores

LOOKED_UP = r"articles_pkey on articles a|SEARCH a USING INTEGER PRIMARY KEY"


def url(name: str) -> str:
    return f"https://{name}.example/feed.xml"


@pytest.fixture
async def ada(stores: Stores) -> User:
    return await stores.person("ada@example.org")


@pytest.fixture
def syncing(stores: Stores) -> SyncStore:
    return SyncStore(stores.front)


async def test_feeds_are_listed_by_title_with_their_places(
    stores: Stores, ada: User, syncing: SyncStore
):
    bob = await stores.person("bob@example.org")
    folder = await stores.folders.ensure(ada.id, ("Tech",))
    await stores.subscriptions.subscribe(ada.id, url("b"), title="beta")
    await stores.subscriptions.subscribe(ada.id, url("a"), title="Alpha", folder_id=folder)
    await stores.subscriptions.subscribe(ada.id, url("untitled"))
    await stores.subscriptions.subscribe(bob.id, url("theirs"))

    listed = await syncing.feeds(ada.id)

    shown = [(f.title, f.url, f.in_root, f.folder_id == folder) for f in listed]
    assert shown == [
        ("Alpha", url("a"), False, True),
        ("beta", url("b"), True, False),
        ("untitled.example", url("untitled"), True, False),
    ]
    full = await stores.subscriptions.subscriptions(ada.id)
    assert [f.id for f in listed] == [f.id for f in full]
    assert [f.refreshed_at for f in listed] == [f.added_at for f in full]


async def test_the_feed_of_what_outlived_its_feeds_has_no_address(
    stores: Stores, ada: User, syncing: SyncStore
):
    made = await stores.subscriptions.subscribe(ada.id, url("a"))
    await stores.deliver(url("a"), "one")
    await stores.reading.mark(ada.id, [1], "starred")

    await stores.subscriptions.unsubscribe(ada.id, made.id)

    assert [(f.title, f.url) for f in await syncing.feeds(ada.id)] == [("Unsubscribed", "")]


async def test_some_subscriptions_are_found_whole_but_uncounted(
    stores: Stores, ada: User, syncing: SyncStore
):
    bob = await stores.person("bob@example.org")
    one = await stores.subscriptions.subscribe(ada.id, url("one"))
    await stores.subscriptions.subscribe(ada.id, url("two"))
    theirs = await stores.subscriptions.subscribe(bob.id, url("one"))
    await stores.deliver(url("one"), "a", "b")

    found = await syncing.subscriptions(ada.id, [one.id, theirs.id, 9999])
    everything = await syncing.subscriptions(ada.id)

    counted = await stores.subscriptions.subscriptions(ada.id)
    assert [f.id for f in found] == [one.id]
    assert await syncing.subscriptions(ada.id, []) == []
    assert everything == [replace(f, unread=0) for f in counted]
    assert sum(f.unread for f in counted) == 2


async def test_folders_are_listed_by_path_without_the_root(
    stores: Stores, ada: User, syncing: SyncStore
):
    await stores.folders.ensure(ada.id, ("Tech", "Python"))
    await stores.folders.ensure(ada.id, ("Arts",))

    listed = await syncing.folders(ada.id)

    assert listed == await stores.folders.folders(ada.id)
    assert [folder.path for folder in listed] == ["Arts", "Tech", "Tech/Python"]


@pytest.mark.parametrize("order", [Order.ITEM_ASC, Order.ITEM_DESC])
@pytest.mark.parametrize("cursor", ["2", "8"])
async def test_a_cursor_never_widens_a_bound(stores: Stores, ada: User, order: Order, cursor: str):
    await stores.subscriptions.subscribe(ada.id, url("a"))
    await stores.deliver(url("a"), *(f"t{n}" for n in range(1, 11)))
    within = Wanted(after_item=3, before_item=8, order=order, cursor=cursor)

    numbers = await stores.reading.item_nos(ada.id, within)
    page = await stores.reading.articles(ada.id, within)

    allowed = {n for n in range(1, 11) if 3 < n < 8}
    last = int(cursor)
    beyond = {n for n in allowed if (n > last if order is Order.ITEM_ASC else n < last)}
    assert set(numbers) == {a.item_no for a in page.articles} == beyond


@pytest.mark.threat("A22")
async def test_all_up_to_the_largest_number_are_all(stores: Stores, ada: User):
    page = await stores.reading.articles(ada.id, Wanted())
    bounded = await stores.reading.articles(ada.id, Wanted(before_item=2**31))

    assert bounded.articles == page.articles


@pytest.mark.parametrize("cursor", ["1-2", "x", "", "-1", "9" * 10, "9" * 30])
async def test_a_cursor_of_another_list_is_refused(stores: Stores, ada: User, cursor: str):
    for order in (Order.ITEM_ASC, Order.ITEM_DESC):
        with pytest.raises(InvalidInput):
            await stores.reading.item_nos(ada.id, Wanted(order=order, cursor=cursor))


@pytest.mark.parametrize("count", [3, 1_200])
async def test_what_arrived_since_is_found_among_few_and_many(
    stores: Stores, ada: User, count: int
):
    await stores.subscriptions.subscribe(ada.id, url("a"))
    await stores.deliver(url("a"), "old")
    rows = await stores.rows("SELECT max(arrived_at) AS at FROM article_states")
    after = from_us(rows[0]["at"]) + timedelta(microseconds=1)
    for start in range(0, count, 200):
        titles = (f"new {n}" for n in range(start, min(start + 200, count)))
        await stores.deliver(url("a"), *titles)
    # Changed now, but here before.
    await stores.reading.mark(ada.id, [1], "read")

    wanted = Wanted(arrived_since=after, order=Order.ITEM_ASC, limit=5000)

    numbers = await stores.reading.item_nos(ada.id, wanted)
    assert numbers == list(range(2, count + 2))
    assert await stores.reading.count(ada.id, wanted) == count


@pytest.mark.parametrize("order", [Order.NEWEST, Order.OLDEST])
async def test_a_page_is_chosen_before_articles_are_looked_up(
    stores: Stores, ada: User, engine_url: Databases, order: Order
):
    for number in range(30):
        address = url(f"site{number}")
        await stores.subscriptions.subscribe(ada.id, address)
        await stores.deliver(address, *(f"{number} {n}" for n in range(20)))
    how = "QUERY PLAN" if engine_url.kind == "sqlite" else "ANALYZE"

    def plan() -> Script[str]:
        asked = next(list_articles(ada.id, Wanted(order=order, limit=50)))
        assert isinstance(asked, Query)
        rows = yield sql(f"EXPLAIN {how} {asked.text}", **asked.params)
        return "\n".join(str(tuple(row)[-1]) for row in rows)

    # Nobody has gathered statistics yet: so it is on the first day.
    found = await stores.front.read(Scope(user_id=ada.id), plan)

    lines = [line for line in found.splitlines() if re.search(LOOKED_UP, line)]
    assert len(lines) == 1, found
    if engine_url.kind == "postgresql":
        # Fifty, and the one that tells of another page.
        assert lines[0].endswith("loops=51)"), found
