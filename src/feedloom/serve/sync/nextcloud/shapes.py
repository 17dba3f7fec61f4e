"""Nextcloud News on the wire: names, types and order of fields, nothing else.

Clients fail on a missing key, on null where they want text and on a number where they
want a boolean; so every field is always sent and has exactly the type given here.
"""

from msgspec import Struct


class Folder(Struct, rename="camel"):
    """A folder; the root is never one."""

    id: int
    name: str
    opened: bool = True
    feeds: tuple[()] = ()


class Feed(Struct, rename="camel"):
    id: int
    url: str
    title: str
    favicon_link: str | None
    added: int
    folder_id: int | None
    unread_count: int
    ordering: int
    link: str | None
    pinned: bool
    update_error_count: int
    last_update_error: str | None
    next_update_time: int | None
    items: tuple[()] = ()


class Item(Struct, rename="camel"):
    id: int
    guid: str
    guid_hash: str
    url: str
    title: str
    author: str
    """Never null, whatever the protocol says: newsboat ends at one."""
    pub_date: int
    updated_date: None
    body: str
    enclosure_mime: str | None
    enclosure_link: str | None
    media_thumbnail: str | None
    media_description: str | None
    feed_id: int
    unread: bool
    starred: bool
    filtered: bool
    rtl: bool
    last_modified: int
    fingerprint: str
    content_hash: str


class Feeds(Struct, rename="camel", omit_defaults=True):
    feeds: list[Feed]
    starred_count: int | None = None
    newest_item_id: int | None = None
    """Left out for somebody without items: 0 would be an id."""
