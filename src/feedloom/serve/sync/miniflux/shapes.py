"""Our values as Miniflux's JSON. Pure."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import unquote

from feedloom.model.reader import Article, Folder, Icon, Subscription, User
from feedloom.model.urls import read_address
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.sync.bodies import content_of

Shape = dict[str, object]
Positions = Mapping[tuple[int, str], int]
"""How far somebody is in each enclosure of an article, in seconds."""

ENCLOSURES_EACH = 100
"""Enclosures have no ids with us: theirs is the entry's, times this, plus their place."""
_WORDS_PER_MINUTE = 265
_NEVER = datetime(1, 1, 1, tzinfo=UTC)


def moment(at: datetime | None) -> str:
    """Write a time in whole seconds; clients' parsers differ about the rest."""
    return (at or _NEVER).isoformat()[:19] + "Z"


def _instant(at: datetime | None) -> str:
    """Write a time of ours in full, as the original does: two may share a second."""
    return (at or _NEVER).isoformat()[:-6] + "Z"


def category_shape(folder: Folder, user: User) -> Shape:
    return {
        "id": folder.id,
        "title": folder.path or "All",
        "user_id": user.id,
        "hide_globally": folder.hidden_globally,
    }


def feed_shape(feed: Subscription, category: Shape, *, url: str, lists: Mapping[str, str]) -> Shape:
    """Show a feed; ``lists`` are its block list and keep list, where it has them.

    What we do not keep has the value of a feed nobody touched. The password is never shown.
    """
    icon, username = feed.favicon_id, ""
    if "@" in feed.url:
        username = unquote(read_address(feed.url).userinfo.partition(":")[0])
    return {
        "id": feed.id,
        "user_id": feed.user_id,
        "feed_url": url,
        "site_url": feed.site_url or url,
        "title": feed.title or url,
        "description": feed.description,
        "checked_at": _instant(feed.last_attempt_at),
        "next_check_at": moment(feed.next_run_at),
        "last_successful_refresh_at": (
            _instant(feed.last_success_at) if feed.last_success_at else None
        ),
        "parsing_error_count": feed.consecutive_failures,
        "parsing_error_message": feed.last_fetch_error or "",
        "crawler": feed.full_text,
        "user_agent": feed.user_agent or "",
        "category": category,
        "icon": None if icon is None else {"feed_id": feed.id, "icon_id": icon},
        "etag_header": "",
        "last_modified_header": "",
        "scraper_rules": feed.content_selector or "",
        "rewrite_rules": "",
        "blocklist_rules": lists.get("blocklist_rules", ""),
        "keeplist_rules": lists.get("keeplist_rules", ""),
        "cookie": "",
        "username": username,
        "password": "",
        "disabled": feed.paused_at is not None,
        "no_media_player": False,
        "ignore_http_cache": feed.ignores_cache,
        "allow_self_signed_certificates": False,
        "fetch_via_proxy": False,
        "hide_globally": feed.hidden_globally,
    }


def entry_shape(article: Article, user_id: int, feed: object, positions: Positions) -> Shape:
    """Show an entry inside its feed, whose JSON may be written already."""
    content = content_of(article)
    status = "unread" if article.unread else "read"
    return {
        "id": article.item_no,
        "user_id": user_id,
        "feed_id": article.subscription_id,
        "status": "removed" if article.hidden and not article.starred else status,
        "hash": article.guid_hash,
        "title": article.shown_title or article.url,
        "url": article.url,
        "comments_url": article.comments_url or "",
        "published_at": moment(article.published_at),
        "created_at": _instant(article.arrived_at),
        "changed_at": _instant(article.last_modified),
        "content": content,
        "author": article.author or "",
        "starred": article.starred,
        "reading_time": reading_time(content),
        "enclosures": enclosure_shapes(article, user_id, positions),
        "feed": feed,
        "tags": (*article.tags, *article.categories),
        "share_code": "",
    }


def reading_time(content: str) -> int:
    return max(1, content.count(" ") // _WORDS_PER_MINUTE)


def enclosure_shapes(article: Article, user_id: int, positions: Positions) -> list[Shape]:
    return [
        {
            "id": article.item_no * ENCLOSURES_EACH + place,
            "user_id": user_id,
            "entry_id": article.item_no,
            "url": file_for_app(enclosure.url, enclosure.mime),
            "mime_type": enclosure.mime or "application/octet-stream",
            "size": enclosure.length or 0,
            "media_progression": positions.get((article.article_id, enclosure.url), 0),
        }
        for place, enclosure in enumerate(article.enclosures[:ENCLOSURES_EACH])
    ]


def icon_shape(id_: int, icon: Icon) -> Shape:
    data = base64.b64encode(icon.data).decode()
    return {"id": id_, "mime_type": icon.mime, "data": f"{icon.mime};base64,{data}"}
