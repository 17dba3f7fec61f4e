"""What the JSON API says: wire shapes, and how our values are translated into them.

Field names are those of the design's tables: ``last_fetched_at``, ``error_count``,
``items[].guid`` … Times are RFC 3339 in UTC. Addresses are shown without credentials.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

import msgspec

from feedloom.flow.refresh.schedule import explain
from feedloom.model.errors import BadAddress
from feedloom.model.reader import Article, Bookmark, Folder, Subscription
from feedloom.model.urls import without_credentials
from feedloom.model.work import Task


class Attachment(msgspec.Struct):
    """Something an article carries: sound, film, a document."""

    url: str
    mime: str | None
    length: int | None


class FeedItem(msgspec.Struct):
    """An article as it lies in its feed."""

    id: int
    feed_id: int
    guid: str
    url: str
    title: str
    description: str
    published_at: datetime
    fetched_at: datetime
    author: str | None
    unread: bool
    starred: bool
    saved_bookmark_id: int | None
    thumbnail_url: str | None
    enclosures: list[Attachment]


class Feed(msgspec.Struct):
    """A person's feed. Its id is the subscription's and never changes."""

    id: int
    url: str
    title: str
    last_fetched_at: datetime | None
    error_count: int
    created_at: datetime
    site_url: str | None
    description: str
    language: str | None
    folder_id: int | None
    retention: str
    interval: int | None
    is_mailing_list: bool
    full_text: bool
    pinned: bool
    user_agent: str | None
    has_cookie: bool
    """A cookie is sent with each fetch; which one is never told."""
    state: str
    last_fetch_status: str | None
    last_fetch_error: str | None
    last_success_at: datetime | None
    next_fetch_at: datetime | None
    next_fetch_reason: str
    unread_count: int
    items: list[FeedItem]


class ArticleShape(msgspec.Struct):
    """An article with everything about it."""

    id: int
    feed_id: int
    feed_title: str
    guid: str
    url: str
    title: str
    author: str | None
    description: str
    content: str | None
    full_content: str | None
    published_at: datetime
    updated_at: datetime | None
    fetched_at: datetime
    last_modified: datetime
    unread: bool
    starred: bool
    saved_bookmark_id: int | None
    tags: list[str]
    categories: list[str]
    language: str | None
    rtl: bool
    comments_url: str | None
    thumbnail_url: str | None
    enclosures: list[Attachment]


class ArticleList(msgspec.Struct):
    """One page of articles; ask again with ``next_cursor`` for the next."""

    articles: list[ArticleShape]
    next_cursor: str | None


class FolderShape(msgspec.Struct):
    """A folder; ``parent_id`` is None at the top."""

    id: int
    name: str
    parent_id: int | None
    path: str
    unread_count: int


class TagShape(msgspec.Struct):
    """A tag of a person's own."""

    name: str
    unread_count: int


class BookmarkShape(msgspec.Struct):
    """A page somebody keeps."""

    id: int
    url: str
    title: str
    description: str
    content: str | None
    summary: str
    tags: list[str]
    state: str
    pinned: bool
    enrich_status: str
    enrich_error: str | None
    added_at: datetime
    archived_at: datetime | None


class BookmarkList(msgspec.Struct):
    """One page of bookmarks."""

    bookmarks: list[BookmarkShape]
    next_cursor: str | None


class TaskShape(msgspec.Struct):
    """Something that runs in the background for a person."""

    id: int
    kind: str
    status: str
    progress: dict[str, Any] | None
    result: dict[str, Any] | None
    error: str | None
    created_at: datetime | None
    done_at: datetime | None


def feed_shape(feed: Subscription, articles: Iterable[Article] = ()) -> Feed:
    return Feed(
        id=feed.id,
        url=shown_address(feed.url),
        title=feed.title,
        last_fetched_at=feed.last_attempt_at,
        error_count=feed.consecutive_failures,
        created_at=feed.added_at,
        site_url=feed.site_url,
        description=feed.description,
        language=feed.language,
        folder_id=None if feed.in_root else feed.folder_id,
        retention=feed.retention.value,
        interval=feed.interval_s,
        is_mailing_list=feed.is_mailing_list,
        full_text=feed.full_text,
        pinned=feed.pinned,
        user_agent=feed.user_agent,
        has_cookie=bool(feed.cookie),
        state=feed.state,
        last_fetch_status=feed.last_fetch_status,
        last_fetch_error=feed.last_fetch_error,
        last_success_at=feed.last_success_at,
        next_fetch_at=feed.next_run_at,
        next_fetch_reason=explain(feed.reason),
        unread_count=feed.unread,
        items=[item_shape(article) for article in articles],
    )


def item_shape(article: Article) -> FeedItem:
    return FeedItem(
        id=article.item_no,
        feed_id=article.subscription_id,
        guid=article.guid,
        url=article.url,
        title=article.title,
        description=article.summary,
        published_at=article.published_at,
        fetched_at=article.arrived_at,
        author=article.author,
        unread=article.unread,
        starred=article.starred,
        saved_bookmark_id=article.saved_bookmark_id,
        thumbnail_url=article.thumbnail_url,
        enclosures=_attachments(article),
    )


def article_shape(article: Article, *, with_content: bool) -> ArticleShape:
    return ArticleShape(
        id=article.item_no,
        feed_id=article.subscription_id,
        feed_title=article.feed_title,
        guid=article.guid,
        url=article.url,
        title=article.title,
        author=article.author,
        description=article.summary,
        content=article.content if with_content else None,
        full_content=article.full_content if with_content else None,
        published_at=article.published_at,
        updated_at=article.updated_at,
        fetched_at=article.arrived_at,
        last_modified=article.last_modified,
        unread=article.unread,
        starred=article.starred,
        saved_bookmark_id=article.saved_bookmark_id,
        tags=list(article.tags),
        categories=list(article.categories),
        language=article.language,
        rtl=article.rtl,
        comments_url=article.comments_url,
        thumbnail_url=article.thumbnail_url,
        enclosures=_attachments(article),
    )


def folder_shape(folder: Folder, shown: Collection[int]) -> FolderShape:
    """Translate a folder; a parent that is not shown is the root."""
    return FolderShape(
        id=folder.id,
        name=folder.name,
        parent_id=folder.parent_id if folder.parent_id in shown else None,
        path=folder.path,
        unread_count=folder.unread,
    )


def bookmark_shape(bookmark: Bookmark, *, with_content: bool = True) -> BookmarkShape:
    return BookmarkShape(
        id=bookmark.id,
        url=shown_address(bookmark.url),
        title=bookmark.title,
        description=bookmark.description,
        content=bookmark.content if with_content else None,
        summary=bookmark.summary,
        tags=list(bookmark.tags),
        state=bookmark.state,
        pinned=bookmark.pinned,
        enrich_status=bookmark.enrich_status,
        enrich_error=bookmark.enrich_error,
        added_at=bookmark.added_at,
        archived_at=bookmark.archived_at,
    )


def task_shape(task: Task) -> TaskShape:
    """Translate a task; what it was given stays inside."""
    if task.done_at is None:
        status = "running" if task.lease_token else "waiting"
    else:
        status = "failed" if task.parked else "done"
    return TaskShape(
        id=task.id,
        kind=task.kind,
        status=status,
        progress=None if task.progress is None else dict(task.progress),
        result=None if task.result is None else dict(task.result),
        error=task.last_error,
        created_at=task.created_at,
        done_at=task.done_at,
    )


def shown_address(url: str) -> str:
    try:
        return without_credentials(url) if url else ""
    except BadAddress:
        return ""


def _attachments(article: Article) -> list[Attachment]:
    return [Attachment(e.url, e.mime, e.length) for e in article.enclosures]
