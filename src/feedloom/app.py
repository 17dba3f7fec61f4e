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
from typing import TYPE_CHECKING, Protocol

import structlog
from argon2 import PasswordHasher

from feedloom import __version__, factories, store
from feedloom.config import Settings
from feedloom.distill import (
    Engine,
    OfflineWording,
    StoryGrouper,
    build_engine,
    judge_headline,
    offline_engine,
)
from feedloom.fetch import HTTPFetcher
from feedloom.flow.discovery.directory import Directory
from feedloom.flow.discovery.revival import HTTPSCheck, Reviver
from feedloom.flow.discovery.search import Discoverer, SearchLimit
from feedloom.flow.distill.deframing import CalmTitles, Deframer
from feedloom.flow.distill.digest import Digests
from feedloom.flow.distill.mail import DigestMails
from feedloom.flow.distill.proxies import Proxied, Proxies
from feedloom.flow.distill.vectors import Embedding, Likeness
from feedloom.flow.hubs import Hubs
from feedloom.flow.identity.accounts import Accounts
from feedloom.flow.identity.oidc import OpenIDProvider
from feedloom.flow.identity.registration import Registration
from feedloom.flow.pictures import Favicons, ImageProxy
from feedloom.flow.reader.bookmarks import BookmarkFiles, Enriching
from feedloom.flow.reader.changes import Changes
from feedloom.flow.reader.chapters import Chapters
from feedloom.flow.reader.exports import Exporting
from feedloom.flow.reader.for_you import ForYou
from feedloom.flow.reader.full_texts import FullTextReading, FullTexts
from feedloom.flow.reader.imports import Importing
from feedloom.flow.reader.rules import Rules
from feedloom.flow.refresh.parse_pool import ParsePool
from feedloom.flow.refresh.pipeline import Refresher
from feedloom.flow.stories import Stories, StoryTeller
from feedloom.flow.subscriptions import Packs, Subscribing
from feedloom.flow.worker.alerts import Alerts
from feedloom.flow.worker.maintenance import Indexer, Maintenance, Pruner
from feedloom.flow.worker.rate_limit import RateLimitedFetcher
from feedloom.flow.worker.worker import Handler, Worker
from feedloom.images import ImageCache, ImageResizer
from feedloom.model.distilled.requests import Embedder, Extractor
from feedloom.model.errors import ConfigError, SchemaTooNew, StoreError
from feedloom.model.work import Politeness, TaskKind
from feedloom.parse import FeedParser, read_opml
from feedloom.publish import view_feed

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from feedloom.serve import Services

log = structlog.get_logger()

_SEARCH_LEASE_S = 60.0
_SCHEMA_WAIT_S = 60


def _slant_of(headline: str, language: str | None) -> float | None:
    return judge_headline(headline, language=language).scores["framing"].value


class _HasRun(Protocol):
    @property
    def run(self) -> Handler: ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - this is the Clock


@dataclass(frozen=True, slots=True)
class Container:
    settings: Settings
    clock: SystemClock
    web: store.Database
    work: store.Database
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

        web, settings = self.web, self.settings
        reading, bookmarks = store.ReadingStore(web), store.BookmarkStore(web)
        subscriptions, folders = store.SubscriptionStore(web), store.FolderStore(web)
        interests, embedder = store.InterestStore(web), self.embedder
        likeness = Likeness(store.VectorStore(web), reading, embedder) if embedder else None
        return Services(
            clock=self.clock,
            accounts=self.accounts,
            folders=folders,
            subscriptions=subscriptions,
            reading=reading,
            bookmarks=bookmarks,
            bookmark_files=BookmarkFiles(bookmarks),
            digests=self.digests(web),
            digest_mails=self.digest_mails(web),
            full_texts=FullTexts(self.tasks(web)),
            rules=self.rules(web),
            importing=self.importing(web),
            exporting=self.exporting(),
            changes=Changes(store.RevisionStore(web), reading, _slant_of),
            overviews=store.OverviewStore(web),
            oversight=store.OversightStore(web),
            syncing=store.SyncStore(web),
            saved_searches=store.SavedSearchStore(web),
            interests=interests,
            for_you=ForYou(interests, reading, self.clock),
            stories=Stories(store.StoryStore(web), reading, OfflineWording()),
            view_tokens=store.ViewTokenStore(web),
            write_view=view_feed,
            icons=store.IconStore(web),
            images=self.images,
            chapters=Chapters(self.fetcher),
            likeness=likeness,
            image_mode=settings.image_proxy,
            tasks=self.tasks(web),
            subscribing=self.subscribing(),
            packs=Packs(subscriptions, folders),
            proxies=self.proxies(web),
            proxied=Proxied(store.ProxyReader(web)),
            spending=factories.ledger(settings, web),
            hubs=self.hubs(web),
            proxy_token=settings.proxy_token,
            directory=self.directory(web),
            provider=self._provider(),
            base_url=settings.base_url,
            has_outbound_proxy=bool(settings.outbound_proxy),
            registration=self.registration(),
            secret_key=factories.secret_key(settings),
            trusted_proxies=factories.trusted_proxies(settings),
        )

    def application(self) -> "Starlette":
        from feedloom.serve import build_application  # noqa: PLC0415 - as above

        return build_application(self.services())

    def registration(self) -> Registration:
        return Registration(
            self.accounts,
            store.RegistrationStore(self.web),
            self.clock,
            self.settings.registration,
            self.settings.registration_code,
        )

    def _provider(self) -> OpenIDProvider | None:
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
        subscriptions, accounts = store.SubscriptionStore(self.web), store.AccountStore(self.web)
        return Subscribing(subscriptions, accounts, self.discoverer(self.web))

    def discoverer(self, database: store.Database) -> Discoverer:
        # A search takes half a minute, so others need not wait longer if this process dies.
        tasks = store.TaskQueue(database, lease_s=_SEARCH_LEASE_S, worker=factories.worker_name())
        return Discoverer(
            self._rate_limited(database),
            self.parser,
            self.clock,
            store.SiteStore(database),
            tasks,
            self.settings.rsshub_url,
            self.searches,
        )

    def folders(self) -> store.FolderStore:
        return store.FolderStore(self.web)

    def tasks(self, database: store.Database) -> store.TaskQueue:
        return store.TaskQueue(
            database, lease_s=self.settings.lease_seconds, worker=factories.worker_name()
        )

    def worker(self) -> Worker:
        settings = self.settings
        feeds = store.FeedQueue(
            self.work,
            lease_s=settings.lease_seconds,
            politeness=Politeness(delay_s=settings.host_delay),
            worker=factories.worker_name(),
        )
        refresher = Refresher(
            self.fetcher,
            store.RefreshStore(self.work),
            self.understanding,
            self.clock,
            keep_revisions=settings.revision_days > 0,
            first_entries=settings.first_fetch_entries,
        )
        return Worker(
            feeds=feeds,
            tasks=self.tasks(self.work),
            refresher=refresher,
            deframer=self._deframer(),
            handlers=self._handlers(),
            clock=self.clock,
            connections=factories.feed_connections(settings),
            lease_s=settings.lease_seconds,
            after_refresh=(
                self._full_text_reading().after_refresh,
                Pruner(store.CleanupStore(self.work)).after_refresh,
            ),
            forgive=self.operations().forgive,
        )

    def proxies(self, database: store.Database) -> Proxies:
        return Proxies(store.ProxyStore(database), self.engine.prompt_keys)

    def _deframer(self) -> Deframer:
        settings = self.settings
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        return Deframer(
            store.DeframingStore(self.work),
            self.extractor,
            self.engine.analyzer,
            self.clock,
            settings.base_url or f"http://{host}:{settings.port}",
        )

    def _handlers(self) -> dict[str, Handler]:
        work, parser, clock = self.work, self.parser, self.clock
        fetcher = self._rate_limited(work)
        # One for both: each counts the requests of its own bursts.
        discoverer = self.discoverer(work)
        analyzer, offline = self.engine.analyzer, offline_engine().analyzer
        summariser = factories.make_model_opt_out(work, self.engine)
        tasks, analyses = self.tasks(work), store.AnalysisStore(work)
        subscriptions, accounts = store.SubscriptionStore(work), store.AccountStore(work)
        handlers: dict[TaskKind, _HasRun | None] = {
            TaskKind.EMBED: self.embedding(),
            TaskKind.DISCOVER: Subscribing(subscriptions, accounts, discoverer),
            TaskKind.REVIVE: Reviver(fetcher, parser, clock, store.RevivalStore(work), discoverer),
            TaskKind.FAVICON: Favicons(fetcher, store.IconStore(work)),
            TaskKind.WEBSUB: self.hubs(work),
            TaskKind.HTTPS: HTTPSCheck(fetcher, parser, clock, store.HTTPSStore(work)),
            TaskKind.TOPIC: self.directory(work),
            TaskKind.APPLY_RULES: self.rules(work),
            TaskKind.IMPORT: self.importing(work),
            TaskKind.ENRICH: Enriching(store.BookmarkStore(work), self.extractor, summariser),
            TaskKind.SUMMARISE: self.digests(work),
            TaskKind.MAIL: self.digest_mails(work),
            TaskKind.ANALYSE: CalmTitles(analyses, tasks, analyzer, offline, clock),
            TaskKind.FULL_TEXT: self._full_text_reading(),
        }
        return {kind: handler.run for kind, handler in handlers.items() if handler}

    def _full_text_reading(self) -> FullTextReading:
        texts, tasks = store.FullTextStore(self.work), self.tasks(self.work)
        return FullTextReading(texts, self.extractor, tasks)

    def digest_mails(self, database: store.Database) -> DigestMails | None:
        mailer = factories.make_mailer(self.settings)
        if mailer is None:
            return None
        return DigestMails(
            store=store.MailStore(database),
            summaries=store.SummaryStore(database),
            accounts=store.AccountStore(database),
            tasks=self.tasks(database),
            mailer=mailer,
            clock=self.clock,
            sender=self.settings.smtp_from,
            base_url=self.settings.base_url,
            key=factories.secret_key(self.settings),
        )

    def digests(self, database: store.Database) -> Digests:
        return Digests(
            mail_from=self.settings.smtp_from if self.settings.smtp_host else "",
            store=store.SummaryStore(database),
            reading=store.ReadingStore(database),
            syncing=store.SyncStore(database),
            accounts=store.AccountStore(database),
            offline=offline_engine().digester,
            digester=factories.make_model_opt_out(database, self.engine),
            clock=self.clock,
            has_model=self.engine.has_model,
        )

    def rules(self, database: store.Database) -> Rules:
        return Rules(store.RuleStore(database), store.ReadingStore(database), self.tasks(database))

    def importing(self, database: store.Database) -> Importing:
        return Importing(
            subscriptions=store.SubscriptionStore(database),
            folders=store.FolderStore(database),
            tasks=self.tasks(database),
            read=read_opml,
        )

    def exporting(self) -> Exporting:
        return Exporting(
            clock=self.clock,
            version=__version__,
            subscriptions=store.SubscriptionStore(self.web),
            folders=store.FolderStore(self.web),
            reading=store.ReadingStore(self.web),
            bookmarks=store.BookmarkStore(self.web),
            rules=store.RuleStore(self.web),
            searches=store.SavedSearchStore(self.web),
            stories=store.StoryStore(self.web),
            interests=store.InterestStore(self.web),
            summaries=store.SummaryStore(self.web),
        )

    def hubs(self, database: store.Database) -> Hubs:
        fetcher, base_url = self._rate_limited(database), self.settings.base_url
        return Hubs(fetcher, store.HubStore(database), self.tasks(database), base_url)

    def _rate_limited(self, database: store.Database) -> RateLimitedFetcher:
        return factories.rate_limited(self.settings, self.fetcher, database)

    def directory(self, database: store.Database) -> Directory:
        confidence = self.settings.topic_confidence
        return Directory(store.DirectoryStore(database), self.clock, self.engine.topics, confidence)

    def indexer(self) -> Indexer:
        return Indexer(store.IndexStore(self.work))

    def story_teller(self) -> StoryTeller:
        return StoryTeller(store.StoryQueue(self.work), StoryGrouper)

    def embedding(self) -> Embedding | None:
        return Embedding(store.VectorStore(self.work), self.embedder) if self.embedder else None

    def tenants(self) -> store.TenantStore:
        return store.TenantStore(self.work)

    def operations(self) -> store.OperationsStore:
        return store.OperationsStore(self.work)

    async def keep_working(self, stop: asyncio.Event) -> None:
        """Refresh feeds, run tasks and do maintenance until told to stop."""
        worker, embedding = self.worker(), self.embedding()
        work, cleanup = self.work, store.CleanupStore(self.work)
        maintenance = Maintenance(
            self.operations(),
            cleanup,
            self.clock,
            factories.worker_name(),
            worker.stats,
            timedelta(minutes=self.settings.update_every),
            chores=(
                self.hubs(work).renew,
                store.StoryQueue(work).forget_old,
                partial(cleanup.forget_revisions, self.settings.revision_days),
            ),
            errands=(self.digests(work).queue_due, *([embedding.queue_due] if embedding else [])),
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
    """Open everything, upgrade the schema, and close everything in the end.

    On PostgreSQL, ``web_only`` uses the web role, which may not change the schema, and waits
    for a worker to upgrade it.
    """
    web_url, worker_url = factories.database_urls(settings)
    keys = factories.encryption_keys(settings)
    web_only = web_only and web_url.kind == "postgresql"
    if migrate and not web_only:
        await store.upgrade(web_url, worker_url, keys)
    async with AsyncExitStack() as stack:
        if web_only:
            work = web = await store.open_database(web_url, worker=False, keys=keys)
            stack.push_async_callback(work.close)
            await _wait_for_schema(work)
            await store.check_key(work, keys)
        else:
            work = web = await store.open_database(worker_url, worker=True, keys=keys)
            stack.push_async_callback(work.close)
            if worker_url.kind == "postgresql":
                web = await store.open_database(web_url, worker=False, keys=keys)
                stack.push_async_callback(web.close)
            await store.require_current(work)
        fetcher = factories.make_fetcher(settings)
        stack.push_async_callback(fetcher.close)
        parser = FeedParser()
        stack.push_async_callback(parser.close)
        understanding = ParsePool(parser, FeedParser)
        stack.push_async_callback(understanding.close)
        clock = SystemClock()
        if settings.alert_url:
            alerts = Alerts(fetcher, settings.alert_url, clock, factories.worker_name())
            await stack.enter_async_context(alerts.listening())
        accounts = Accounts(store.AccountStore(web), clock, hasher)
        spend = factories.ledger(settings, work)
        engine = build_engine(factories.ai_settings(settings), fetcher, spend)
        extractor = factories.make_extractor(
            settings, factories.rate_limited(settings, fetcher, work)
        )
        stack.push_async_callback(extractor.close)
        image_cache = ImageCache(settings.data_path / "images", settings.image_cache_mb * 1_000_000)
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
            embedder=factories.make_embedder(settings, fetcher, spend),
            extractor=extractor,
            searches=SearchLimit(),
            images=ImageProxy(fetcher, resizer, image_cache),
        )


async def _wait_for_schema(database: store.Database) -> None:
    """Wait while a worker that starts at the same time upgrades the schema."""
    for _ in range(_SCHEMA_WAIT_S):
        try:
            await store.require_current(database)
        except SchemaTooNew:
            raise
        except StoreError:
            await asyncio.sleep(1)
        else:
            return
    await store.require_current(database)
