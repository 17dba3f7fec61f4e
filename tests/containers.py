"""A container on a fresh database, without a server: what ingest journeys run in."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from feedloom.app import Container, open_container
from feedloom.config import Settings
from feedloom.flow.metrics import PassStats
from feedloom.model.reader import Article, Order, Subscription, User, Wanted
from feedloom.store import ReadingStore, SubscriptionStore
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from tests.databases import Databases


def settings_for(databases: Databases, folder: Path, **changes: object) -> Settings:
    """Settings for a test: loopback may be fetched, nobody has to wait."""
    settings = Settings(
        data_dir=str(folder),
        database_url=databases.web_url,
        worker_database_url=databases.worker_url,
        allow_networks="127.0.0.0/8",
        host_delay=0.0,
    )
    return replace(settings, **changes)  # type: ignore[arg-type]  # names are the test's


Place = tuple[str, str]
"""A feed's address, and the host it counts for."""


class Home:
    """A house with one person in it."""

    def __init__(self, container: Container, person: User) -> None:
        self.container = container
        self.person = person
        self.subscriptions = SubscriptionStore(container.web)
        self.reading = ReadingStore(container.web)

    async def subscribe(self, url: str) -> Subscription:
        """Subscribe the person to exactly this address."""
        added = await self.container.subscribing().add(self.person, url, exact=True)
        assert added.subscription is not None
        return added.subscription

    async def subscribe_to_all(self, places: Sequence[Place]) -> None:
        """Subscribe the person to many feeds at once, due now in this order."""
        await self.container.work.write(WORKER, _subscribed, self.person.id, places)

    async def refresh(self) -> PassStats:
        """Refresh everything, due or not, and wait for it."""
        await self.container.operations().make_due(None, everything=True)
        return await self.refresh_due()

    async def refresh_due(self) -> PassStats:
        """Refresh what is due and wait for it."""
        worker = self.container.worker()
        await worker.feed_loop().drain()
        return worker.stats

    async def retry(self, subscription: Subscription) -> PassStats:
        """Do what a person's Retry does, and wait for it."""
        await self.subscriptions.refresh(self.person.id, subscription.id)
        return await self.refresh_due()

    async def look(self, subscription: Subscription) -> Subscription:
        """Read a subscription again."""
        return await self.subscriptions.subscription(self.person.id, subscription.id)

    async def articles(self) -> tuple[Article, ...]:
        """All of the person's articles in order of arrival."""
        wanted = Wanted(order=Order.ITEM_ASC, limit=10_000, with_content=True)
        return (await self.reading.articles(self.person.id, wanted)).articles


@asynccontextmanager
async def open_home(settings: Settings) -> AsyncIterator[Home]:
    """Open a house and register its person."""
    async with open_container(settings) as container:
        found = await container.accounts.store.by_email("ada@example.org")
        person = found[0] if found else None
        if person is None:
            person = await container.accounts.store.create("ada@example.org", "no password")
        yield Home(container, person)


def _subscribed(user_id: int, places: Sequence[Place]) -> Script[None]:
    rows = yield sql("SELECT now_us() AS now, coalesce(max(id), 0) AS last FROM feeds")
    now, last = rows[0]["now"], rows[0]["last"]
    root = (yield sql("SELECT id FROM folders WHERE user_id = :u", u=user_id))[0]["id"]
    numbered = list(enumerate(places, last + 1))
    yield Insert(
        "feeds",
        ("id", "url", "url_key", "host_key", "created_at", "updated_at"),
        [(n, url, url, host, now, now) for n, (url, host) in numbered],
    )
    yield Insert(
        "feed_schedules",
        ("feed_id", "host_key", "next_run_at", "due_at"),
        [(n, host, now + n, now + n) for n, (_, host) in numbered],
    )
    yield Insert(
        "subscriptions",
        ("user_id", "feed_id", "folder_id", "added_at"),
        [(user_id, n, root, now) for n, _ in numbered],
    )
