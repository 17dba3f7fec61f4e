"""Exports: a person's subscriptions as OPML, and all their data as one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from feedloom.model.bookmarks import WantedBookmarks
from feedloom.model.distilled.digests import Summary
from feedloom.model.distilled.documents import OutlineFeed, OutlineFolder, PersonExport
from feedloom.model.ports import Clock
from feedloom.model.reader import Article, Bookmark, Folder, Subscription, User, Wanted
from feedloom.model.stories import StoryLine
from feedloom.model.urls import hide_credentials
from feedloom.publish import data_export, opml

if TYPE_CHECKING:
    from feedloom.store import (
        BookmarkStore,
        FolderStore,
        InterestStore,
        ReadingStore,
        RuleStore,
        SavedSearchStore,
        StoryStore,
        SubscriptionStore,
        SummaryStore,
    )

_PAGE = 500
Row = Mapping[str, object]


def outline(
    folders: Sequence[Folder],
    subscriptions: Sequence[Subscription],
    *,
    with_passwords: bool = False,
) -> OutlineFolder:
    feeds: dict[int | None, list[OutlineFeed]] = {}
    for each in subscriptions:
        if each.feed_id is not None:
            place = None if each.in_root else each.folder_id
            feeds.setdefault(place, []).append(
                OutlineFeed(
                    each.title,
                    each.url if with_passwords else hide_credentials(each.url),
                    each.site_url,
                )
            )
    ids = {folder.id for folder in folders}
    children: dict[int | None, list[Folder]] = {}
    for folder in folders:
        parent = folder.parent_id if folder.parent_id in ids else None
        children.setdefault(parent, []).append(folder)

    def branch(folder_id: int | None, name: str) -> OutlineFolder:
        below = tuple(branch(f.id, f.name) for f in children.get(folder_id, ()))
        return OutlineFolder(name, tuple(feeds.get(folder_id, ())), below)

    return branch(None, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporting:
    clock: Clock
    version: str
    subscriptions: SubscriptionStore
    folders: FolderStore
    reading: ReadingStore
    bookmarks: BookmarkStore
    rules: RuleStore
    searches: SavedSearchStore
    stories: StoryStore
    interests: InterestStore
    summaries: SummaryStore

    async def opml(self, user: User, *, with_passwords: bool = False) -> bytes:
        tree = outline(
            await self.folders.folders(user.id),
            await self.subscriptions.subscriptions(user.id),
            with_passwords=with_passwords,
        )
        return opml(tree, title="Feedloom subscriptions", created_at=self.clock.now())

    async def everything(self, user: User, *, with_passwords: bool = False) -> bytes:
        subscriptions = await self.subscriptions.subscriptions(user.id)
        folders = await self.folders.folders(user.id)
        paths = {folder.id: folder.path for folder in folders}
        sections: dict[str, tuple[Row, ...]] = {
            "folders": tuple(map(_folder, folders)),
            "subscriptions": tuple(_subscription(s, paths) for s in subscriptions),
            "tags": tuple({"name": name} for name, _ in await self.reading.tags(user.id)),
            "rules": tuple(asdict(rule) for rule in await self.rules.rules(user.id)),
            "searches": tuple(asdict(s) for s in await self.searches.searches(user.id)),
            "stories": tuple(map(_story, await self.stories.followed(user.id))),
            "interests": tuple(asdict(i) for i in await self.interests.interests(user.id)),
            "starred": await self._articles(
                user.id, Wanted(starred=True, include_hidden=True, limit=_PAGE)
            ),
            "unread": await self._articles(
                user.id, Wanted(unread=True, include_hidden=True, limit=_PAGE)
            ),
            "bookmarks": await self._bookmarks(user.id),
            "digests": await self._digests(user.id),
        }
        if not with_passwords:
            sections = {
                name: tuple(_without_passwords(row) for row in rows)
                for name, rows in sections.items()
            }
        return data_export(
            PersonExport(
                exported_at=self.clock.now(),
                version=self.version,
                profile=_profile(user),
                sections=sections,
            )
        )

    async def _articles(self, user_id: int, wanted: Wanted) -> tuple[Row, ...]:
        found: list[Row] = []
        cursor: str | None = None
        while True:
            asked = replace(wanted, include_hidden=True, limit=_PAGE, cursor=cursor)
            page = await self.reading.articles(user_id, asked)
            found += map(_article, page.articles)
            cursor = page.next_cursor
            if cursor is None:
                return tuple(found)

    async def _bookmarks(self, user_id: int) -> tuple[Row, ...]:
        found: list[Row] = []
        cursor: str | None = None
        while True:
            page = await self.bookmarks.bookmarks(
                user_id, WantedBookmarks(cursor=cursor, limit=_PAGE, with_content=True)
            )
            found += map(_bookmark, page.bookmarks)
            cursor = page.next_cursor
            if cursor is None:
                return tuple(found)

    async def _digests(self, user_id: int) -> tuple[Row, ...]:
        found: list[Row] = []
        cursor: str | None = None
        while True:
            page = await self.summaries.summaries(user_id, cursor=cursor, limit=_PAGE)
            found += map(_digest, page.summaries)
            cursor = page.next_cursor
            if cursor is None:
                return tuple(found)


def _without_passwords(row: Row) -> Row:
    hidden: dict[str, object] = dict(row)
    for name in ("url", "site_url"):
        if isinstance(url := hidden.get(name), str):
            hidden[name] = hide_credentials(url)
    if isinstance(sources := hidden.get("sources"), list):
        hidden["sources"] = [_without_passwords(source) for source in sources]
    return hidden


def _profile(user: User) -> Row:
    return {
        "email": user.email,
        "created_at": _told(user.created_at),
        "settings": dict(user.settings),
    }


def _story(line: StoryLine) -> Row:
    return {"title": line.first.title, "url": line.first.url, "followed_at": line.followed_at}


def _folder(folder: Folder) -> Row:
    return {"path": folder.path, "read_after_days": folder.read_after_days}


def _subscription(each: Subscription, paths: Mapping[int, str]) -> Row:
    return {
        "title": each.title,
        "own_title": each.own_title,
        "url": each.url or "",
        "site_url": each.site_url,
        "folder": "" if each.in_root else paths.get(each.folder_id, ""),
        "retention": each.retention.value,
        "interval_s": each.interval_s,
        "read_after_days": each.read_after_days,
        "full_text": each.full_text,
        "calm_titles": each.calm_titles,
        "paused_at": each.paused_at,
        "added_at": each.added_at,
    }


def _article(article: Article) -> Row:
    return {
        "title": article.title,
        "url": article.url,
        "feed": article.feed_title,
        "published_at": article.published_at,
        "tags": list(article.tags),
    }


def _bookmark(bookmark: Bookmark) -> Row:
    return {
        "title": bookmark.title,
        "url": bookmark.url,
        "description": bookmark.description,
        "summary": bookmark.summary,
        "content": bookmark.content,
        "tags": list(bookmark.tags),
        "state": bookmark.state,
        "pinned": bookmark.pinned,
        "added_at": bookmark.added_at,
    }


def _digest(summary: Summary) -> Row:
    return {
        "content": summary.content,
        "sources": [
            {"id": one.item_no, "title": one.title, "source": one.source, "url": one.url}
            for one in summary.cited
        ],
        "items": [asdict(paragraph) for paragraph in summary.paragraphs],
        "left_out": asdict(summary.left_out),
        "language": summary.language,
        "model": summary.model,
        "created_at": summary.created_at,
    }


def _told(at: datetime | None) -> datetime | str:
    return at if at is not None else ""
