"""Fever on the wire: numbers for flags, ids in one string, text never null."""

from msgspec import Struct


class Group(Struct):
    """A folder. Two keys and no more: a client knows no others."""

    id: int
    title: str


class FeedsGroup(Struct):
    group_id: int
    feed_ids: str


class Feed(Struct):
    """A subscription; clients read ``id`` before ``favicon_id``."""

    id: int
    favicon_id: int
    title: str
    url: str
    site_url: str
    is_spark: int
    last_updated_on_time: int


class Favicon(Struct):
    """An icon: its type and its bytes in base64."""

    id: int
    data: str


class Item(Struct):
    id: int
    feed_id: int
    title: str
    author: str
    html: str
    url: str
    is_saved: int
    is_read: int
    created_on_time: int


class Answer(Struct, omit_defaults=True):
    """Everything one call can bring; what was not asked for is left out."""

    api_version: int
    auth: int
    last_refreshed_on_time: int | None = None
    groups: list[Group] | None = None
    feeds: list[Feed] | None = None
    feeds_groups: list[FeedsGroup] | None = None
    favicons: list[Favicon] | None = None
    items: list[Item] | None = None
    total_items: int | None = None
    links: list[object] | None = None
    unread_item_ids: str | None = None
    saved_item_ids: str | None = None
    error: str | None = None
