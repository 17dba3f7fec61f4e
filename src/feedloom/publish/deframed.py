"""A proxied feed's articles and analyses in; the RSS document the proxy serves out.

The document is built once and then served as bytes. Items begin and end with fixed marks
that cannot occur in text, so a stored document can be filtered by score without building
it again.
"""

import gzip
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from feedloom.model.distilled.documents import Built, Channel, DeframedItem
from feedloom.model.distilled.requests import AnalyzerResult
from feedloom.model.errors import BadAddress
from feedloom.model.urls import url_key
from feedloom.publish.xml_text import (
    NAMESPACES,
    attribute,
    channel_head,
    first_of,
    html_text,
    item_names,
    media_parts,
    rfc822,
    rfc3339,
    text,
    unique_guids,
    web_address,
)

DEFRAMER = "urn:feedloom:deframer:1"
_FOOT = "</channel>\n</rss>\n"
_ITEM_END = "</item>\n"
_OVERALL = re.compile(r"<deframer:overall>([0-9.]+)</deframer:overall>")
_TOLD_ELSEWHERE = frozenset({"title_corrected", "description_corrected"})
_ANALYSED = "<deframer:status>deframed</deframer:status>"
_NOTHING = "(untitled)"


def deframed_rss(
    channel: Channel, items: Sequence[DeframedItem], *, updated_at: datetime, self_url: str
) -> Built:
    head = "".join(_head(channel, updated_at, self_url))
    guids = unique_guids((item.guid, item.url) for item in items)
    body = [_item(item, guid) for item, guid in zip(items, guids, strict=True)]
    refs = tuple(item.url_hash for item in items)
    return _built(head, body, refs, updated_at)


def filter_by_score(built: Built, max_score: float) -> Built:
    """Return the document with only the items that score at most ``max_score``.

    Items without an analysis are left out. Items that were analysed but not judged, because
    of their language, stay.
    """
    head = built.xml_header.decode()
    rest = built.xml_content.decode()[len(head) : -len(_FOOT)]
    chunks = [chunk + _ITEM_END for chunk in rest.split(_ITEM_END)[:-1]]
    kept = [
        (chunk, ref)
        for chunk, ref in zip(chunks, built.item_refs, strict=True)
        if _ANALYSED in chunk
        and (not (found := _OVERALL.search(chunk)) or float(found[1]) <= max_score)
    ]
    refs = tuple(ref for _, ref in kept)
    return _built(head, [chunk for chunk, _ in kept], refs, built.updated_at)


def _built(head: str, body: Sequence[str], refs: tuple[str, ...], updated_at: datetime) -> Built:
    content = "".join((head, *body, _FOOT)).encode()
    digest = hashlib.sha256(content).hexdigest()[:32]
    return Built(
        xml_header=head.encode(),
        xml_content=content,
        xml_gzip=gzip.compress(content, 6, mtime=0),
        etag=f'"{digest}"',
        gzip_etag=f'"{digest}-gz"',
        item_refs=refs,
        updated_at=updated_at.astimezone(UTC).replace(microsecond=0),
    )


def _head(channel: Channel, updated_at: datetime, self_url: str) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<rss version="2.0" {NAMESPACES} xmlns:deframer="{DEFRAMER}">\n<channel>\n'
    yield from channel_head(channel, updated_at=updated_at, self_url=self_url)
    if original := web_address(channel.feed_url):
        yield f'<atom:link rel="via" href="{attribute(original)}"/>\n'


def _item(item: DeframedItem, guid: str) -> str:
    return "".join(("<item>\n", *_item_parts(item, guid), _ITEM_END))


def _item_parts(item: DeframedItem, guid: str) -> Iterator[str]:
    found = item.analysis
    title = found.calm_title if found else item.title
    description = found.description_corrected if found else item.description
    url = web_address(item.url)
    yield f"<title>{text(first_of(title, item.title, _NOTHING))}</title>\n"
    if url:
        yield f"<link>{text(url)}</link>\n"
    yield f"<description>{html_text(description)}</description>\n"
    if item.content:
        yield f"<content:encoded>{text(item.content)}</content:encoded>\n"
    yield from item_names(item.author, item.categories)
    if comments := web_address(item.comments_url):
        yield f"<comments>{text(comments)}</comments>\n"
    permanent = "true" if guid == url else "false"
    yield f'<guid isPermaLink="{permanent}">{text(guid)}</guid>\n'
    yield f"<pubDate>{rfc822(item.published_at)}</pubDate>\n"
    yield from media_parts(item.enclosures, item.thumbnail_url)
    yield from _judgement(found, item)


def _judgement(found: AnalyzerResult | None, item: DeframedItem) -> Iterator[str]:
    if found is None:
        yield "<deframer:status>original</deframer:status>\n"
        yield f"<deframer:title_original>{text(item.title)}</deframer:title_original>\n"
        return
    yield "<deframer:status>deframed</deframer:status>\n"
    for name, value in found.as_json().items():
        if value is not None and name not in _TOLD_ELSEWHERE:
            told = text(value) if isinstance(value, str) else f"{value:g}"
            yield f"<deframer:{name}>{told}</deframer:{name}>\n"


T = TypeVar("T")
_RATINGS = ((0.25, "low"), (0.5, "moderate"), (0.75, "high"))
_WORST = "extreme"


def rating(score: float) -> str:
    return next((word for limit, word in _RATINGS if score < limit), _WORST)


def item_document(item: DeframedItem, channel: Channel) -> dict[str, object]:
    found = item.analysis
    score = found.overall if found else None
    return {
        "hash": item.url_hash,
        "url": item.url,
        "title": found.calm_title if found else item.title,
        "published_at": rfc3339(item.published_at),
        "feed": {"title": channel.title, "url": channel.feed_url},
        "media": [{"url": e.url, "type": e.mime, "length": e.length} for e in item.enclosures],
        "score": score,
        "rating": rating(score) if score is not None else None,
        "result": found.as_json() if found else None,
    }


def interleave(
    feeds: Mapping[int, Sequence[T]], limit: int, *, address: Callable[[T], str]
) -> list[T]:
    """Take items from the feeds in turns, each address once.

    Items keep their order within a feed, and feeds take turns in the order of the mapping.
    A feed whose item was already taken from another gives its next one instead.
    """
    waiting = [iter(items) for items in feeds.values()]
    taken: list[T] = []
    seen: set[str] = set()
    while waiting and len(taken) < limit:
        going = []
        for items in waiting:
            found = next((i for i in items if _key(address(i)) not in seen), None)
            if found is not None and len(taken) < limit:
                seen.add(_key(address(found)))
                taken.append(found)
                going.append(items)
        waiting = going
    return taken


def _key(url: str) -> str:
    try:
        return url_key(url)
    except BadAddress:
        return url
