"""An operator's desk: a served house, a publisher, and short ways to proxy its feeds."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import quote

from feedloom.app import Container
from feedloom.flow.distill.proxies import Proxies
from feedloom.model.distilled.proxies import NewProxy, Proxy
from feedloom.model.reader import Wanted
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from tests.factories_feeds import FeedEntry, entry
from tests.publisher import Publisher
from tests.serving import Reply, Server, Visitor

T = TypeVar("T")
ACTOR = "test"


def rss_path(url: str) -> str:
    """Say where the document of a feed is."""
    return f"/rss?url={quote(url, safe='')}"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who reads a feed."""

    user_id: int
    subscription_id: int


@dataclass(slots=True)
class Desk:
    """What a test needs to work on proxied feeds."""

    server: Server
    publisher: Publisher
    visitor: Visitor = field(init=False)

    def __post_init__(self) -> None:
        self.visitor = self.server.visitor()

    def entry(self, number: int, *, host: str = "127.0.0.1", **said: object) -> FeedEntry:
        """An entry whose page is the publisher's own."""
        link = self.publisher.url(f"/articles/{number}", host)
        return entry(number, **({"link": link} | said))

    def feed(self, numbers: Sequence[int] = (3, 2, 1), path: str = "/news.xml") -> str:
        """Place a feed with such entries."""
        return self.publisher.feed(path, entries=[self.entry(n) for n in numbers])

    async def do(self, work: Callable[[Proxies], Awaitable[T]]) -> T:
        """Do something as an operator."""
        return await self.server.call(lambda container: work(container.proxies(container.web)))

    async def add(self, url: str, **wanted: object) -> Proxy:
        """Add an enabled proxy."""
        new = NewProxy(url, **({"enabled": True} | wanted))  # type: ignore[arg-type] # the test's own names
        return await self.do(lambda proxies: proxies.add(new, actor=ACTOR))

    async def sync(self, url: str) -> Proxy:
        """Say that a feed runs now."""
        return await self.do(lambda proxies: proxies.store.sync(url, actor=ACTOR))

    async def subscribe(self, url: str) -> Person:
        """Let somebody new read a feed, at exactly this address."""
        email = f"{uuid.uuid4().hex}@example.org"

        async def make(container: Container) -> Person:
            user = await container.accounts.store.create(email, "no password")
            made = await container.subscribing().add(user, url, exact=True)
            assert made.subscription is not None
            return Person(user.id, made.subscription.id)

        return await self.server.call(make)

    async def articles(self, person: Person) -> list[str]:
        """List the titles somebody has."""

        async def read(container: Container) -> list[str]:
            page = await container.services().reading.articles(person.user_id, Wanted(limit=1000))
            return [article.title for article in page.articles]

        return await self.server.call(read)

    async def look(self, url: str) -> Proxy:
        """Read a proxy again."""
        return await self.do(lambda proxies: proxies.store.proxy(url))

    async def run(self) -> int:
        """Let a worker do what is due; answer how many feeds it took."""

        async def drain(container: Container) -> int:
            return await container.worker().feed_loop().drain()

        return await self.server.call(drain)

    async def built(self, url: str, **wanted: object) -> Proxy:
        """Add a proxy and let it be built."""
        await self.add(url, **wanted)
        await self.sync(url)
        await self.run()
        return await self.look(url)

    async def rss(
        self, url: str, query: str = "", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Ask for a feed's document in its plain form, past what memory holds."""
        said = {"Accept-Encoding": "identity"} | dict(headers or {})
        return await self.visitor.get(
            f"{rss_path(url)}{query}&unique={uuid.uuid4().hex}", headers=said
        )

    async def rows(self, text: str, **params: object) -> list[Row]:
        """Read rows as the worker sees them."""

        def steps() -> Script[list[Row]]:
            return list((yield sql(text, **params)))

        return await self.server.call(lambda container: container.work.read(WORKER, steps))

    async def execute(self, text: str, **params: object) -> None:
        """Change rows as the worker may."""

        def steps() -> Script[None]:
            yield sql(text, **params)

        await self.server.call(lambda container: container.work.write(WORKER, steps))

    async def schedule(self, url: str) -> Row:
        """Read a feed's row in the queue."""
        proxy = await self.look(url)
        [row] = await self.rows(
            "SELECT * FROM feed_schedules WHERE feed_id = :id", id=proxy.feed_id
        )
        return row

    async def schedule_of(self, feed_id: int) -> Row:
        """Read a feed's row in the queue by its id."""
        [row] = await self.rows("SELECT * FROM feed_schedules WHERE feed_id = :id", id=feed_id)
        return row
