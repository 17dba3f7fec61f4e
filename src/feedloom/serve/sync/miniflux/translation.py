"""From our values to Miniflux's wire shapes. Pure."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import unquote

from feedloom.model.reader import Article, Folder, Icon, Subscription, User
from feedloom.model.urls import read_address
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.sync.bodies import content_of
from feedloom.serve.sync.miniflux import shapes

ROOT_TITLE = "All"
ENCLOSURES_EACH = 100
"""Enclosures have no ids with us: theirs is the entry's, times this, plus their place."""
_WORDS_PER_MINUTE = 265
_NEVER = datetime(1, 1, 1, tzinfo=UTC)


def moment(at: datetime | None) -> str:
    """Write a time in whole seconds; clients' parsers differ about the rest."""
    return (at or _NEVER).isoformat()[:19] + "Z"


def instant(at: datetime | None) -> str:
    """Write a time of ours in full, as the original does: two may share a second."""
    return (at or _NEVER).isoformat()[:-6] + "Z"


def category_shape(folder: Folder, user: User) -> shapes.Category:
    return shapes.Category(
        folder.id, folder.path or ROOT_TITLE, user.id, hide_globally=folder.hidden_globally
    )


def feed_shape(
    feed: Subscription, category: shapes.Category, *, url: str, lists: Mapping[str, str]
) -> shapes.Feed:
    """Show a feed; ``lists`` are its block list and keep list, where it has them."""
    icon = feed.favicon_id
    return shapes.Feed(
        id=feed.id,
        user_id=feed.user_id,
        feed_url=url,
        site_url=feed.site_url or url,
        title=feed.title or url,
        description=feed.description,
        checked_at=instant(feed.last_attempt_at),
        next_check_at=moment(feed.next_run_at),
        last_successful_refresh_at=instant(feed.last_success_at) if feed.last_success_at else None,
        parsing_error_count=feed.consecutive_failures,
        parsing_error_message=feed.last_fetch_error or "",
        crawler=feed.full_text,
        user_agent=feed.user_agent or "",
        category=category,
        icon=None if icon is None else {"feed_id": feed.id, "icon_id": icon},
        scraper_rules=feed.content_selector or "",
        blocklist_rules=lists.get("blocklist_rules", ""),
        keeplist_rules=lists.get("keeplist_rules", ""),
        username=_username(feed.url),
        disabled=feed.paused_at is not None,
        ignore_http_cache=feed.ignores_cache,
        hide_globally=feed.hidden_globally,
    )


def _username(url: str) -> str:
    """Return whom a feed is fetched for; the password is never shown."""
    if "@" not in url:
        return ""
    return unquote(read_address(url).userinfo.partition(":")[0])


def entry_shape(
    article: Article, feed: shapes.Feed, positions: Mapping[tuple[int, str], int]
) -> shapes.Entry:
    content = content_of(article)
    return shapes.Entry(
        id=article.item_no,
        user_id=feed.user_id,
        feed_id=article.subscription_id,
        status=_status(article),
        hash=article.guid_hash,
        title=article.shown_title or article.url,
        url=article.url,
        comments_url=article.comments_url or "",
        published_at=moment(article.published_at),
        created_at=instant(article.arrived_at),
        changed_at=instant(article.last_modified),
        content=content,
        author=article.author or "",
        starred=article.starred,
        reading_time=max(1, content.count(" ") // _WORDS_PER_MINUTE),
        enclosures=enclosure_shapes(article, feed.user_id, positions),
        feed=feed,
        tags=(*article.tags, *article.categories),
    )


def _status(article: Article) -> shapes.Status:
    if article.hidden and not article.starred:
        return "removed"
    return "unread" if article.unread else "read"


def enclosure_shapes(
    article: Article, user_id: int, positions: Mapping[tuple[int, str], int]
) -> tuple[shapes.Enclosure, ...]:
    """Show enclosures with how far their reader is in them, in seconds."""
    return tuple(
        shapes.Enclosure(
            id=article.item_no * ENCLOSURES_EACH + place,
            user_id=user_id,
            entry_id=article.item_no,
            url=file_for_app(enclosure.url, enclosure.mime),
            mime_type=enclosure.mime or "application/octet-stream",
            size=enclosure.length or 0,
            media_progression=positions.get((article.article_id, enclosure.url), 0),
        )
        for place, enclosure in enumerate(article.enclosures[:ENCLOSURES_EACH])
    )


def icon_shape(id_: int, icon: Icon) -> dict[str, object]:
    data = base64.b64encode(icon.data).decode()
    return {"id": id_, "mime_type": icon.mime, "data": f"{icon.mime};base64,{data}"}
