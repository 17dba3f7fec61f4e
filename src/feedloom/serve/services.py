"""What the doors are given: ports and values, never settings."""

from dataclasses import dataclass

from feedloom.flow.accounts import Accounts
from feedloom.flow.subscribing import Subscribing
from feedloom.model.ports import (
    Clock,
    FolderStore,
    ReadingStore,
    SubscriptionStore,
    TaskQueue,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything a request may need."""

    clock: Clock
    accounts: Accounts
    folders: FolderStore
    subscriptions: SubscriptionStore
    reading: ReadingStore
    tasks: TaskQueue
    subscribing: Subscribing
    base_url: str = ""
    registration: str = "open"
    registration_code: str = ""
    secret_key: bytes = b""
