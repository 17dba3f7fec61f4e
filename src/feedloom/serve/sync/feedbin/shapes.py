"""Feedbin's API on the wire: names and types of fields, nothing else."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

ImportStatus = Literal["pending", "complete", "failed"]


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


class Choice(Struct):
    feed_url: str
    title: str


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


class Icon(Struct):
    host: str
    url: str


class ImportItem(Struct):
    title: str
    feed_url: str
    status: ImportStatus


class Import(Struct):
    id: int
    complete: bool
    created_at: str


class ImportWithItems(Import):
    import_items: list[ImportItem]


class Failure(Struct):
    status: int
    message: str
