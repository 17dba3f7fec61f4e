"""The side bar: a person's folders, feeds and counts, gathered into a tree.

In: lists from the stores. Out: frozen values a template walks. Never asks per feed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from feedloom.model.reading import Folder, Subscription
from feedloom.model.stages import FetchStatus
from feedloom.serve.services import Services

BROKEN_AFTER = 3
"""Failures in a row after which a feed counts as broken and offers Retry."""


@dataclass(frozen=True, slots=True)
class NavFeed:
    """A feed as the side bar shows it."""

    id: int
    title: str
    unread: int
    health: str
    favicon_id: int | None


@dataclass(frozen=True, slots=True)
class NavFolder:
    """A folder with what is in it; ``unread`` counts subfolders too."""

    id: int
    name: str
    unread: int
    folders: tuple["NavFolder", ...]
    feeds: tuple[NavFeed, ...]


@dataclass(frozen=True, slots=True)
class Navigation:
    """All that the side bar shows."""

    unread: int
    starred: int
    folders: tuple[NavFolder, ...]
    feeds: tuple[NavFeed, ...]
    tags: tuple[tuple[str, int], ...]
    broken: int

    @property
    def is_empty(self) -> bool:
        """True for somebody who has not subscribed to anything yet."""
        return not self.feeds and not self.folders


def health_of(subscription: Subscription) -> str:
    """Say how a feed is, in one of five words that style sheets know."""
    if subscription.is_mailing_list or subscription.feed_id is None:
        return "quiet"
    if subscription.last_fetch_status is None:
        return "pending"
    if subscription.last_fetch_status == FetchStatus.SUCCESS:
        return "working"
    stopped = subscription.last_fetch_status != FetchStatus.TEMPORARY_ERROR
    if stopped or subscription.consecutive_failures >= BROKEN_AFTER:
        return "broken"
    return "shaky"


async def load_navigation(
    services: Services, user_id: int, subscriptions: Sequence[Subscription]
) -> Navigation:
    """Gather the side bar of a person."""
    folders = await services.folders.folders(user_id)
    counts = await services.reading.counts(user_id)
    tags = await services.reading.tags(user_id)
    return build_navigation(
        subscriptions, folders, starred=counts.starred, tags=tuple(tags)
    )


def build_navigation(
    subscriptions: Sequence[Subscription],
    folders: Sequence[Folder],
    *,
    starred: int = 0,
    tags: tuple[tuple[str, int], ...] = (),
) -> Navigation:
    """Put feeds into their folders and folders into each other."""
    in_folder: dict[int, list[NavFeed]] = {}
    at_root: list[NavFeed] = []
    for subscription in subscriptions:
        feed = _feed(subscription)
        if subscription.in_root:
            at_root.append(feed)
        else:
            in_folder.setdefault(subscription.folder_id, []).append(feed)
    ids = {folder.id for folder in folders}
    children: dict[int | None, list[Folder]] = {}
    for folder in folders:
        parent = folder.parent_id if folder.parent_id in ids else None
        children.setdefault(parent, []).append(folder)
    tree = _folders(children, None, in_folder)
    return Navigation(
        unread=sum(subscription.unread for subscription in subscriptions),
        starred=starred,
        folders=tree,
        feeds=tuple(at_root),
        tags=tags,
        broken=sum(health_of(s) == "broken" for s in subscriptions),
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
        unread = _unread(below) + _unread(feeds)
        found.append(NavFolder(folder.id, folder.name, unread, below, feeds))
    return tuple(found)


def _unread(items: Iterable[NavFolder | NavFeed]) -> int:
    return sum(item.unread for item in items)


def _feed(subscription: Subscription) -> NavFeed:
    return NavFeed(
        subscription.id,
        subscription.title,
        subscription.unread,
        health_of(subscription),
        subscription.favicon_id,
    )
