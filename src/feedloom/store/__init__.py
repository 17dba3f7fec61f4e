"""Rows: the only room that speaks SQL. Its door opens databases and makes stores."""

from feedloom.store.distilled.analyses import DeframingStore
from feedloom.store.distilled.proxied import ProxyReader
from feedloom.store.distilled.proxies import ProxyStore
from feedloom.store.distilled.spending import SpendStore
from feedloom.store.distilled.summaries import SummaryStore
from feedloom.store.engine.copying import TableCopy
from feedloom.store.engine.copying import copy as copy_database
from feedloom.store.engine.opening import (
    DatabaseURL,
    find_faults,
    open_database,
    require_current,
    upgrade,
)
from feedloom.store.engine.steps import Database
from feedloom.store.finding.directory import DirectoryStore
from feedloom.store.finding.search_index import IndexStore
from feedloom.store.identity.accounts import AccountStore
from feedloom.store.identity.oversight import OversightStore
from feedloom.store.identity.tenants import TenantStore
from feedloom.store.ingest.cleaning import CleanupStore
from feedloom.store.ingest.hubs import HubStore
from feedloom.store.ingest.icons import IconStore
from feedloom.store.ingest.operations import OperationsStore
from feedloom.store.ingest.refreshes import RefreshStore
from feedloom.store.ingest.revivals import RevivalStore
from feedloom.store.ingest.rules import RuleStore
from feedloom.store.ingest.sites import SiteStore
from feedloom.store.queues.feed_queue import FeedQueue
from feedloom.store.queues.hosts import HostGate
from feedloom.store.queues.task_queue import TaskQueue
from feedloom.store.reading.bookmarks import BookmarkStore
from feedloom.store.reading.folders import FolderStore
from feedloom.store.reading.full_texts import FullTextStore
from feedloom.store.reading.overviews import OverviewStore
from feedloom.store.reading.reading import ReadingStore
from feedloom.store.reading.subscriptions import SubscriptionStore
from feedloom.store.reading.syncing import SyncStore
from feedloom.store.reading.view_tokens import ViewTokenStore

__all__ = [
    "AccountStore",
    "BookmarkStore",
    "CleanupStore",
    "Database",
    "DatabaseURL",
    "DeframingStore",
    "DirectoryStore",
    "FeedQueue",
    "FolderStore",
    "FullTextStore",
    "HostGate",
    "HubStore",
    "IconStore",
    "IndexStore",
    "OperationsStore",
    "OversightStore",
    "OverviewStore",
    "ProxyReader",
    "ProxyStore",
    "ReadingStore",
    "RefreshStore",
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
    "copy_database",
    "find_faults",
    "open_database",
    "require_current",
    "upgrade",
]
