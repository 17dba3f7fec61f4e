"""All stores of one database, and short ways to fill it."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from feedloom.model.feed import CleanHTML, Format, ParsedEntry, ParsedFeed
from feedloom.model.reader import User
from feedloom.model.stages import (
    FeedState,
    FeedToRefresh,
    FetchStatus,
    NewArticle,
    Outcome,
    Refreshed,
    Stored,
    Verdict,
)
from feedloom.model.urls import guid_hash, url_hash
from feedloom.model.work import Politeness, QueueDepth
from feedloom.store import (
    AccountStore,
    CleanupStore,
    Database,
    FeedQueue,
    FolderStore,
    Keys,
    OperationsStore,
    ReadingStore,
    RefreshStore,
    SubscriptionStore,
    TaskQueue,
)
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from feedloom.store.queues.leases import LeaseTable, depth
from tests.fakes import START

KEYS = Keys(lambda: [b"k" * 32])


class Stores:
    """One of each, as the web (``front``) and the worker (``work``) have them."""

    def __init__(self, front: Database, work: Database) -> None:
        self.front = front
        self.work = work
        self.accounts = AccountStore(front)
        self.folders = FolderStore(front)
        self.subscriptions = SubscriptionStore(front)
        self.reading = ReadingStore(front)
        self.refreshes = RefreshStore(work)
        self.cleanup = CleanupStore(work)
        self.operations = OperationsStore(work)
        self.tasks = TaskQueue(work, lease_s=60, worker="test")
        self.queue = self.make_queue()

    def make_queue(
        self, *, lease_s: float = 60, delay_s: float = 0.0, at_once: int = 1000
    ) -> FeedQueue:
        """Make a feed queue with a politeness of one's own."""
        politeness = Politeness(delay_s=delay_s, at_once=at_once)
        return FeedQueue(self.work, lease_s=lease_s, politeness=politeness, worker="test")

    async def depth(self, table: LeaseTable) -> QueueDepth:
        return await self.work.read(WORKER, depth, table)

    async def person(self, email: str = "ada@example.org") -> User:
        """Add a person."""
        return await self.accounts.create(email, "hash")

    async def rows(self, text: str, **params: object) -> list[Row]:
        """Read rows as the worker sees them."""

        def steps() -> Script[list[Row]]:
            return list((yield sql(text, **params)))

        return await self.work.read(WORKER, steps)

    async def execute(self, text: str, **params: object) -> None:
        """Change rows as the worker may."""

        def steps() -> Script[None]:
            yield sql(text, **params)

        await self.work.write(WORKER, steps)

    async def deliver(
        self, url: str, *titles: str, at: datetime = START, listed: tuple[str, ...] = ()
    ) -> Stored:
        """Let a feed publish articles with these titles, the last one the newest."""
        feed = await self.claim(url)
        articles = tuple(
            article(title, published_at=at - timedelta(minutes=len(titles) - place))
            for place, title in enumerate(titles)
        )
        return await self.refreshes.store(refreshed(feed, articles, at=at, listed=listed))

    async def claim(self, url: str) -> FeedToRefresh:
        """Make a feed due and claim it alone."""
        await self.operations.make_due(url, everything=False)
        claimed = await self.queue.claim(1000)
        others = [feed for feed in claimed if feed.url != url]
        if others:
            await self.queue.release(others)
        return next(feed for feed in claimed if feed.url == url)


def article(title: str, *, guid: str = "", published_at: datetime = START) -> NewArticle:
    """Make an article whose parts all follow from its title."""
    guid = guid or f"guid:{title}"
    url = f"https://site.example/{title}"
    return NewArticle(
        guid=guid,
        guid_hash=guid_hash(guid),
        url=url,
        url_hash=url_hash(url),
        title=title,
        author="Ada",
        content=CleanHTML(f"<p>{title}</p>"),
        summary=title,
        published_at=published_at,
        updated_at=None,
        enclosures=(),
        thumbnail_url=None,
        categories=(),
        language="en",
        rtl=False,
        content_hash=f"hash:{title}",
        fingerprint=f"print:{title}",
        cluster_key=f"cluster:{title}",
    )


def refreshed(
    feed: FeedToRefresh,
    articles: tuple[NewArticle, ...],
    *,
    at: datetime = START,
    listed: tuple[str, ...] = (),
) -> Refreshed:
    """Make a successful refresh that lists these articles (and more GUIDs)."""
    entries = tuple(
        ParsedEntry(a.guid, a.url, a.title, published_at=a.published_at) for a in reversed(articles)
    )
    parsed = ParsedFeed(Format.RSS, "A feed", entries, (*(a.guid for a in articles), *listed))
    verdict = Verdict(
        state=FeedState.HEALTHY,
        status=FetchStatus.SUCCESS,
        next_run_at=at + timedelta(hours=1),
        reason={"rule": "interval", "at": at.isoformat(), "interval_s": 3600},
        consecutive_failures=0,
        failing_since=None,
    )
    return Refreshed(
        feed=feed,
        outcome=Outcome.NEW,
        at=at,
        http_status=200,
        parsed=parsed,
        articles=articles,
        body_hash="body",
        verdict=verdict,
    )


def failed(feed: FeedToRefresh, *, at: datetime = START, failures: int = 1) -> Refreshed:
    """Make a failed refresh."""
    verdict = Verdict(
        state=FeedState.DEGRADED,
        status=FetchStatus.TEMPORARY_ERROR,
        next_run_at=at + timedelta(minutes=5),
        reason={"rule": "backoff", "at": at.isoformat(), "interval_s": 300},
        consecutive_failures=failures,
        failing_since=at,
    )
    return replace(
        refreshed(feed, (), at=at),
        outcome=Outcome.TEMPORARY,
        parsed=None,
        http_status=None,
        message="The server could not be reached.",
        verdict=verdict,
    )
