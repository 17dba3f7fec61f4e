"""Rows: the only package that speaks SQL. It opens databases and makes stores."""

from feedloom.store.distilled.analyses import DeframingStore
from feedloom.store.distilled.proxied_feeds import ProxyReader
from feedloom.store.distilled.proxies import ProxyStore
from feedloom.store.distilled.spending import SpendStore
from feedloom.store.distilled.summaries import SummaryStore
from feedloom.store.distilled.wanted_analyses import AnalysisStore
from feedloom.store.engine.copies import TableCopy
from feedloom.store.engine.copies import copy as copy_database
from feedloom.store.engine.database import (
    DatabaseURL,
    check_key,
    find_faults,
    forget_secrets,
    open_database,
    require_current,
    upgrade,
)
from feedloom.store.engine.encryption import Keys
from feedloom.store.engine.scripts import Database
from feedloom.store.identity.accounts import AccountStore
from feedloom.store.identity.oversight import OversightStore
from feedloom.store.identity.registration import RegistrationStore
from feedloom.store.identity.tenants import TenantStore
from feedloom.store.ingest.cleanup import CleanupStore
from feedloom.store.ingest.https import HTTPSStore
from feedloom.store.ingest.hubs import HubStore
from feedloom.store.ingest.icons import IconStore
from feedloom.store.ingest.operations import OperationsStore
from feedloom.store.ingest.refreshes import RefreshStore
from feedloom.store.ingest.revivals import RevivalStore
from feedloom.store.ingest.rules import RuleStore
from feedloom.store.ingest.sites import SiteStore
from feedloom.store.queues.feed_queue import FeedQueue
from feedloom.store.queues.hosts import HostRateLimit
from feedloom.store.queues.task_queue import TaskQueue
from feedloom.store.reader.article_states import ReadingStore
from feedloom.store.reader.bookmarks import BookmarkStore
from feedloom.store.reader.folders import FolderStore
from feedloom.store.reader.full_texts import FullTextStore
from feedloom.store.reader.overviews import OverviewStore
from feedloom.store.reader.subscriptions import SubscriptionStore
from feedloom.store.reader.sync import SyncStore
from feedloom.store.reader.view_tokens import ViewTokenStore
from feedloom.store.search.directory import DirectoryStore
from feedloom.store.search.search_index import IndexStore

__all__ = [
    "AccountStore",
    "AnalysisStore",
    "BookmarkStore",
    "CleanupStore",
    "Database",
    "DatabaseURL",
    "DeframingStore",
    "DirectoryStore",
    "FeedQueue",
    "FolderStore",
    "FullTextStore",
    "HTTPSStore",
    "HostRateLimit",
    "HubStore",
    "IconStore",
    "IndexStore",
    "Keys",
    "OperationsStore",
    "OversightStore",
    "OverviewStore",
    "ProxyReader",
    "ProxyStore",
    "ReadingStore",
    "RefreshStore",
    "RegistrationStore",
    "RevivalStore",
    "RuleStore",
    "SiteStore",
    "SpendStore",
    "SubscriptionStore",
    "SummaryStore",
    "SyncStore",
    "TableCopy",
    "TaskQueue",
    "TenantStore",
    "ViewTokenStore",
    "check_key",
    "copy_database",
    "find_faults",
    "forget_secrets",
    "open_database",
    "require_current",
    "upgrade",
]
