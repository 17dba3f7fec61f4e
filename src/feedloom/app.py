"""Builds the house: the only place that knows all rooms.

Settings go in; open databases, a fetcher, stores, a worker and the web application come
out, and are closed in the opposite order.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from argon2 import PasswordHasher

from feedloom import __version__
from feedloom.config import Settings
from feedloom.distill import Engine, build_engine
from feedloom.fetch import HTTPFetcher
from feedloom.flow.distilling.deframing import Deframer
from feedloom.flow.distilling.digest import Digests
from feedloom.flow.distilling.proxied import Proxied
from feedloom.flow.distilling.proxying import Proxies
from feedloom.flow.finding.directory import Directory
from feedloom.flow.finding.discovery import Discoverer
from feedloom.flow.finding.favicons import Favicons
from feedloom.flow.finding.hubs import Hubs
from feedloom.flow.finding.revival import Reviver
from feedloom.flow.finding.subscribing import Subscribing
from feedloom.flow.identity.accounts import Accounts
from feedloom.flow.identity.oidc import OpenIDProvider
from feedloom.flow.identity.registration import Registration
from feedloom.flow.reading.bookmark_files import BookmarkFiles
from feedloom.flow.reading.bookmarks import Enriching
from feedloom.flow.reading.exporting import Exporting
from feedloom.flow.reading.full_texts import FullTextReading, FullTexts
from feedloom.flow.reading.importing import Importing
from feedloom.flow.reading.rules import Rules
from feedloom.flow.refreshing.pruning import Pruner
from feedloom.flow.refreshing.refresh import Refresher
from feedloom.flow.refreshing.understanding import Understanding
from feedloom.flow.working.alerts import Alerts
from feedloom.flow.working.housekeeping import Housekeeper
from feedloom.flow.working.indexing import Indexer
from feedloom.flow.working.politely import PoliteFetcher
from feedloom.flow.working.worker import Handler, Worker
from feedloom.furnishing import (
    ai_settings,
    database_urls,
    discreetly,
    feed_slots,
    ledger,
    make_extractor,
    make_fetcher,
    politely,
    secret_key,
    trusted_proxies,
    worker_name,
)
from feedloom.model.distilled.distilling import Extractor
from feedloom.model.errors import ConfigError, SchemaTooNew, StoreError
from feedloom.model.work import Politeness, TaskKind
from feedloom.parse import FeedParser, read_opml
from feedloom.publish import view_feed
from feedloom.store import (
    AccountStore,
    BookmarkStore,
    CleanupStore,
    Database,
    DeframingStore,
    DirectoryStore,
    FeedQueue,
    FolderStore,
    FullTextStore,
    HubStore,
    IconStore,
    IndexStore,
    OperationsStore,
    OversightStore,
    OverviewStore,
    ProxyReader,
    ProxyStore,
    ReadingStore,
    RefreshStore,
    RevivalStore,
    RuleStore,
    SiteStore,
    SubscriptionStore,
    SummaryStore,
    SyncStore,
    TaskQueue,
    TenantStore,
    ViewTokenStore,
    open_database,
    require_current,
    upgrade,
)

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from feedloom.serve import Services

log = structlog.get_logger()

_SEARCH_LEASE_S = 60.0
_SCHEMA_WAIT_S = 60


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this is the Clock


@dataclass(frozen=True, slots=True)
class House:
    """Everything that is open."""

    settings: Settings
    clock: SystemClock
    web: Database
    work: Database
    fetcher: HTTPFetcher
    parser: FeedParser
    understanding: Understanding
    accounts: Accounts
    engine: Engine
    extractor: Extractor

    def services(self) -> "Services":
        """Hand the doors what they need."""
        from feedloom.serve import Services  # noqa: PLC0415 - commands need no doors

        return Services(
            clock=self.clock,
            accounts=self.accounts,
            folders=FolderStore(self.web),
            subscriptions=SubscriptionStore(self.web),
            reading=ReadingStore(self.web),
            bookmarks=BookmarkStore(self.web),
            bookmark_files=BookmarkFiles(BookmarkStore(self.web)),
            digests=self.digests(self.web),
            full_texts=FullTexts(self.tasks(self.web)),
            rules=self.rules(self.web),
            importing=self.importing(self.web),
            exporting=self.exporting(),
            overviews=OverviewStore(self.web),
            oversight=OversightStore(self.web),
            syncing=SyncStore(self.web),
            view_tokens=ViewTokenStore(self.web),
            write_view=view_feed,
            icons=IconStore(self.web),
            tasks=self.tasks(self.web),
            subscribing=self.subscribing(),
            proxies=self.proxies(self.web),
            proxied=Proxied(ProxyReader(self.web)),
            spending=ledger(self.settings, self.web),
            hubs=self.hubs(self.web),
            proxy_token=self.settings.proxy_token,
            directory=self.directory(self.web),
            provider=self.provider(),
            base_url=self.settings.base_url,
            registration=Registration(
                self.accounts,
                self.settings.registration,
                self.settings.registration_code,
            ),
            secret_key=secret_key(self.settings),
            trusted_proxies=trusted_proxies(self.settings),
        )

    def application(self) -> "Starlette":
        """Build the web application."""
        from feedloom.serve import build_application  # noqa: PLC0415 - as above

        return build_application(self.services())

    def provider(self) -> OpenIDProvider | None:
        """Make what signs people in through an outside provider, if there is one."""
        settings = self.settings
        if not settings.oidc_issuer:
            return None
        if not settings.oidc_client_id or not settings.base_url:
            raise ConfigError(
                "FEEDLOOM_OIDC_ISSUER also needs FEEDLOOM_OIDC_CLIENT_ID and"
                " FEEDLOOM_BASE_URL."
            )
        return OpenIDProvider(
            self.fetcher,
            self.clock,
            settings.oidc_issuer,
            settings.oidc_client_id,
            settings.oidc_client_secret,
            settings.oidc_name,
        )

    def subscribing(self) -> Subscribing:
        """Make what adds feeds for people."""
        return Subscribing(
            SubscriptionStore(self.web),
            AccountStore(self.web),
            self.discoverer(self.web),
        )

    def discoverer(self, database: Database) -> Discoverer:
        """Make what finds feeds; on the web's database or the workers'."""
        # A search lasts half a minute: should this process end, others wait no longer.
        tasks = TaskQueue(database, lease_s=_SEARCH_LEASE_S, worker=worker_name())
        return Discoverer(
            self.politely(database),
            self.parser,
            self.clock,
            SiteStore(database),
            tasks,
            self.settings.rsshub_url,
        )

    def folders(self) -> FolderStore:
        """Make what keeps people's folders."""
        return FolderStore(self.web)

    def tasks(self, database: Database) -> TaskQueue:
        """Make a task queue on a database."""
        return TaskQueue(
            database, lease_s=self.settings.lease_seconds, worker=worker_name()
        )

    def worker(self) -> Worker:
        """Build a worker."""
        settings = self.settings
        feeds = FeedQueue(
            self.work,
            lease_s=settings.lease_seconds,
            politeness=Politeness(delay_s=settings.host_delay),
            worker=worker_name(),
        )
        refresher = Refresher(
            self.fetcher, RefreshStore(self.work), self.understanding, self.clock
        )
        return Worker(
            feeds=feeds,
            tasks=self.tasks(self.work),
            refresher=refresher,
            deframer=self.deframer(),
            handlers=self._handlers(),
            clock=self.clock,
            feed_slots=feed_slots(settings),
            lease_s=settings.lease_seconds,
            after_refresh=(
                self.full_text_reading().after_refresh,
                Pruner(CleanupStore(self.work)).after_refresh,
            ),
            forgive=self.operations().forgive,
        )

    def proxies(self, database: Database) -> Proxies:
        """Make what operators handle proxies with; on either database."""
        return Proxies(ProxyStore(database), self.engine.prompt_keys)

    def deframer(self) -> Deframer:
        """Make what takes the slant out of proxied feeds."""
        settings = self.settings
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        return Deframer(
            DeframingStore(self.work),
            self.extractor,
            self.engine.analyzer,
            self.clock,
            settings.base_url or f"http://{host}:{settings.port}",
        )

    def _handlers(self) -> dict[str, Handler]:
        work = self.work
        discoverer = self.discoverer(work)
        fetcher = self.politely(work)
        subscribing = Subscribing(
            SubscriptionStore(work), AccountStore(work), discoverer
        )
        reviver = Reviver(
            fetcher, self.parser, self.clock, RevivalStore(work), discoverer
        )
        return {
            TaskKind.DISCOVER: subscribing.run,
            TaskKind.REVIVE: reviver.run,
            TaskKind.FAVICON: Favicons(fetcher, IconStore(work)).run,
            TaskKind.WEBSUB: self.hubs(work).run,
            TaskKind.TOPIC: self.directory(work).run,
            TaskKind.APPLY_RULES: self.rules(work).run,
            TaskKind.IMPORT: self.importing(work).run,
            TaskKind.ENRICH: self.enriching().run,
            TaskKind.SUMMARISE: self.digests(work).run,
            TaskKind.FULL_TEXT: self.full_text_reading().run,
        }

    def enriching(self) -> Enriching:
        """Make what reads the pages of bookmarks."""
        return Enriching(
            BookmarkStore(self.work), self.extractor, discreetly(self.work, self.engine)
        )

    def full_text_reading(self) -> FullTextReading:
        """Make what reads the pages of articles."""
        return FullTextReading(
            FullTextStore(self.work), self.extractor, self.tasks(self.work)
        )

    def digests(self, database: Database) -> Digests:
        """Make what writes digests; on the web's database or the workers'."""
        return Digests(
            store=SummaryStore(database),
            reading=ReadingStore(database),
            accounts=AccountStore(database),
            digester=discreetly(database, self.engine),
            clock=self.clock,
            has_model=self.engine.has_model,
        )

    def rules(self, database: Database) -> Rules:
        """Make what filters articles; on the web's database or the workers'."""
        return Rules(RuleStore(database), ReadingStore(database), self.tasks(database))

    def importing(self, database: Database) -> Importing:
        """Make what brings lists of feeds in; on either database."""
        return Importing(
            subscriptions=SubscriptionStore(database),
            folders=FolderStore(database),
            tasks=self.tasks(database),
            read=read_opml,
        )

    def exporting(self) -> Exporting:
        """Make what writes people's data for taking away."""
        return Exporting(
            clock=self.clock,
            version=__version__,
            subscriptions=SubscriptionStore(self.web),
            folders=FolderStore(self.web),
            reading=ReadingStore(self.web),
            bookmarks=BookmarkStore(self.web),
            rules=RuleStore(self.web),
            summaries=SummaryStore(self.web),
        )

    def hubs(self, database: Database) -> Hubs:
        """Make what talks with WebSub hubs; on the web's database or the workers'."""
        return Hubs(
            self.politely(database),
            HubStore(database),
            self.tasks(database),
            self.settings.base_url,
        )

    def politely(self, database: Database) -> PoliteFetcher:
        """Make the way out for everything that is no feed refresh."""
        return politely(self.settings, self.fetcher, database)

    def directory(self, database: Database) -> Directory:
        """Make the directory; on the web's database or the workers'."""
        return Directory(
            DirectoryStore(database),
            self.clock,
            self.engine.topics,
            confidence=self.settings.topic_confidence,
        )

    def indexer(self) -> Indexer:
        """Make what keeps the search indexes up to date."""
        return Indexer(IndexStore(self.work))

    def tenants(self) -> TenantStore:
        """Make what manages tenants."""
        return TenantStore(self.work)

    def operations(self) -> OperationsStore:
        """Make what operators and commands use."""
        return OperationsStore(self.work)

    async def keep_working(self, stop: asyncio.Event) -> None:
        """Refresh feeds, run tasks and keep house until told to stop."""
        worker = self.worker()
        housekeeper = Housekeeper(
            self.operations(),
            CleanupStore(self.work),
            self.clock,
            worker_name(),
            worker.stats,
            timedelta(minutes=self.settings.update_every),
            chores=(self.hubs(self.work).renew,),
            errands=(self.digests(self.work).queue_due,),
        )
        loops = (
            worker.feed_loop(),
            worker.task_loop(for_people=True),
            worker.task_loop(for_people=False),
        )

        def wake() -> None:
            for loop in loops:
                loop.wake.set()

        stop_listening = await self.work.nudges(wake)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(housekeeper.run(stop))
                group.create_task(self.indexer().run(stop))
                for loop in loops:
                    group.create_task(loop.run(stop))
        finally:
            if not stop.is_set():
                log.critical("worker_stopped", why="The worker ended by itself.")
            await stop_listening()


@asynccontextmanager
async def open_house(
    settings: Settings,
    *,
    migrate: bool = True,
    web_only: bool = False,
    hasher: PasswordHasher | None = None,
) -> AsyncIterator[House]:
    """Open everything, bring the schema up to date, close it in the end.

    ``web_only`` on PostgreSQL knows the web's role alone, which may not change the
    schema: it waits for a worker to do that.
    """
    web_url, worker_url = database_urls(settings)
    web_only = web_only and web_url.kind == "postgresql"
    if migrate and not web_only:
        await upgrade(web_url, worker_url)
    async with AsyncExitStack() as stack:
        if web_only:
            work = web = await open_database(web_url, worker=False)
            stack.push_async_callback(work.close)
            await _wait_for_schema(work)
        else:
            work = web = await open_database(worker_url, worker=True)
            stack.push_async_callback(work.close)
            if worker_url.kind == "postgresql":
                web = await open_database(web_url, worker=False)
                stack.push_async_callback(web.close)
            await require_current(work)
        fetcher = make_fetcher(settings)
        stack.push_async_callback(fetcher.close)
        parser = FeedParser()
        stack.callback(parser.close)
        understanding = Understanding(parser, FeedParser)
        stack.push_async_callback(understanding.close)
        clock = SystemClock()
        if settings.alert_url:
            alerts = Alerts(fetcher, settings.alert_url, clock, worker_name())
            await stack.enter_async_context(alerts.listening())
        accounts = Accounts(AccountStore(web), clock, hasher)
        engine = build_engine(ai_settings(settings), fetcher, ledger(settings, work))
        extractor = make_extractor(settings, politely(settings, fetcher, work))
        stack.push_async_callback(extractor.close)
        yield House(
            settings=settings,
            clock=clock,
            web=web,
            work=work,
            fetcher=fetcher,
            parser=parser,
            understanding=understanding,
            accounts=accounts,
            engine=engine,
            extractor=extractor,
        )


async def _wait_for_schema(database: Database) -> None:
    """Give a worker that starts beside us time to bring the schema up to date."""
    for _ in range(_SCHEMA_WAIT_S):
        try:
            await require_current(database)
        except SchemaTooNew:
            raise
        except StoreError:
            await asyncio.sleep(1)
        else:
            return
    await require_current(database)
