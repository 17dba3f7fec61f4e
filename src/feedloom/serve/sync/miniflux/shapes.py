"""Miniflux's REST API on the wire: names and types of fields, nothing else."""

from typing import Literal

from msgspec import Struct

Status = Literal["unread", "read", "removed"]


class Category(Struct, omit_defaults=True):
    id: int
    title: str
    user_id: int
    hide_globally: bool
    feed_count: int | None = None
    total_unread: int | None = None


class Feed(Struct):
    """A subscription. What we do not keep has the value of a feed nobody touched."""

    id: int
    user_id: int
    feed_url: str
    site_url: str
    title: str
    description: str
    checked_at: str
    next_check_at: str
    last_successful_refresh_at: str | None
    parsing_error_count: int
    parsing_error_message: str
    crawler: bool
    user_agent: str
    category: Category
    icon: dict[str, int] | None
    etag_header: str = ""
    last_modified_header: str = ""
    scraper_rules: str = ""
    rewrite_rules: str = ""
    blocklist_rules: str = ""
    keeplist_rules: str = ""
    cookie: str = ""
    username: str = ""
    password: str = ""
    disabled: bool = False
    no_media_player: bool = False
    ignore_http_cache: bool = False
    allow_self_signed_certificates: bool = False
    fetch_via_proxy: bool = False
    hide_globally: bool = False


class Enclosure(Struct):
    id: int
    user_id: int
    entry_id: int
    url: str
    mime_type: str
    size: int
    media_progression: int = 0


class Entry(Struct):
    id: int
    user_id: int
    feed_id: int
    status: Status
    hash: str
    title: str
    url: str
    comments_url: str
    published_at: str
    created_at: str
    changed_at: str
    content: str
    author: str
    starred: bool
    reading_time: int
    enclosures: tuple[Enclosure, ...]
    feed: Feed
    tags: tuple[str, ...]
    share_code: str = ""
