"""Ports: what the flow needs from the world, and what the world promises.

All methods are coroutines on one event loop unless said otherwise. Times are aware
and UTC. Errors are those of ``feedloom.model.errors``; anything else is a bug.
"""

from feedloom.model.ports.ingest import (
    DirectoryStore,
    HubStore,
    IconStore,
    IndexStore,
    RefreshStore,
    RevivalStore,
    SiteStore,
)
from feedloom.model.ports.people import (
    AccountStore,
    FolderStore,
    ReadingStore,
    SubscriptionStore,
)
from feedloom.model.ports.queues import (
    CleanupStore,
    FeedQueue,
    OperationsStore,
    TaskQueue,
)
from feedloom.model.ports.sight import Sight, watch, watching
from feedloom.model.ports.world import (
    Clock,
    Fetcher,
    HostGate,
    Parser,
)

__all__ = [
    "AccountStore",
    "CleanupStore",
    "Clock",
    "DirectoryStore",
    "FeedQueue",
    "Fetcher",
    "FolderStore",
    "HostGate",
    "HubStore",
    "IconStore",
    "IndexStore",
    "OperationsStore",
    "Parser",
    "ReadingStore",
    "RefreshStore",
    "RevivalStore",
    "Sight",
    "SiteStore",
    "SubscriptionStore",
    "TaskQueue",
    "watch",
    "watching",
]
