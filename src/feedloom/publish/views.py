"""Articles of a shared view in; an RSS or Atom document out."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from feedloom.model.distilled.documents import Channel, ViewItem
from feedloom.publish.xml_text import (
    NAMESPACES,
    attribute,
    channel_head,
    first_of,
    item_names,
    media_parts,
    rfc822,
    rfc3339,
    text,
    unique_guids,
    web_address,
)

_UNTITLED = "(untitled)"


def view_feed(
    channel: Channel,
    items: Sequence[ViewItem],
    *,
    updated_at: datetime,
    self_url: str,
    format: Literal["rss", "atom"] = "rss",  # noqa: A002 - it is the word people use
) -> bytes:
    write = _atom if format == "atom" else _rss
    return "".join(write(channel, items, updated_at, self_url)).encode()


def _rss(
    channel: Channel, items: Sequence[ViewItem], updated_at: datetime, self_url: str
) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<rss version="2.0" {NAMESPACES}>\n<channel>\n'
    yield from channel_head(channel, updated_at=updated_at, self_url=self_url)
    guids = unique_guids((item.guid, item.url) for item in items)
    for item, guid in zip(items, guids, strict=True):
        yield from _rss_item(item, guid)
    yield "</channel>\n</rss>\n"


def _rss_item(item: ViewItem, guid: str) -> Iterator[str]:
    url = web_address(item.url)
    yield f"<item>\n<title>{text(first_of(item.title, _UNTITLED))}</title>\n"
    if url:
        yield f"<link>{text(url)}</link>\n"
    yield f"<description>{text(item.content)}</description>\n"
    yield from item_names(item.author, item.categories)
    permanent = "true" if guid == url else "false"
    yield f'<guid isPermaLink="{permanent}">{text(guid)}</guid>\n'
    yield f"<pubDate>{rfc822(item.published_at)}</pubDate>\n"
    if source := web_address(item.source_url):
        yield f'<source url="{attribute(source)}">{text(item.source_title)}</source>\n'
    yield from media_parts(item.enclosures, None)
    yield "</item>\n"


def _atom(
    channel: Channel, items: Sequence[ViewItem], updated_at: datetime, self_url: str
) -> Iterator[str]:
    own = web_address(self_url)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"<title>{text(first_of(channel.title, _UNTITLED))}</title>\n"
    yield f"<id>{_name(own)}</id>\n<updated>{rfc3339(updated_at)}</updated>\n"
    yield f'<link rel="self" type="application/atom+xml" href="{attribute(own)}"/>\n'
    if link := web_address(channel.url):
        yield f'<link rel="alternate" href="{attribute(link)}"/>\n'
    yield "<author><name>Feedloom</name></author>\n<generator>Feedloom</generator>\n"
    guids = unique_guids((item.guid, item.url) for item in items)
    for item, guid in zip(items, guids, strict=True):
        yield from _atom_entry(item, guid)
    yield "</feed>\n"


def _atom_entry(item: ViewItem, guid: str) -> Iterator[str]:
    changed = item.updated_at or item.published_at
    yield f"<entry>\n<title>{text(first_of(item.title, _UNTITLED))}</title>\n"
    yield f"<id>{_name(guid)}</id>\n"
    if url := web_address(item.url):
        yield f'<link rel="alternate" href="{attribute(url)}"/>\n'
    yield f"<published>{rfc3339(item.published_at)}</published>\n"
    yield f"<updated>{rfc3339(changed)}</updated>\n"
    if item.author:
        yield f"<author><name>{text(item.author)}</name></author>\n"
    for category in item.categories:
        yield f'<category term="{attribute(category)}"/>\n'
    for enclosure in item.enclosures:
        if url := web_address(enclosure.url):
            yield f'<link rel="enclosure" href="{attribute(url)}"/>\n'
    yield f'<content type="html">{text(item.content)}</content>\n</entry>\n'


def _name(guid: str) -> str:
    # Atom requires a URI, and GUIDs can be anything. The same GUID always gives the same URI.
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, guid)}"
