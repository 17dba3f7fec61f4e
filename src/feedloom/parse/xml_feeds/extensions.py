"""Extensions that entries of RSS and Atom share: Dublin Core, Media RSS, iTunes and others.

Each function reads one element into a ``RawEntry``; ``EXTENSIONS`` says which.
"""

from collections.abc import Callable

from feedloom.parse.raw import RawEntry
from feedloom.parse.xml_feeds.elements import Element, name_of, text_of

MAX_LIST = 200
"""How many of anything one entry may have before the rest is ignored."""


def added(values: tuple[str, ...], value: str | None) -> tuple[str, ...]:
    return (*values, value) if value and len(values) < MAX_LIST else values


def published(entry: RawEntry, element: Element) -> None:
    entry.published = entry.published or element.text or ""


def updated(entry: RawEntry, element: Element) -> None:
    entry.updated = entry.updated or element.text or ""


def _other_title(entry: RawEntry, element: Element) -> None:
    entry.other_title = entry.other_title or text_of(element)


def _caption(entry: RawEntry, element: Element) -> None:
    entry.captions = added(entry.captions, text_of(element))


def _creator(entry: RawEntry, element: Element) -> None:
    entry.creators = added(entry.creators, text_of(element))


def _author(entry: RawEntry, element: Element) -> None:
    entry.authors = added(entry.authors, text_of(element))


def category(entry: RawEntry, element: Element) -> None:
    entry.categories = added(entry.categories, text_of(element))


def _other_date(entry: RawEntry, element: Element) -> None:
    entry.other_date = entry.other_date or text_of(element)


def _issued(entry: RawEntry, element: Element) -> None:
    entry.published = entry.published or text_of(element)


def _modified(entry: RawEntry, element: Element) -> None:
    entry.updated = entry.updated or text_of(element)


def _image(entry: RawEntry, element: Element) -> None:
    entry.images = added(
        entry.images, element.get("href") or element.get("url") or element.text or ""
    )


def _thumbnail(entry: RawEntry, element: Element) -> None:
    entry.thumbnails = added(entry.thumbnails, element.get("url") or element.text or "")


def _media(entry: RawEntry, element: Element) -> None:
    url = element.get("url") or ""
    kind = element.get("type") or ""
    medium = element.get("medium") or kind.partition("/")[0]
    if medium == "image":
        entry.images = added(entry.images, url)
    elif url and medium in {"audio", "video"} and len(entry.enclosures) < MAX_LIST:
        length = element.get("fileSize") or ""
        entry.duration = entry.duration or element.get("duration") or ""
        entry.enclosures += ((url, kind or f"{medium}/*", length),)
    _group(entry, element)


def _group(entry: RawEntry, element: Element) -> None:
    if not len(element):
        return
    for child in element.iterchildren():
        reader = _IN_MEDIA.get(name_of(child))
        if reader:
            reader(entry, child)


def _chapters(entry: RawEntry, element: Element) -> None:
    for child in element.iterchildren():
        if name_of(child) == "psc:chapter" and len(entry.chapters) < MAX_LIST:
            entry.chapters += ((child.get("start") or "", child.get("title") or ""),)


def _chapters_elsewhere(entry: RawEntry, element: Element) -> None:
    entry.chapters_url = entry.chapters_url or element.get("url") or ""


def _duration(entry: RawEntry, element: Element) -> None:
    entry.duration = entry.duration or text_of(element)


def _comments_feed(entry: RawEntry, element: Element) -> None:
    entry.comments = entry.comments or element.text or ""


def _original_link(entry: RawEntry, element: Element) -> None:
    # FeedBurner's own links only count clicks; this is where they lead.
    entry.link = (element.text or "").strip() or entry.link


_IN_MEDIA: dict[str, Callable[[RawEntry, Element], None]] = {
    "media:content": _media,
    "media:description": _caption,
    "media:group": _group,
    "media:thumbnail": _thumbnail,
    "media:title": _other_title,
}

EXTENSIONS: dict[str, Callable[[RawEntry, Element], None]] = {
    "dc:author": _creator,
    "dc:creator": _creator,
    "dc:date": _other_date,
    "dc:description": _caption,
    "dc:subject": category,
    "dc:title": _other_title,
    "dcterms:created": _other_date,
    "dcterms:issued": _issued,
    "dcterms:modified": _modified,
    "feedburner:origlink": _original_link,
    "googleplay:author": _author,
    "googleplay:description": _caption,
    "googleplay:image": _image,
    "itunes:author": _author,
    "itunes:duration": _duration,
    "itunes:image": _image,
    "itunes:subtitle": _caption,
    "itunes:summary": _caption,
    "itunes:title": _other_title,
    "podcast:chapters": _chapters_elsewhere,
    "psc:chapters": _chapters,
    "wfw:commentrss": _comments_feed,
    **_IN_MEDIA,
}
