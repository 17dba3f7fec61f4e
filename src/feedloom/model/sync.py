"""Values that only sync protocols and shared views need."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from feedloom.model.reader import Wanted


@dataclass(frozen=True, slots=True)
class StreamCount:
    """Unread articles of one subscription or tag, and when the newest of them came."""

    unread: int
    newest_at: datetime | None


@dataclass(frozen=True, slots=True)
class Frontier:
    """The newest item and change of a person's articles at one moment.

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
class ListedSubscription:
    """A subscription in long lists, without counts and health."""

    id: int
    title: str
    url: str
    """Empty for the subscription that keeps starred articles of feeds left."""
    site_url: str | None
    folder_id: int
    in_root: bool
    favicon_id: int | None
    refreshed_at: datetime
    """When it was last fetched, or added."""


class ViewKind(StrEnum):
    ALL = "all"
    UNREAD = "unread"
    STARRED = "starred"
    FOLDER = "folder"
    FEED = "feed"
    TAG = "tag"
    SEARCH = "search"
    CHANGES = "changes"
    """What publishers changed, one item for each change."""
    STORY = "story"
    DIGESTS = "digests"


@dataclass(frozen=True, slots=True)
class View:
    """Which articles a tokenised feed holds."""

    kind: ViewKind
    id: int | None = None
    """The folder's, subscription's or story's."""
    text: str = ""
    """The tag's name or the search."""

    def wanted(self, limit: int) -> Wanted:
        return Wanted(
            unread=True if self.kind is ViewKind.UNREAD else None,
            starred=True if self.kind is ViewKind.STARRED else None,
            folder_id=self.id if self.kind is ViewKind.FOLDER else None,
            subscription_id=self.id if self.kind is ViewKind.FEED else None,
            story_id=self.id if self.kind is ViewKind.STORY else None,
            tag=self.text if self.kind is ViewKind.TAG else None,
            text=self.text if self.kind is ViewKind.SEARCH else None,
            limit=limit,
            with_content=True,
        )

    def as_mapping(self) -> Mapping[str, object]:
        return {"kind": self.kind.value, "id": self.id, "text": self.text}


@dataclass(frozen=True, slots=True)
class ViewToken:
    """A secret address under which a view is served as a feed."""

    id: int
    user_id: int
    label: str
    view: View
    created_at: datetime


ViewWriter = Callable[..., bytes]
"""Writes a view's channel and items as RSS or Atom: ``publish.view_feed``."""
