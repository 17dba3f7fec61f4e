"""The sidebar: a person's folders, feeds and counts, gathered into a tree. Pure.

In: what the store has of them. Out: frozen values a template walks.
"""

from dataclasses import dataclass

from feedloom.model.oversight import Signs
from feedloom.model.overviews import FeedLine, Sidebar
from feedloom.model.reader import Folder, SavedSearch, Subscription
from feedloom.model.stages import FetchStatus

BROKEN_AFTER = 3
"""Failures in a row after which a feed counts as broken and offers Retry."""


@dataclass(frozen=True, slots=True)
class NavFeed:
    id: int
    title: str
    unread: int
    health: str
    favicon_id: int | None


@dataclass(frozen=True, slots=True)
class NavFolder:
    """A folder with what is in it; ``unread`` counts subfolders too."""

    folder: Folder
    unread: int
    folders: tuple["NavFolder", ...]
    feeds: tuple[NavFeed, ...]


@dataclass(frozen=True, slots=True)
class Navigation:
    unread: int
    starred: int
    folders: tuple[NavFolder, ...]
    feeds: tuple[NavFeed, ...]
    tags: tuple[tuple[str, int], ...]
    searches: tuple[SavedSearch, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.feeds and not self.folders


def alarms_of(signs: Signs) -> tuple[str, ...]:
    found = []
    if not signs.is_worker_seen:
        found.append(
            "No worker has run recently, so feeds aren't being refreshed. Start one with"
            " “feedloom worker”, or serve without “--no-worker”."
        )
    if signs.shares_role:
        found.append(
            "Web and worker use the same PostgreSQL role, so the database does not keep"
            " people's rows apart. Set FEEDLOOM_WORKER_DATABASE_URL to a separate role."
        )
    return tuple(found)


def health_of(feed: Subscription | FeedLine) -> str:
    if feed.is_mailing_list or feed.feed_id is None:
        return "quiet"
    if feed.paused_at is not None:
        return "paused"
    if feed.last_fetch_status is None:
        return "pending"
    if feed.last_fetch_status == FetchStatus.SUCCESS:
        return "working"
    stopped = feed.last_fetch_status != FetchStatus.TEMPORARY_ERROR
    if stopped or feed.consecutive_failures >= BROKEN_AFTER:
        return "broken"
    return "shaky"


def build_navigation(sidebar: Sidebar) -> Navigation:
    in_folder: dict[int, list[NavFeed]] = {}
    at_root: list[NavFeed] = []
    for line in sidebar.feeds:
        feed = NavFeed(line.id, line.title, line.unread, health_of(line), line.favicon_id)
        if line.in_root:
            at_root.append(feed)
        else:
            in_folder.setdefault(line.folder_id, []).append(feed)
    ids = {folder.id for folder in sidebar.folders}
    children: dict[int | None, list[Folder]] = {}
    for folder in sidebar.folders:
        parent = folder.parent_id if folder.parent_id in ids else None
        children.setdefault(parent, []).append(folder)
    return Navigation(
        unread=sum(line.unread for line in sidebar.feeds),
        starred=sidebar.starred,
        folders=_folders(children, None, in_folder),
        feeds=tuple(at_root),
        tags=sidebar.tags,
        searches=sidebar.searches,
    )


def _folders(
    children: dict[int | None, list[Folder]],
    parent: int | None,
    in_folder: dict[int, list[NavFeed]],
) -> tuple[NavFolder, ...]:
    found = []
    for folder in children.get(parent, []):
        below = _folders(children, folder.id, in_folder)
        feeds = tuple(in_folder.get(folder.id, ()))
        unread = sum(each.unread for each in below) + sum(feed.unread for feed in feeds)
        found.append(NavFolder(folder, unread, below, feeds))
    return tuple(found)
