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


class FeedIcon(Struct):
    feed_id: int
    icon_id: int


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
    icon: FeedIcon | None
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


class EntryIds(Struct):
    total: int
    entry_ids: list[int]


class Icon(Struct):
    id: int
    mime_type: str
    data: str


class Counters(Struct):
    """Read and unread entries by feed; ids are keys, so they are text."""

    reads: dict[str, int]
    unreads: dict[str, int]


class Person(Struct):
    id: int
    username: str
    is_admin: bool
    last_login_at: str
    theme: str = "system_serif"
    language: str = "en_US"
    timezone: str = "UTC"
    entry_sorting_direction: str = "desc"
    entry_sorting_order: str = "published_at"
    stylesheet: str = ""
    google_id: str = ""
    openid_connect_id: str = ""
    entries_per_page: int = 100
    keyboard_shortcuts: bool = True
    show_reading_time: bool = True
    entry_swipe: bool = True
    gesture_nav: str = "tap"
    display_mode: str = "standalone"
    default_reading_speed: int = 265
    cjk_reading_speed: int = 500
    default_home_page: str = "unread"
    categories_sorting_order: str = "alphabetical"
    mark_read_on_view: bool = True


class Found(Struct):
    url: str
    title: str
    type: str


class Version(Struct):
    version: str
    commit: str
    build_date: str
    go_version: str
    compiler: str
    arch: str
    os: str


class Failure(Struct):
    error_message: str
