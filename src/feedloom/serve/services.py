"""What the doors are given: ports and values, never settings."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

from feedloom.flow.distilling.digest import Digests
from feedloom.flow.distilling.proxied import Proxied
from feedloom.flow.distilling.proxying import Proxies
from feedloom.flow.finding.directory import Directory
from feedloom.flow.finding.hubs import Hubs
from feedloom.flow.finding.subscribing import Subscribing
from feedloom.flow.identity.accounts import Accounts
from feedloom.flow.identity.oidc import OpenIDProvider
from feedloom.flow.identity.registration import Registration
from feedloom.flow.reading.bookmark_files import BookmarkFiles
from feedloom.flow.reading.exporting import Exporting
from feedloom.flow.reading.full_texts import FullTexts
from feedloom.flow.reading.importing import Importing
from feedloom.flow.reading.rules import Rules
from feedloom.model.distilled.keeping import BookmarkStore
from feedloom.model.distilled.spending import SpendReader
from feedloom.model.oversight import OversightStore
from feedloom.model.overviews import OverviewStore
from feedloom.model.ports import (
    Clock,
    FolderStore,
    IconStore,
    ReadingStore,
    SubscriptionStore,
    TaskQueue,
)
from feedloom.model.syncing import SyncStore, ViewTokenStore, ViewWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything a request may need."""

    clock: Clock
    accounts: Accounts
    registration: Registration
    folders: FolderStore
    subscriptions: SubscriptionStore
    reading: ReadingStore
    bookmarks: BookmarkStore
    bookmark_files: BookmarkFiles
    digests: Digests
    full_texts: FullTexts
    rules: Rules
    importing: Importing
    exporting: Exporting
    overviews: OverviewStore
    oversight: OversightStore
    syncing: SyncStore
    view_tokens: ViewTokenStore
    write_view: ViewWriter
    icons: IconStore
    tasks: TaskQueue
    subscribing: Subscribing
    proxies: Proxies
    proxied: Proxied
    spending: SpendReader
    hubs: Hubs
    proxy_token: str = ""
    """What ``/rss`` and the lookups ask for, if anything."""
    directory: Directory
    provider: OpenIDProvider | None = None
    base_url: str = ""
    secret_key: bytes = b""
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Peers whose forwarding headers are believed."""
