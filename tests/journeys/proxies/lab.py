"""A container without a server, a publisher and a language-model service beside it.

The engine is made anew for each test, so that no breaker remembers another's faults.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from feedloom.app import Container
from feedloom.distill import AISettings, AIType, Breaker, build_engine
from feedloom.factories import ledger
from feedloom.flow.worker.worker import Worker
from feedloom.model.distilled.proxies import NewProxy, Proxy
from feedloom.model.reader import User
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from tests.factories_feeds import FeedEntry, entry
from tests.model_api import ModelAPI
from tests.publisher import Publisher
from tests.unit.distill.doubles import KEY, VALID_ANALYSIS, Naps

ACTOR = "test"
PER_MILLION = 1.0


@dataclass(slots=True)
class Lab:
    """What a test of deframing works with."""

    container: Container
    publisher: Publisher
    api: ModelAPI
    path: str = "/news.xml"

    @classmethod
    async def open(cls, container: Container, publisher: Publisher, api: ModelAPI) -> "Lab":
        """Start with an empty ledger, no calls and an address nobody has used."""
        lab = cls(container, publisher, api, f"/{uuid.uuid4().hex}.xml")
        api.calls.clear()
        await lab.execute("DELETE FROM ai_calls")
        lab.use_model()
        return lab

    @property
    def url(self) -> str:
        return self.publisher.url(self.path)

    def use_model(
        self,
        *,
        model: str = "m",
        call_s: float = 0.3,
        budget: float = 1_000.0,
        prompts_dir: Path | None = None,
    ) -> None:
        """Let this model do the analyses from now on."""
        settings = AISettings(
            type=AIType.COMPATIBLE,
            key=KEY,
            base_url=self.api.base_url,
            model=model,
            call_s=call_s,
            dollars_per_million_in=PER_MILLION,
            dollars_per_million_out=PER_MILLION,
            prompts_dir=prompts_dir,
        )
        spend = ledger(
            replace(self.container.settings, ai_daily_budget=budget), self.container.work
        )
        engine = build_engine(
            settings, self.container.fetcher, spend, breaker=Breaker(), sleep=Naps()
        )
        self.container = replace(self.container, engine=engine)

    def entry(self, number: int, **said: object) -> FeedEntry:
        """An entry of this feed alone, without a page.

        It holds the words of the titles that models give it here: a title that shares
        nothing with its article is refused.
        """
        link = self.publisher.url(f"{self.path}/{number}")
        text = f"<p>This is what entry {number} says. {CALM_WORDS}</p>"
        return entry(number, **({"link": link, "content": text} | said))

    def publish(self, numbers: Sequence[int] = (1,)) -> str:
        """Place the feed with such entries."""
        return self.publisher.feed(self.path, entries=[self.entry(n) for n in numbers])

    async def add(self, **wanted: object) -> Proxy:
        """Add the feed's proxy, enabled."""
        new = NewProxy(self.url, **({"enabled": True} | wanted))  # type: ignore[arg-type] # the test's own names
        return await self.container.proxies(self.container.web).add(new, actor=ACTOR)

    async def sync(self) -> None:
        """Say that the feed runs now."""
        await self.container.proxies(self.container.web).store.sync(self.url, actor=ACTOR)

    async def due(self) -> None:
        """Let time pass until the feed, and what failed in it, may be tried again."""
        feed_id = (await self.proxy()).feed_id
        await self.execute(
            "UPDATE analysis_attempts SET next_try_at = 1 WHERE next_try_at IS NOT NULL"
            " AND article_id IN (SELECT id FROM articles WHERE feed_id = :id)",
            id=feed_id,
        )
        await self.execute(
            "UPDATE feed_schedules SET next_run_at = now_us(), due_at = now_us()"
            " WHERE feed_id = :id",
            id=feed_id,
        )

    def worker(self) -> Worker:
        """Make a worker."""
        return self.container.worker()

    async def run(self) -> int:
        """Let a worker do what is due."""
        return await self.worker().feed_loop().drain()

    async def proxy(self) -> Proxy:
        """Read the proxy again."""
        return await self.container.proxies(self.container.web).store.proxy(self.url)

    async def document(self) -> str:
        """Read what is served."""
        proxied = self.container.services().proxied
        standing = await proxied.standing(self.url)
        _, built = await proxied.document(standing.feed_id, None)
        return built.xml_content.decode()

    async def subscribe(self) -> User:
        """Let somebody new read the feed."""
        user = await self.container.accounts.store.create(
            f"{uuid.uuid4().hex}@example.org", "no password"
        )
        await self.container.subscribing().add(user, self.url, exact=True)
        return user

    async def rows(self, text: str, **params: object) -> list[Row]:
        """Read rows as the worker sees them."""

        def steps() -> Script[list[Row]]:
            return list((yield sql(text, **params)))

        return await self.container.work.read(WORKER, steps)

    async def execute(self, text: str, **params: object) -> None:
        """Change rows as the worker may."""

        def steps() -> Script[None]:
            yield sql(text, **params)

        await self.container.work.write(WORKER, steps)

    async def analyses(self) -> list[Row]:
        """Read the feed's analyses, oldest article first."""
        return await self.rows(
            "SELECT x.*, a.title FROM analyses x JOIN articles a ON a.id = x.article_id"
            " JOIN feeds f ON f.id = a.feed_id WHERE f.url = :url ORDER BY a.title",
            url=self.url,
        )

    async def attempts(self) -> list[Row]:
        """Read what is noted of failed analyses."""
        return await self.rows(
            "SELECT t.*, a.title FROM analysis_attempts t"
            " JOIN articles a ON a.id = t.article_id"
            " JOIN feeds f ON f.id = a.feed_id WHERE f.url = :url ORDER BY a.title",
            url=self.url,
        )

    async def schedule(self) -> Row:
        """Read the feed's row in the queue."""
        [row] = await self.rows(
            "SELECT s.* FROM feed_schedules s JOIN feeds f ON f.id = s.feed_id WHERE f.url = :url",
            url=self.url,
        )
        return row


CALM_WORDS = (
    f"{VALID_ANALYSIS['title_corrected']}. Calm, late or in time, by the first or by the second."
)


def corrected(title: str, **more: object) -> dict[str, object]:
    """Make a valid answer with a title of one's own."""
    return VALID_ANALYSIS | {"title_corrected": title} | more
