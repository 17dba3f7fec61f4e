"""Wallabag's API on the wire: names and types of fields, nothing else.

What we do not keep has the value of an entry that nobody touched.
"""

from typing import Literal

from msgspec import Struct, field


class Tag(Struct, omit_defaults=True):
    id: int
    label: str
    slug: str
    entries: int | None = field(name="nbEntries", default=None)


class Entry(Struct):
    id: int
    title: str
    url: str
    hashed_url: str
    given_url: str
    hashed_given_url: str
    domain_name: str
    content: str
    reading_time: int
    is_archived: Literal[0, 1]
    is_starred: Literal[0, 1]
    tags: list[Tag]
    created_at: str
    updated_at: str
    archived_at: str | None
    user_id: int
    user_name: str
    user_email: str
    links: dict[str, dict[str, str]] = field(name="_links")
    is_public: bool = False
    uid: str | None = None
    origin_url: str | None = None
    starred_at: str | None = None
    published_at: str | None = None
    published_by: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    mimetype: str = "text/html"
    language: str | None = None
    preview_picture: str | None = None
    http_status: str | None = None
