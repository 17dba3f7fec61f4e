"""A feed whose entries are new at every look cannot fill the disk."""

import pytest

from feedloom.store.ingest.arrivals import MOST_A_DAY
from tests.stores import Stores

pytestmark = pytest.mark.threat("P11")

URL = "https://site.example/feed.xml"
AT_ONCE = 400


async def count(stores: Stores) -> int:
    rows = await stores.rows("SELECT count(*) AS n FROM articles")
    found: int = rows[0]["n"]
    return found


async def flood(stores: Stores, turn: int) -> None:
    await stores.deliver(URL, *(f"{turn}-{n}" for n in range(AT_ONCE)))
    await stores.execute("UPDATE articles SET fetched_at = now_us() WHERE fetched_at < 2e15")


async def test_what_a_day_brings_is_bounded_and_the_next_day_goes_on(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)

    for turn in range(MOST_A_DAY // AT_ONCE + 2):
        await flood(stores, turn)
    full = await count(stores)
    await stores.execute("UPDATE articles SET fetched_at = now_us() - 90000000000")
    await flood(stores, 99)

    assert full == MOST_A_DAY
    assert await count(stores) == MOST_A_DAY + AT_ONCE


async def test_a_few_articles_always_get_through(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    for turn in range(MOST_A_DAY // AT_ONCE):
        await flood(stores, turn)

    stored = await stores.deliver(URL, "one", "two", "three")

    assert stored.new_articles == 3
