"""Rows: the only room that speaks SQL. Its door opens databases and makes stores."""

from feedloom.store.accounts import AccountStore
from feedloom.store.analyses import DeframingStore
from feedloom.store.bookmarks import BookmarkStore
from feedloom.store.cleaning import CleanupStore
from feedloom.store.directory import DirectoryStore
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
from feedloom.store.feed_queue import FeedQueue
from feedloom.store.folders import FolderStore
from feedloom.store.full_texts import FullTextStore
from feedloom.store.hosts import HostGate
from feedloom.store.hubs import HubStore
from feedloom.store.icons import IconStore
from feedloom.store.operations import OperationsStore
from feedloom.store.oversight import OversightStore
from feedloom.store.overviews import OverviewStore
from feedloom.store.proxied import ProxyReader
from feedloom.store.proxies import ProxyStore
from feedloom.store.reading import ReadingStore
from feedloom.store.refreshes import RefreshStore
from feedloom.store.revivals import RevivalStore
from feedloom.store.rules import RuleStore
from feedloom.store.search_index import IndexStore
from feedloom.store.sites import SiteStore
from feedloom.store.spending import SpendStore
from feedloom.store.subscriptions import SubscriptionStore
from feedloom.store.summaries import SummaryStore
from feedloom.store.syncing import SyncStore
from feedloom.store.task_queue import TaskQueue
from feedloom.store.tenants import TenantStore
from feedloom.store.view_tokens import ViewTokenStore

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
