"""What programs that sync need beside what people see: values and the ports to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from feedloom.model.distilled.publishing import Channel, ViewItem
from feedloom.model.reading import Folder, Icon, Subscription, Wanted


@dataclass(frozen=True, slots=True)
class StreamCount:
    """Unread articles of one subscription or tag, and when the newest of them came."""

    unread: int
    newest_at: datetime | None


@dataclass(frozen=True, slots=True)
class Frontier:
    """How far a person's articles reach at one moment.

    Whatever arrives or changes later has a higher number or a later time.
    """

    newest_item: int = 0
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an article stands: its subscription's title and site, its folder's path."""

    title: str
    site_url: str
    folder: str
    """Names from the root down, joined by ``/``; empty for the root."""


@dataclass(frozen=True, slots=True)
class ListedFeed:
    """A subscription as lists of a thousand show it: without counts and health."""

    id: int
    title: str
    url: str
    """Empty where starred articles of dropped feeds live on."""
    site_url: str | None
    folder_id: int
    in_root: bool
    favicon_id: int | None
    refreshed_at: datetime
    """When it was last fetched, or added."""


class SyncStore(Protocol):
    """A person's rows in the forms that sync protocols ask for."""

    async def feeds(self, user_id: int) -> list[ListedFeed]:
        """List a person's subscriptions by title."""
        ...

    async def subscriptions(
        self, user_id: int, subscription_ids: Sequence[int] | None = None
    ) -> list[Subscription]:
        """Find all or some subscriptions, without counting what is unread."""
        ...

    async def folders(self, user_id: int) -> list[Folder]:
        """List a person's folders but the root, without counting what is unread."""
        ...

    async def frontier(self, user_id: int) -> Frontier:
        """Tell the newest item number and the time of the newest change."""
        ...

    async def unread_streams(
        self, user_id: int
    ) -> tuple[dict[int, StreamCount], dict[str, StreamCount]]:
        """Count unread articles by subscription and by tag, only where there are some."""
        ...

    async def total(self, user_id: int) -> int:
        """Count all of a person's articles, dismissed ones included: it must be quick."""
        ...

    async def totals(self, user_id: int) -> dict[int, tuple[int, int]]:
        """Count read and unread articles by subscription."""
        ...

    async def places(
        self, user_id: int, subscription_ids: Sequence[int]
    ) -> dict[int, Place]:
        """Tell where these subscriptions stand."""
        ...

    async def by_guid_hashes(
        self, user_id: int, pairs: Sequence[tuple[int, str]]
    ) -> list[int]:
        """Find item numbers by subscription and GUID hash; unknown ones are left out."""
        ...

    async def refreshed_at(self, user_id: int) -> datetime | None:
        """Tell when one of a person's feeds was last fetched."""
        ...

    async def icons(self, user_id: int) -> dict[int, Icon]:
        """Find the icons of a person's feeds by their ids."""
        ...

    async def all_feeds(self) -> list[tuple[int, str]]:
        """List everybody's subscriptions with their email, for operators."""
        ...

    async def delete_folder(self, user_id: int, folder_id: int) -> None:
        """Delete a folder, its subfolders and the subscriptions in them."""
        ...


class ViewKind(StrEnum):
    """What a person may publish to themselves as a feed."""

    ALL = "all"
    UNREAD = "unread"
    STARRED = "starred"
    FOLDER = "folder"
    FEED = "feed"
    TAG = "tag"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class View:
    """Which articles a tokenised feed holds."""

    kind: ViewKind
    id: int | None = None
    """The folder's or subscription's."""
    text: str = ""
    """The tag's name or the search."""

    def wanted(self, limit: int) -> Wanted:
        """Turn the view into a question to the store."""
        return Wanted(
            unread=True if self.kind is ViewKind.UNREAD else None,
            starred=True if self.kind is ViewKind.STARRED else None,
            folder_id=self.id if self.kind is ViewKind.FOLDER else None,
            subscription_id=self.id if self.kind is ViewKind.FEED else None,
            tag=self.text if self.kind is ViewKind.TAG else None,
            text=self.text if self.kind is ViewKind.SEARCH else None,
            limit=limit,
            with_content=True,
        )

    def as_mapping(self) -> Mapping[str, object]:
        """Return what is stored of it."""
        return {"kind": self.kind.value, "id": self.id, "text": self.text}


@dataclass(frozen=True, slots=True)
class ViewToken:
    """A secret address under which a view is served as a feed."""

    id: int
    user_id: int
    label: str
    view: View
    created_at: datetime


class ViewWriter(Protocol):
    """Writes a view as a feed."""

    def __call__(
        self,
        channel: Channel,
        items: Sequence[ViewItem],
        *,
        updated_at: datetime,
        self_url: str,
        format: Literal["rss", "atom"] = "rss",  # noqa: A002 - it is the word people use
    ) -> bytes:
        """Return the document, items in the given order."""
        ...


class ViewTokenStore(Protocol):
    """Secret addresses of views; secrets come in hashed."""

    async def create(
        self, user_id: int, *, token_hash: str, label: str, view: View
    ) -> ViewToken:
        """Store a token; ``NotFound`` for another person's folder or feed."""
        ...

    async def tokens(self, user_id: int) -> list[ViewToken]:
        """List a person's living tokens."""
        ...

    async def revoke(self, user_id: int, token_id: int) -> None:
        """End a token."""
        ...

    async def by_hash(self, token_hash: str) -> ViewToken | None:
        """Find a living token whose person is not locked out."""
        ...
