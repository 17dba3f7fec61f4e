"""Wire shapes of the JSON API, and the translation of our values into them.

Field names are those of the design's tables: ``last_fetched_at``, ``error_count``,
``items[].guid`` … Times are RFC 3339 in UTC. Addresses are shown without credentials.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from feedloom.flow.refresh.schedule import explain_feed
from feedloom.model.distilled.requests import SCORE_NAMES
from feedloom.model.feed import Enclosure
from feedloom.model.reader import Article, Bookmark, Folder, Subscription
from feedloom.model.urls import shown_address
from feedloom.model.work import Task

S = TypeVar("S", bound=msgspec.Struct)


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
    enclosures: tuple[Enclosure, ...]


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
    direct: bool
    """Fetched past the outbound proxy, if there is one."""
    full_text: bool
    calm_titles: bool | None
    """None is as the person's settings say."""
    pinned: bool
    read_after_days: int | None
    """After how many days unread articles count as read; None is as the folder says."""
    paused: bool
    """Nothing arrives until it is resumed."""
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
    tags: tuple[str, ...]
    categories: tuple[str, ...]
    language: str | None
    rtl: bool
    comments_url: str | None
    thumbnail_url: str | None
    enclosures: tuple[Enclosure, ...]
    calm_title: str | None = None
    """What you read in place of ``title``, if you want calm titles and there is one."""
    scores: dict[str, float | None] | None = None
    """clickbait, slant and overall; None before the article was analysed."""
    judgement: "Judgement | None" = None
    """With content only."""
    changed_at: datetime | None = None
    """When its publisher last changed the headline or the text; None if never."""


class Judgement(msgspec.Struct):
    """How a headline is worded: scores from 0 to 1, or None where it was not judged."""

    calm_title: str
    kind: str
    """same, typography, quotation or rewritten."""
    scores: dict[str, float | None]
    reasons: dict[str, str]


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
    read_after_days: int | None
    """After how many days its unread articles count as read."""


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
    tags: tuple[str, ...]
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
    progress: Mapping[str, Any] | None
    result: Mapping[str, Any] | None
    error: str | None
    created_at: datetime | None
    done_at: datetime | None


def shape(kind: type[S], value: object, **others: object) -> S:
    """Make a shape of what a value calls by the same names, and of others."""
    names = (name for name in kind.__struct_fields__ if name not in others)
    return kind(**{name: getattr(value, name) for name in names}, **others)


def feed_shape(feed: Subscription, articles: Iterable[Article] = ()) -> Feed:
    return shape(
        Feed,
        feed,
        url=shown_address(feed.url),
        last_fetched_at=feed.last_attempt_at,
        error_count=feed.consecutive_failures,
        created_at=feed.added_at,
        folder_id=None if feed.in_root else feed.folder_id,
        interval=feed.interval_s,
        has_cookie=bool(feed.cookie),
        next_fetch_at=feed.next_run_at,
        next_fetch_reason=explain_feed(feed),
        paused=feed.paused_at is not None,
        unread_count=feed.unread,
        items=[shape(FeedItem, a, **_names_of(a)) for a in articles],
    )


def article_shape(article: Article, *, with_content: bool) -> ArticleShape:
    hidden = {} if with_content else {"content": None, "full_content": None}
    judged = {
        "scores": _scores(article),
        "judgement": _judgement(article) if with_content else None,
    }
    return shape(ArticleShape, article, **_names_of(article), **hidden, **judged)


def article_list(
    articles: Iterable[Article], next_cursor: str | None = None, *, with_content: bool = False
) -> ArticleList:
    return ArticleList([article_shape(a, with_content=with_content) for a in articles], next_cursor)


def _names_of(article: Article) -> dict[str, Any]:
    """Return what pages and store call by other names."""
    return {
        "id": article.item_no,
        "feed_id": article.subscription_id,
        "description": article.summary,
        "fetched_at": article.arrived_at,
    }


def _scores(article: Article) -> dict[str, float | None] | None:
    if not article.is_analysed:
        return None
    return {"clickbait": article.clickbait, "slant": article.slant, "overall": article.score}


def _judgement(article: Article) -> Judgement | None:
    found = article.analysed
    if found is None:
        return None
    named = {name: getattr(found, key) for key, name in SCORE_NAMES.items()}
    return Judgement(
        calm_title=found.calm_title,
        kind=found.title_kind.value,
        scores={name: score.value for name, score in named.items()} | {"overall": found.overall},
        reasons={name: score.reason for name, score in named.items()},
    )


def folder_shape(folder: Folder, shown: Collection[int]) -> FolderShape:
    """Translate a folder; a parent that is not shown is the root."""
    parent_id = folder.parent_id if folder.parent_id in shown else None
    return shape(FolderShape, folder, parent_id=parent_id, unread_count=folder.unread)


def bookmark_shape(bookmark: Bookmark, *, with_content: bool = True) -> BookmarkShape:
    content = bookmark.content if with_content else None
    return shape(BookmarkShape, bookmark, url=shown_address(bookmark.url), content=content)


def task_shape(task: Task) -> TaskShape:
    """Translate a task; what it was given stays inside."""
    if task.done_at is None:
        status = "running" if task.lease_token else "waiting"
    else:
        status = "failed" if task.parked else "done"
    return shape(TaskShape, task, status=status, error=task.last_error)
