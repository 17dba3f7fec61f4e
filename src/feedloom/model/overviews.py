"""What pages show beside lists: fresh articles by source, counts for charts, sweeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from feedloom.model.reading import Article, Wanted


@dataclass(frozen=True, slots=True)
class FeedLine:
    """A subscription as lists of many show it: the little of it they need."""

    id: int
    feed_id: int | None
    title: str
    url: str
    folder_id: int
    in_root: bool
    retention: str
    unread: int
    favicon_id: int | None
    is_mailing_list: bool
    last_fetch_status: str | None
    last_fetch_error: str | None
    consecutive_failures: int
    last_attempt_at: datetime | None


@dataclass(frozen=True, slots=True)
class FolderLine:
    """A folder as lists show it; the root is not among them."""

    id: int
    name: str
    parent_id: int | None


@dataclass(frozen=True, slots=True)
class Shelf:
    """All of a person's feeds, folders and tags at a glance."""

    feeds: tuple[FeedLine, ...]
    """By title."""
    folders: tuple[FolderLine, ...]
    tags: tuple[tuple[str, int], ...]
    """Names with unread counts."""
    starred: int
    newest_item: int | None


@dataclass(frozen=True, slots=True)
class Fresh:
    """What arrived lately and was not dismissed, a few articles of each subscription."""

    articles: tuple[Article, ...]
    """Newest first within each subscription."""
    totals: Mapping[int, int] = field(default_factory=dict)
    """How many there are of each subscription altogether."""
    has_more: bool = False
    """There are subscriptions with fresh articles beyond those asked for."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How often fetches of a person's feeds ended one way on one day."""

    day: datetime
    outcome: str
    count: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """Everything that one "mark all read" marked; ``token`` undoes it."""

    count: int
    token: int


class OverviewStore(Protocol):
    """Overviews of a person's reading."""

    async def shelf(self, user_id: int) -> Shelf:
        """Gather all feeds, folders and tags of a person."""
        ...

    async def newest_item(self, user_id: int) -> int | None:
        """Tell the number of what arrived last; None when nothing ever did."""
        ...

    async def fresh(
        self, user_id: int, since: datetime, *, per_feed: int, most: int
    ) -> Fresh:
        """List what arrived since a time, at most so many of each subscription."""
        ...

    async def river(
        self, user_id: int, since: datetime, *, per_feed: int, sources: int, skip: int
    ) -> Fresh:
        """List what arrived since a time, of so many subscriptions, freshest first."""
        ...

    async def arrivals_per_feed(
        self, user_id: int, subscription_ids: Sequence[int], days: int
    ) -> dict[int, tuple[int, ...]]:
        """Count each subscription's articles by day of publication, oldest first."""
        ...

    async def outcomes(self, user_id: int, days: int) -> list[OutcomeCount]:
        """Count how fetches of a person's feeds ended on each of the last days."""
        ...

    async def sweep(self, user_id: int, wanted: Wanted) -> Sweep:
        """Mark everything that is wanted as read, so that it can be undone."""
        ...

    async def undo_sweep(self, user_id: int, token: int) -> int:
        """Make unread again what a sweep marked and nobody touched since."""
        ...
