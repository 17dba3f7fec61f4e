"""Overviews for pages: fresh articles by source, counts for charts, bulk marking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from feedloom.model.reader import Article, Folder, SavedSearch


@dataclass(frozen=True, slots=True)
class FeedLine:
    """A subscription as the sidebar shows it."""

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
    latest_item_at: datetime | None = None
    interval_s: int | None = None
    """How long its publisher usually takes between two articles."""
    paused_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sidebar:
    feeds: tuple[FeedLine, ...]
    """By title."""
    folders: tuple[Folder, ...]
    tags: tuple[tuple[str, int], ...]
    """Names with unread counts."""
    starred: int
    newest_item: int | None
    searches: tuple[SavedSearch, ...] = ()
    """By name."""


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
class PatientHost:
    """A host that asked to be left alone for a while."""

    host: str
    until: datetime
    feeds: int
    """How many of the person's feeds wait for it."""


@dataclass(frozen=True, slots=True)
class Fetching:
    """How far the fetches are that a person asked for."""

    waiting: int
    running: int
    done: int
    failed: int
    hosts: tuple[PatientHost, ...]


@dataclass(frozen=True, slots=True)
class Week:
    start: datetime
    """Monday, midnight UTC."""
    published: int
    read: int


@dataclass(frozen=True, slots=True)
class FeedUse:
    """How much a feed published in some weeks, and how much of it the person read."""

    id: int
    title: str
    favicon_id: int | None
    published: int
    read: int
    weeks: float
    """Weeks since it was added, at most those looked at."""
    read_after_days: int | None

    @property
    def per_week(self) -> int:
        return round(self.published / self.weeks)


@dataclass(frozen=True, slots=True)
class Statistics:
    weeks: tuple[Week, ...]
    feeds: tuple[FeedUse, ...]


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
