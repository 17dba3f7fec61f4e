"""Deframed items in; the responses of ``/api/item`` and ``/api/site`` out."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from feedloom.model.distilled.documents import Channel, DeframedItem
from feedloom.model.errors import BadAddress
from feedloom.model.urls import url_key
from feedloom.publish.xml_text import rfc3339

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
