"""Exports: a person's subscriptions as OPML, and all their data as one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from feedloom.model.bookmarks import WantedBookmarks
from feedloom.model.distilled.digests import Summary
from feedloom.model.distilled.documents import OutlineFeed, OutlineFolder, PersonExport
from feedloom.model.ports import Clock
from feedloom.model.reader import Folder, Subscription, User, Wanted
from feedloom.model.urls import hide_credentials
from feedloom.publish import data_export, opml

if TYPE_CHECKING:
    from feedloom import store

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
            url = each.url if with_passwords else hide_credentials(each.url)
            feeds.setdefault(place, []).append(OutlineFeed(each.title, url, each.site_url))
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
    subscriptions: store.SubscriptionStore
    folders: store.FolderStore
    reading: store.ReadingStore
    bookmarks: store.BookmarkStore
    rules: store.RuleStore
    searches: store.SavedSearchStore
    stories: store.StoryStore
    interests: store.InterestStore
    summaries: store.SummaryStore

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
        sections: dict[str, Sequence[Row]] = {
            "folders": [_row(folder, "path", "read_after_days") for folder in folders],
            "subscriptions": [_subscription(each, paths) for each in subscriptions],
            "tags": [{"name": name} for name, _ in await self.reading.tags(user.id)],
            "rules": [asdict(rule) for rule in await self.rules.rules(user.id)],
            "searches": [asdict(search) for search in await self.searches.searches(user.id)],
            "stories": [
                {"title": one.first.title, "url": one.first.url, "followed_at": one.followed_at}
                for one in await self.stories.followed(user.id)
            ],
            "interests": [asdict(one) for one in await self.interests.interests(user.id)],
            "starred": await self._articles(user.id, Wanted(starred=True)),
            "unread": await self._articles(user.id, Wanted(unread=True)),
            "bookmarks": await self._bookmarks(user.id),
            "digests": await self._digests(user.id),
        }
        if not with_passwords:
            sections = {name: list(map(_redacted, rows)) for name, rows in sections.items()}
        profile = {
            "email": user.email,
            "created_at": user.created_at or "",
            "settings": dict(user.settings),
        }
        return data_export(
            PersonExport(
                exported_at=self.clock.now(),
                version=self.version,
                profile=profile,
                sections={name: tuple(rows) for name, rows in sections.items()},
            )
        )

    async def _articles(self, user_id: int, wanted: Wanted) -> list[Row]:
        found: list[Row] = []
        wanted = replace(wanted, include_hidden=True, limit=_PAGE)
        while True:
            page = await self.reading.articles(user_id, wanted)
            found += (
                {
                    "title": article.title,
                    "url": article.url,
                    "feed": article.feed_title,
                    "published_at": article.published_at,
                    "tags": list(article.tags),
                }
                for article in page.articles
            )
            if page.next_cursor is None:
                return found
            wanted = replace(wanted, cursor=page.next_cursor)

    async def _bookmarks(self, user_id: int) -> list[Row]:
        found: list[Row] = []
        wanted = WantedBookmarks(limit=_PAGE, with_content=True)
        while True:
            page = await self.bookmarks.bookmarks(user_id, wanted)
            found += (
                _row(one, "title", "url", "description", "summary", "content")
                | {"tags": list(one.tags)}
                | _row(one, "state", "pinned", "added_at")
                for one in page.bookmarks
            )
            if page.next_cursor is None:
                return found
            wanted = replace(wanted, cursor=page.next_cursor)

    async def _digests(self, user_id: int) -> list[Row]:
        found: list[Row] = []
        cursor: str | None = None
        while True:
            page = await self.summaries.summaries(user_id, cursor=cursor, limit=_PAGE)
            found += map(_digest, page.summaries)
            cursor = page.next_cursor
            if cursor is None:
                return found


def _row(value: object, *names: str) -> dict[str, object]:
    return {name: getattr(value, name) for name in names}


def _redacted(row: Row) -> Row:
    """Leave out the passwords in a row's addresses."""
    hidden: dict[str, object] = dict(row)
    for name in ("url", "site_url"):
        if isinstance(url := hidden.get(name), str):
            hidden[name] = hide_credentials(url)
    if isinstance(sources := hidden.get("sources"), list):
        hidden["sources"] = [_redacted(source) for source in sources]
    return hidden


def _subscription(each: Subscription, paths: Mapping[int, str]) -> Row:
    return {
        "title": each.title,
        "own_title": each.own_title,
        "url": each.url or "",
        "site_url": each.site_url,
        "folder": "" if each.in_root else paths.get(each.folder_id, ""),
        "retention": each.retention.value,
        **_row(each, "interval_s", "read_after_days", "full_text", "calm_titles"),
        **_row(each, "paused_at", "added_at"),
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
        **_row(summary, "language", "model", "created_at"),
    }
