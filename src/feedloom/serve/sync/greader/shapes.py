"""Google Reader on the wire: names and types of fields, nothing else.

``content`` is never sent: a client that knows both names for one field refuses an item
that has it beside ``summary``. What is optional is left out when it is empty.
"""

from typing import Literal

from msgspec import Struct


class Enclosure(Struct, omit_defaults=True):
    href: str
    type: str
    length: int | None = None


class Summary(Struct):
    content: str
    direction: Literal["ltr", "rtl"] = "ltr"


class Origin(Struct, rename="camel"):
    stream_id: str
    title: str
    html_url: str


class Item(Struct, rename="camel", omit_defaults=True):
    id: str
    crawl_time_msec: str
    timestamp_usec: str
    published: int
    title: str
    canonical: tuple[dict[str, str]]
    alternate: tuple[dict[str, str]]
    summary: Summary
    categories: list[str]
    origin: Origin
    updated: int | None = None
    author: str | None = None
    enclosure: tuple[Enclosure, ...] | None = None


class Subscription(Struct, rename="camel"):
    id: str
    title: str
    categories: tuple[dict[str, str], ...]
    url: str
    html_url: str
    icon_url: str


class Tag(Struct, omit_defaults=True):
    """A state, folder or label; only ``type`` tells the last two apart."""

    id: str
    type: Literal["folder", "tag"] | None = None
    unread_count: int | None = None


class ItemRef(Struct):
    """An item's id. One key and no more: a client reads exactly one."""

    id: str


class ItemRefs(Struct, rename={"item_refs": "itemRefs"}, omit_defaults=True):
    item_refs: list[ItemRef]
    continuation: str | None = None
