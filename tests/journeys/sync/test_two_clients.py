"""Two clients and the world at once: hundreds of random steps against a simple model.

Articles arrive and are corrected, two clients of one person mark what they see, feeds
are dropped and joined again, and half-way somebody else joins an old feed. Whenever a
client syncs, its copy must be what the model says; nothing may be lost or doubled.
"""

import random
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.fakes import START
from tests.journeys.sync.desk import Desk
from tests.journeys.sync.replicas import (
    FeedbinReplica,
    FeverReplica,
    GoogleReplica,
    MinifluxReplica,
    NextcloudReplica,
    Replica,
)
from tests.journeys.sync.world import FRESH_UNREAD, SEEDED, Reader, World

pytestmark = pytest.mark.asyncio(loop_scope="module")

FEEDS = 4
PROTOCOLS: dict[str, type[Replica]] = {
    "nextcloud": NextcloudReplica,
    "greader": GoogleReplica,
    "fever": FeverReplica,
    "miniflux": MinifluxReplica,
    "feedbin": FeedbinReplica,
}
MARKS = ("read", "unread", "starred", "unstarred")


class Play:
    """One run: the real thing and the model, kept in step."""

    def __init__(self, desk: Desk, protocol: type[Replica], seed: int) -> None:
        self.desk = desk
        self.protocol = protocol
        self.random = random.Random(seed)
        self.world = World()
        self.clients: dict[str, list[Replica]] = {}
        self.user_ids: dict[str, int] = {}
        self.feed_ids: dict[tuple[str, str], int] = {}
        self.step = 0
        self.articles = 0

    async def move_in(self, name: str, clients: int) -> None:
        person = await self.desk.person()
        self.world.readers[name] = Reader()
        self.user_ids[name] = person.user.id
        people = [person]
        while len(people) < clients:
            people.append(await self.desk.another_password(person))
        self.clients[name] = [self.protocol(each) for each in people]

    async def join(self, name: str, feed: str) -> None:
        made = await self.desk.subscriptions.subscribe(self.user_ids[name], feed)
        self.feed_ids[name, feed] = made.id
        self.world.join(name, feed)

    async def leave(self, name: str, feed: str) -> None:
        feed_id = self.feed_ids.pop((name, feed))
        await self.desk.subscriptions.unsubscribe(self.user_ids[name], feed_id)
        self.world.leave(name, feed)

    async def publish(self, feed: str) -> None:
        count = self.random.randint(1, 4)
        made = [f"article {self.articles + n}" for n in range(count)]
        self.articles += count
        at = START + timedelta(hours=self.step)
        await self.desk.stores.deliver(feed, *made, at=at)
        self.world.publish(feed, made)

    async def correct(self, feed: str) -> None:
        if self.world.published[feed]:
            article = self.random.choice(self.world.published[feed])
            title = f"{article}, corrected {self.step}"
            await self.desk.change(feed, article, title)
            self.world.titles[article] = title

    async def mark(self, name: str, client: Replica) -> None:
        known = sorted(client.items)
        if not known:
            return
        size = 1 if self.random.random() < 0.6 else self.random.randint(2, 12)
        numbers = self.random.choices(known, k=size)
        mark = self.random.choice(MARKS)
        await client.mark(numbers, mark)
        self.world.readers[name].mark(numbers, mark)

    async def read_feed(self, name: str, client: Replica) -> None:
        reader = self.world.readers[name]
        feed = self.random.choice([None, *sorted(reader.feeds)])
        feed_id = self.feed_ids[name, feed] if feed else 0
        newest = max(client.items, default=0)
        await client.read_feed(feed_id, newest)
        up_to = newest if client.reads_what_it_has else reader.newest
        reader.mark(reader.within(feed, up_to), "read")

    async def check(self, name: str, client: Replica) -> None:
        await client.sync()
        reader = self.world.readers[name]
        expected = reader.shown()
        if not client.hears_of_changes:
            # What lost its feed and then its star is on no list they ask for.
            stray = {n for n, i in reader.items.items() if not i.feed and not i.starred}
            expected = {n: s for n, s in expected.items() if n not in stray}
            for number in stray:
                client.forget(number)
        assert client.items == expected, f"step {self.step}"
        if client.hears_of_changes:
            titles = {n: self.world.titles[i.article] for n, i in reader.items.items()}
            assert client.titles == titles, f"step {self.step}"

    async def take_step(self) -> None:
        """Do one random thing."""
        name = self.random.choice(sorted(self.clients))
        client = self.random.choice(self.clients[name])
        feed = self.random.choice(sorted(self.world.published))
        reader = self.world.readers[name]
        is_read = any(feed in r.feeds for r in self.world.readers.values())
        dice = self.random.random()
        if dice < 0.55:
            await self.mark(name, client)
        elif dice < 0.75:
            await self.check(name, client)
        elif dice < 0.93 and not is_read:
            # Nobody fetches it.
            return
        elif dice < 0.88:
            await self.publish(feed)
        elif dice < 0.93:
            await self.correct(feed)
        elif dice < 0.96:
            await self.read_feed(name, client)
        elif feed not in reader.feeds:
            await self.join(name, feed)
        elif len(reader.feeds) > 1:
            await self.leave(name, feed)


async def join_an_old_feed(play: Play) -> None:
    """Let somebody new read the busiest feed: their client gets what there is."""
    published = play.world.published
    busiest = max(published, key=lambda feed: len(published[feed]))
    await play.move_in("bob", clients=1)
    await play.join("bob", busiest)
    client = play.clients["bob"][0]
    await play.check("bob", client)
    assert 10 < len(client.items) == min(SEEDED, len(published[busiest]))
    assert sum(unread for unread, _ in client.items.values()) == FRESH_UNREAD


@pytest.mark.threat("C9")
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_no_change_is_lost_between_two_clients(
    desk: Desk, protocol: str, scaled: Callable[[int, int], int]
):
    steps = scaled(600, 1_000)
    play = Play(desk, PROTOCOLS[protocol], seed=7)
    await play.move_in("ada", clients=2)
    feeds = [desk.new_url() for _ in range(FEEDS)]
    for feed in feeds:
        play.world.published[feed] = []
        await play.join("ada", feed)

    for play.step in range(steps):
        if play.step == steps // 2:
            await join_an_old_feed(play)
        await play.take_step()

    for name, clients in play.clients.items():
        for client in clients:
            await play.check(name, client)
    assert play.articles > steps / 5
