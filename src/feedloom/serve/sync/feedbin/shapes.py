"""Feedbin's API on the wire: names and types of fields, nothing else."""

from msgspec import UNSET, Struct, UnsetType


class Subscription(Struct):
    id: int
    created_at: str
    feed_id: int
    title: str
    feed_url: str
    site_url: str


class Feed(Struct):
    id: int
    title: str
    feed_url: str
    site_url: str


class Enclosure(Struct):
    enclosure_url: str
    enclosure_type: str
    enclosure_length: str
    """A number, as text."""


class Entry(Struct):
    """An entry; what is unset belongs to the extended mode."""

    id: int
    feed_id: int
    title: str | None
    author: str | None
    summary: str
    content: str | None
    url: str
    extracted_content_url: None
    published: str
    created_at: str
    original: UnsetType | None = UNSET
    images: UnsetType | None = UNSET
    enclosure: Enclosure | UnsetType | None = UNSET


class Tagging(Struct):
    id: int
    feed_id: int
    name: str
