"""Build and wire everything: the only module that imports all packages.

Settings go in; open databases, a fetcher, stores, a worker and the web application come
out, and are closed in the opposite order.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import structlog
from argon2 import PasswordHasher

from feedloom import __version__
from feedloom.config import Settings
from feedloom.distill import (
    Engine,
    OfflineWording,
    StoryGrouper,
    build_engine,
    judge_headline,
    offline_engine,
)
from feedloom.factories import (
    ai_settings,
    database_urls,
    encryption_keys,
    feed_connections,
    ledger,
    make_embedder,
    make_extractor,
    make_fetcher,
    make_image_cache,
    make_mailer,
    make_model_opt_out,
    rate_limited,
    secret_key,
    trusted_proxies,
    worker_name,
)
from feedloom.fetch import HTTPFetcher
from feedloom.flow.discovery.directory import Directory
from feedloom.flow.discovery.https import HTTPSCheck
from feedloom.flow.discovery.pack_subscriptions import Packs
from feedloom.flow.discovery.revival import Reviver
from feedloom.flow.discovery.search import Discoverer, SearchLimit
from feedloom.flow.distill.calm_titles import CalmTitles
from feedloom.flow.distill.deframing import Deframer
from feedloom.flow.distill.digest import Digests
from feedloom.flow.distill.mail import DigestMails
from feedloom.flow.distill.proxied_feeds import Proxied
from feedloom.flow.distill.proxies import Proxies
from feedloom.flow.distill.vectors import Embedding, Likeness
from feedloom.flow.favicons import Favicons
from feedloom.flow.hubs import Hubs
from feedloom.flow.identity.accounts import Accounts
from feedloom.flow.identity.oidc import OpenIDProvider
from feedloom.flow.identity.registration import Registration
from feedloom.flow.image_proxy import ImageProxy
from feedloom.flow.reader.bookmark_files import BookmarkFiles
from feedloom.flow.reader.bookmarks import Enriching
from feedloom.flow.reader.changes import Changes
from feedloom.flow.reader.chapters import Chapters
from feedloom.flow.reader.exports import Exporting
from feedloom.flow.reader.for_you import ForYou
from feedloom.flow.reader.full_texts import FullTextReading, FullTexts
from feedloom.flow.reader.imports import Importing
from feedloom.flow.reader.rules import Rules
from feedloom.flow.reader.stories import Stories
from feedloom.flow.refresh.parse_pool import ParsePool
from feedloom.flow.refresh.pipeline import Refresher
from feedloom.flow.refresh.retention import Pruner
from feedloom.flow.stories import StoryTeller
from feedloom.flow.subscriptions import Subscribing
from feedloom.flow.worker.alerts import Alerts
from feedloom.flow.worker.maintenance import Maintenance
from feedloom.flow.worker.rate_limit import RateLimitedFetcher
from feedloom.flow.worker.search_index import Indexer
from feedloom.flow.worker.worker import Handler, Worker
from feedloom.images import ImageResizer
from feedloom.model.distilled.requests import Embedder, Extractor
from feedloom.model.errors import ConfigError, SchemaTooNew, StoreError
from feedloom.model.work import Politeness, TaskKind
from feedloom.parse import FeedParser, read_opml
from feedloom.publish import view_feed
from feedloom.store import (
    AccountStore,
    AnalysisStore,
    BookmarkStore,
    CleanupStore,
    Database,
    DeframingStore,
    DirectoryStore,
    FeedQueue,
    FolderStore,
    FullTextStore,
    HTTPSStore,
    HubStore,
    IconStore,
    IndexStore,
    InterestStore,
    MailStore,
    OperationsStore,
    OversightStore,
    OverviewStore,
    ProxyReader,
    ProxyStore,
    ReadingStore,
    RefreshStore,
    RegistrationStore,
    RevisionStore,
    RevivalStore,
    RuleStore,
    SavedSearchStore,
    SiteStore,
    StoryQueue,
    StoryStore,
    SubscriptionStore,
    SummaryStore,
    SyncStore,
    TaskQueue,
    TenantStore,
    VectorStore,
    ViewTokenStore,
    check_key,
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


def _slant_of(headline: str, language: str | None) -> float | None:
    return judge_headline(headline, language=language).scores["framing"].value


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - this is the Clock


@dataclass(frozen=True, slots=True)
class Container:
    settings: Settings
    clock: SystemClock
    web: Database
    work: Database
    fetcher: HTTPFetcher
    parser: FeedParser
    understanding: ParsePool
    accounts: Accounts
    engine: Engine
    extractor: Extractor
    embedder: Embedder | None
    searches: SearchLimit
    images: ImageProxy

    def services(self) -> "Services":
        from feedloom.serve import Services  # noqa: PLC0415 - commands need no routes

        return Services(
            clock=self.clock,
            accounts=self.accounts,
            folders=FolderStore(self.web),
            subscriptions=SubscriptionStore(self.web),
            reading=ReadingStore(self.web),
            bookmarks=BookmarkStore(self.web),
            bookmark_files=BookmarkFiles(BookmarkStore(self.web)),
            digests=self.digests(self.web),
            digest_mails=self.digest_mails(self.web),
            full_texts=FullTexts(self.tasks(self.web)),
            rules=self.rules(self.web),
            importing=self.importing(self.web),
            exporting=self.exporting(),
            changes=Changes(RevisionStore(self.web), ReadingStore(self.web), _slant_of),
            overviews=OverviewStore(self.web),
            oversight=OversightStore(self.web),
            syncing=SyncStore(self.web),
            saved_searches=SavedSearchStore(self.web),
            interests=InterestStore(self.web),
            for_you=ForYou(InterestStore(self.web), ReadingStore(self.web), self.clock),
            stories=Stories(StoryStore(self.web), ReadingStore(self.web), OfflineWording()),
            view_tokens=ViewTokenStore(self.web),
            write_view=view_feed,
            icons=IconStore(self.web),
            images=self.images,
            chapters=Chapters(self.fetcher),
            likeness=Likeness(VectorStore(self.web), ReadingStore(self.web), self.embedder)
            if self.embedder
            else None,
            image_mode=self.settings.image_proxy,
            tasks=self.tasks(self.web),
            subscribing=self.subscribing(),
            packs=Packs(SubscriptionStore(self.web), FolderStore(self.web)),
            proxies=self.proxies(self.web),
            proxied=Proxied(ProxyReader(self.web)),
            spending=ledger(self.settings, self.web),
            hubs=self.hubs(self.web),
            proxy_token=self.settings.proxy_token,
            directory=self.directory(self.web),
            provider=self.provider(),
            base_url=self.settings.base_url,
            has_outbound_proxy=bool(self.settings.outbound_proxy),
            registration=self.registration(),
            secret_key=secret_key(self.settings),
            trusted_proxies=trusted_proxies(self.settings),
        )

    def application(self) -> "Starlette":
        from feedloom.serve import build_application  # noqa: PLC0415 - as above

        return build_application(self.services())

    def registration(self) -> Registration:
        return Registration(
            self.accounts,
            RegistrationStore(self.web),
            self.clock,
            self.settings.registration,
            self.settings.registration_code,
        )

    def provider(self) -> OpenIDProvider | None:
        settings = self.settings
        if not settings.oidc_issuer:
            return None
        if not settings.oidc_client_id or not settings.base_url:
            raise ConfigError(
                "FEEDLOOM_OIDC_ISSUER also needs FEEDLOOM_OIDC_CLIENT_ID and FEEDLOOM_BASE_URL."
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
        return Subscribing(
            SubscriptionStore(self.web), AccountStore(self.web), self.discoverer(self.web)
        )

    def discoverer(self, database: Database) -> Discoverer:
        # A search lasts half a minute: should this process end, others wait no longer.
        tasks = TaskQueue(database, lease_s=_SEARCH_LEASE_S, worker=worker_name())
        return Discoverer(
            self.rate_limited(database),
            self.parser,
            self.clock,
            SiteStore(database),
            tasks,
            self.settings.rsshub_url,
            self.searches,
        )

    def folders(self) -> FolderStore:
        return FolderStore(self.web)

    def tasks(self, database: Database) -> TaskQueue:
        return TaskQueue(database, lease_s=self.settings.lease_seconds, worker=worker_name())

    def worker(self) -> Worker:
        settings = self.settings
        feeds = FeedQueue(
            self.work,
            lease_s=settings.lease_seconds,
            politeness=Politeness(delay_s=settings.host_delay),
            worker=worker_name(),
        )
        refresher = Refresher(
            self.fetcher,
            RefreshStore(self.work),
            self.understanding,
            self.clock,
            keep_revisions=settings.revision_days > 0,
            first_entries=settings.first_fetch_entries,
        )
        return Worker(
            feeds=feeds,
            tasks=self.tasks(self.work),
            refresher=refresher,
            deframer=self.deframer(),
            handlers=self._handlers(),
            clock=self.clock,
            connections=feed_connections(settings),
            lease_s=settings.lease_seconds,
            after_refresh=(
                self.full_text_reading().after_refresh,
                Pruner(CleanupStore(self.work)).after_refresh,
            ),
            forgive=self.operations().forgive,
        )

    def proxies(self, database: Database) -> Proxies:
        return Proxies(ProxyStore(database), self.engine.prompt_keys)

    def deframer(self) -> Deframer:
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
        fetcher = self.rate_limited(work)
        subscribing = Subscribing(SubscriptionStore(work), AccountStore(work), discoverer)
        reviver = Reviver(fetcher, self.parser, self.clock, RevivalStore(work), discoverer)
        embedding = self.embedding()
        return ({TaskKind.EMBED: embedding.run} if embedding else {}) | {
            TaskKind.DISCOVER: subscribing.run,
            TaskKind.REVIVE: reviver.run,
            TaskKind.FAVICON: Favicons(fetcher, IconStore(work)).run,
            TaskKind.WEBSUB: self.hubs(work).run,
            TaskKind.HTTPS: HTTPSCheck(fetcher, self.parser, self.clock, HTTPSStore(work)).run,
            TaskKind.TOPIC: self.directory(work).run,
            TaskKind.APPLY_RULES: self.rules(work).run,
            TaskKind.IMPORT: self.importing(work).run,
            TaskKind.ENRICH: self.enriching().run,
            TaskKind.SUMMARISE: self.digests(work).run,
            **({TaskKind.MAIL: mails.run} if (mails := self.digest_mails(work)) else {}),
            TaskKind.ANALYSE: CalmTitles(
                AnalysisStore(work),
                self.tasks(work),
                self.engine.analyzer,
                offline_engine().analyzer,
                self.clock,
            ).run,
            TaskKind.FULL_TEXT: self.full_text_reading().run,
        }

    def enriching(self) -> Enriching:
        return Enriching(
            BookmarkStore(self.work), self.extractor, make_model_opt_out(self.work, self.engine)
        )

    def full_text_reading(self) -> FullTextReading:
        return FullTextReading(FullTextStore(self.work), self.extractor, self.tasks(self.work))

    def digest_mails(self, database: Database) -> DigestMails | None:
        mailer = make_mailer(self.settings)
        if mailer is None:
            return None
        return DigestMails(
            store=MailStore(database),
            summaries=SummaryStore(database),
            accounts=AccountStore(database),
            tasks=self.tasks(database),
            mailer=mailer,
            clock=self.clock,
            sender=self.settings.smtp_from,
            base_url=self.settings.base_url,
            key=secret_key(self.settings),
        )

    def digests(self, database: Database) -> Digests:
        return Digests(
            mail_from=self.settings.smtp_from if self.settings.smtp_host else "",
            store=SummaryStore(database),
            reading=ReadingStore(database),
            syncing=SyncStore(database),
            accounts=AccountStore(database),
            offline=offline_engine().digester,
            digester=make_model_opt_out(database, self.engine),
            clock=self.clock,
            has_model=self.engine.has_model,
        )

    def rules(self, database: Database) -> Rules:
        return Rules(RuleStore(database), ReadingStore(database), self.tasks(database))

    def importing(self, database: Database) -> Importing:
        return Importing(
            subscriptions=SubscriptionStore(database),
            folders=FolderStore(database),
            tasks=self.tasks(database),
            read=read_opml,
        )

    def exporting(self) -> Exporting:
        return Exporting(
            clock=self.clock,
            version=__version__,
            subscriptions=SubscriptionStore(self.web),
            folders=FolderStore(self.web),
            reading=ReadingStore(self.web),
            bookmarks=BookmarkStore(self.web),
            rules=RuleStore(self.web),
            searches=SavedSearchStore(self.web),
            stories=StoryStore(self.web),
            interests=InterestStore(self.web),
            summaries=SummaryStore(self.web),
        )

    def hubs(self, database: Database) -> Hubs:
        return Hubs(
            self.rate_limited(database),
            HubStore(database),
            self.tasks(database),
            self.settings.base_url,
        )

    def rate_limited(self, database: Database) -> RateLimitedFetcher:
        return rate_limited(self.settings, self.fetcher, database)

    def directory(self, database: Database) -> Directory:
        return Directory(
            DirectoryStore(database),
            self.clock,
            self.engine.topics,
            confidence=self.settings.topic_confidence,
        )

    def indexer(self) -> Indexer:
        return Indexer(IndexStore(self.work))

    def story_teller(self) -> StoryTeller:
        return StoryTeller(StoryQueue(self.work), StoryGrouper)

    def embedding(self) -> Embedding | None:
        return Embedding(VectorStore(self.work), self.embedder) if self.embedder else None

    def tenants(self) -> TenantStore:
        return TenantStore(self.work)

    def operations(self) -> OperationsStore:
        return OperationsStore(self.work)

    async def keep_working(self, stop: asyncio.Event) -> None:
        """Refresh feeds, run tasks and do maintenance until told to stop."""
        worker, embedding = self.worker(), self.embedding()
        maintenance = Maintenance(
            self.operations(),
            CleanupStore(self.work),
            self.clock,
            worker_name(),
            worker.stats,
            timedelta(minutes=self.settings.update_every),
            chores=(
                self.hubs(self.work).renew,
                StoryQueue(self.work).forget_old,
                partial(CleanupStore(self.work).forget_revisions, self.settings.revision_days),
            ),
            errands=(
                self.digests(self.work).queue_due,
                *([embedding.queue_due] if embedding else []),
            ),
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
                group.create_task(maintenance.run(stop))
                group.create_task(self.indexer().run(stop))
                group.create_task(self.story_teller().run(stop))
                for loop in loops:
                    group.create_task(loop.run(stop))
        finally:
            if not stop.is_set():
                log.critical("worker_stopped", why="The worker stopped unexpectedly.")
            await stop_listening()


@asynccontextmanager
async def open_container(
    settings: Settings,
    *,
    migrate: bool = True,
    web_only: bool = False,
    hasher: PasswordHasher | None = None,
) -> AsyncIterator[Container]:
    """Open everything, bring the schema up to date, close it in the end.

    ``web_only`` on PostgreSQL knows the web's role alone, which may not change the
    schema: it waits for a worker to do that.
    """
    web_url, worker_url = database_urls(settings)
    keys = encryption_keys(settings)
    web_only = web_only and web_url.kind == "postgresql"
    if migrate and not web_only:
        await upgrade(web_url, worker_url, keys)
    async with AsyncExitStack() as stack:
        if web_only:
            work = web = await open_database(web_url, worker=False, keys=keys)
            stack.push_async_callback(work.close)
            await _wait_for_schema(work)
            await check_key(work, keys)
        else:
            work = web = await open_database(worker_url, worker=True, keys=keys)
            stack.push_async_callback(work.close)
            if worker_url.kind == "postgresql":
                web = await open_database(web_url, worker=False, keys=keys)
                stack.push_async_callback(web.close)
            await require_current(work)
        fetcher = make_fetcher(settings)
        stack.push_async_callback(fetcher.close)
        parser = FeedParser()
        stack.push_async_callback(parser.close)
        understanding = ParsePool(parser, FeedParser)
        stack.push_async_callback(understanding.close)
        clock = SystemClock()
        if settings.alert_url:
            alerts = Alerts(fetcher, settings.alert_url, clock, worker_name())
            await stack.enter_async_context(alerts.listening())
        accounts = Accounts(AccountStore(web), clock, hasher)
        spend = ledger(settings, work)
        engine = build_engine(ai_settings(settings), fetcher, spend)
        extractor = make_extractor(settings, rate_limited(settings, fetcher, work))
        stack.push_async_callback(extractor.close)
        resizer = ImageResizer()
        stack.push_async_callback(resizer.close)
        yield Container(
            settings=settings,
            clock=clock,
            web=web,
            work=work,
            fetcher=fetcher,
            parser=parser,
            understanding=understanding,
            accounts=accounts,
            engine=engine,
            embedder=make_embedder(settings, fetcher, spend),
            extractor=extractor,
            searches=SearchLimit(),
            images=ImageProxy(fetcher, resizer, make_image_cache(settings)),
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
