"""A first sync while the world goes on: every item comes, and comes once."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import pytest

from feedloom.model.reader import Order, Wanted
from tests.journeys.sync.desk import Desk, Person
from tests.journeys.sync.walks import WALKS, Client

pytestmark = [pytest.mark.both_engines, pytest.mark.asyncio(loop_scope="module")]

FEEDS = 12
EACH = 60
ALL = Wanted(order=Order.ITEM_ASC, limit=100_000, include_hidden=True)


@asynccontextmanager
async def going_on(desk: Desk, person: Person, urls: list[str]) -> AsyncIterator[None]:
    """Let articles arrive and be marked read, starred and unread, all the time."""
    dice = random.Random(3)
    total = FEEDS * EACH

    async def go_on() -> None:
        for number in range(10_000):
            await desk.deliver(dice.choice(urls), f"late {number}")
            items = dice.sample(range(1, total + 1), 20)
            mark = dice.choice(["read", "unread", "starred", "unstarred"])
            await desk.stores.reading.mark(person.user.id, items, mark)
            await asyncio.sleep(0)

    task = asyncio.create_task(go_on())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@pytest.mark.threat("C8")
@pytest.mark.parametrize("name", WALKS)
async def test_every_item_comes_once_while_others_arrive_and_are_marked(
    desk: Desk, ada: Person, name: str
):
    urls = [desk.new_url() for _ in range(FEEDS)]
    for url in urls:
        await desk.subscribe(ada, *(f"{url} {n}" for n in range(EACH)), url=url)
    there = await desk.stores.reading.item_nos(ada.user.id, ALL)

    async def send(
        method: str, target: str, *, headers: Mapping[str, str], body: bytes = b""
    ) -> bytes:
        reply = await ada.ask(method, target, headers=headers, body=body)
        assert reply.status == 200, reply.text
        return reply.body

    async with going_on(desk, ada, urls):
        seen = await WALKS[name](Client(send, ada.email, ada.secret))

    assert len(there) == FEEDS * EACH
    assert len(seen) == len(set(seen))
    assert set(there) <= set(seen)


@pytest.mark.threat("C8")
async def test_a_change_during_a_long_answer_is_not_lost(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, url=url)
    for start in range(0, 600, 150):
        await desk.deliver(url, *(f"t{n}" for n in range(start, start + 150)))
    await desk.stores.execute(
        "UPDATE article_states SET last_modified = last_modified - 10000000 WHERE user_id = :user",
        user=ada.user.id,
    )
    marked = False

    async def mark_both_ends() -> None:
        # The newest is sent already, the oldest is still to come, a second later.
        nonlocal marked
        await desk.stores.reading.mark(ada.user.id, [600], "starred")
        await asyncio.sleep(1.1)
        await desk.stores.reading.mark(ada.user.id, [1], "starred")
        marked = True

    reply = await ada.ask(
        "GET",
        "/index.php/apps/news/api/v1-3/items?type=3&batchSize=-1",
        headers=ada.basic,
        after_first_part=mark_both_ends,
    )
    newest = max(item["lastModified"] for item in reply.json()["items"])
    changed = await ada.nextcloud("GET", "/items/updated", lastModified=newest)

    assert marked
    assert reply.chunks > 2
    stars = {item["id"] for item in changed.json()["items"] if item["starred"]}
    assert stars == {600, 1}
