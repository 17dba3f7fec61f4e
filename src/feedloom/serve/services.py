"""What endpoints get: ports and values, never settings."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import TYPE_CHECKING

from feedloom.flow.discovery.directory import Directory
from feedloom.flow.distill.digest import Digests
from feedloom.flow.distill.mail import DigestMails
from feedloom.flow.distill.proxies import Proxied, Proxies
from feedloom.flow.distill.vectors import Likeness
from feedloom.flow.hubs import Hubs
from feedloom.flow.identity.accounts import Accounts
from feedloom.flow.identity.oidc import OpenIDProvider
from feedloom.flow.identity.registration import Registration
from feedloom.flow.pictures import ImageProxy
from feedloom.flow.reader.bookmarks import BookmarkFiles
from feedloom.flow.reader.changes import Changes
from feedloom.flow.reader.chapters import Chapters
from feedloom.flow.reader.exports import Exporting
from feedloom.flow.reader.for_you import ForYou
from feedloom.flow.reader.full_texts import FullTexts
from feedloom.flow.reader.imports import Importing
from feedloom.flow.reader.rules import Rules
from feedloom.flow.stories import Stories
from feedloom.flow.subscriptions import Packs, Subscribing
from feedloom.model.errors import Conflict
from feedloom.model.ports import Clock
from feedloom.model.sync import ViewWriter

if TYPE_CHECKING:
    from feedloom.store import (
        BookmarkStore,
        FolderStore,
        IconStore,
        InterestStore,
        OversightStore,
        OverviewStore,
        ReadingStore,
        SavedSearchStore,
        SpendStore,
        SubscriptionStore,
        SyncStore,
        TaskQueue,
        ViewTokenStore,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    clock: Clock
    accounts: Accounts
    registration: Registration
    folders: FolderStore
    subscriptions: SubscriptionStore
    reading: ReadingStore
    bookmarks: BookmarkStore
    bookmark_files: BookmarkFiles
    digests: Digests
    digest_mails: DigestMails | None = None
    """None where the operator has set no mail server."""
    full_texts: FullTexts
    changes: Changes
    rules: Rules
    importing: Importing
    exporting: Exporting
    overviews: OverviewStore
    oversight: OversightStore
    syncing: SyncStore
    saved_searches: SavedSearchStore
    interests: InterestStore
    for_you: ForYou
    stories: Stories
    view_tokens: ViewTokenStore
    write_view: ViewWriter
    icons: IconStore
    images: ImageProxy
    likeness: Likeness | None = None
    """Only where an embeddings service is set up."""
    chapters: Chapters
    image_mode: str = "all"
    """What goes through the image proxy: all, http or off."""
    tasks: TaskQueue
    subscribing: Subscribing
    packs: Packs
    proxies: Proxies
    proxied: Proxied
    spending: SpendStore
    hubs: Hubs
    proxy_token: str = ""
    """What ``/rss`` and the lookups ask for, if anything."""
    directory: Directory
    provider: OpenIDProvider | None = None
    base_url: str = ""
    has_outbound_proxy: bool = False
    secret_key: bytes = b""
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Peers whose forwarding headers are believed."""

    def require_likeness(self) -> Likeness:
        if self.likeness is None:
            raise Conflict("No embeddings server is set up here.")
        return self.likeness
