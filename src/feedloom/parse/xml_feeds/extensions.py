"""What RSS and Atom share: extensions of entries, and how entries are read.

Each reader reads one element into a ``RawEntry`` or ``XMLFeed``. ``EXTENSIONS`` are those of
Dublin Core, Media RSS, iTunes and others.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from feedloom.parse.raw import MAX_LISTED, RawEntry, RawFeed
from feedloom.parse.text import joined
from feedloom.parse.xml_feeds.elements import (
    BASE,
    LANGUAGE,
    Element,
    Readers,
    by_name,
    name_of,
    plain_text,
    text_of,
)
from feedloom.parse.xml_feeds.trees import Tree

MAX_LIST = 200
"""How many of anything one entry may have before the rest is ignored."""

Reader = Callable[[object, Element], None]


@dataclass(slots=True)
class XMLFeed(RawFeed):
    channels: list[Element] = field(default_factory=list)
    items: list[Element] = field(default_factory=list)

    def let_go(self) -> None:
        """Forget the elements, which keep the whole tree in memory."""
        self.channels, self.items = [], []


def is_item(feed: XMLFeed, element: Element) -> None:
    feed.items.append(element)


def read_entries(feed: XMLFeed, tree: Tree, entry_readers: Readers[RawEntry]) -> None:
    feed.truncated = tree.truncated or len(feed.items) > MAX_LISTED
    readers = tree.readers(entry_readers)
    for item in feed.items[:MAX_LISTED]:
        entry = RawEntry(feed.base)
        if tree.has_settings:
            entry.base = joined(entry.base, item.get(BASE))
            entry.language = item.get(LANGUAGE) or ""
        for child in item:
            readers[child.tag](entry, child)
        feed.entries.append(entry)


def first(name: str, said: Callable[[Element], str]) -> Reader:
    """Return a reader that keeps the first text of its kind in a field."""

    def read(into: object, element: Element) -> None:
        if not getattr(into, name):
            setattr(into, name, said(element))

    return read


def last(name: str) -> Reader:
    def read(into: object, element: Element) -> None:
        setattr(into, name, element.text or "")

    return read


def each(name: str, said: Callable[[Element], str] = text_of) -> Reader:
    """Return a reader that adds a text to the tuple in a field."""

    def read(into: object, element: Element) -> None:
        setattr(into, name, added(getattr(into, name), said(element)))

    return read


def added(values: tuple[str, ...], value: str | None) -> tuple[str, ...]:
    return (*values, value) if value and len(values) < MAX_LIST else values


def attach(entry: RawEntry, url: str, kind: str, length: str | None) -> None:
    if url and len(entry.enclosures) < MAX_LIST:
        entry.enclosures += ((url, kind, length or ""),)


def _media(entry: RawEntry, element: Element) -> None:
    url = element.get("url") or ""
    kind = element.get("type") or ""
    medium = element.get("medium") or kind.partition("/")[0]
    if medium == "image":
        entry.images = added(entry.images, url)
    elif url and medium in {"audio", "video"} and len(entry.enclosures) < MAX_LIST:
        entry.duration = entry.duration or element.get("duration") or ""
        attach(entry, url, kind or f"{medium}/*", element.get("fileSize"))
    _group(entry, element)


def _group(entry: RawEntry, element: Element) -> None:
    for child in element.iterchildren() if len(element) else ():
        reader = _IN_MEDIA.get(name_of(child))
        if reader:
            reader(entry, child)


def _chapters(entry: RawEntry, element: Element) -> None:
    for child in element.iterchildren():
        if name_of(child) == "psc:chapter" and len(entry.chapters) < MAX_LIST:
            entry.chapters += ((child.get("start") or "", child.get("title") or ""),)


def _original_link(entry: RawEntry, element: Element) -> None:
    # FeedBurner's own links only count clicks; this is where they lead.
    entry.link = (element.text or "").strip() or entry.link


def _image_url(element: Element) -> str:
    return element.get("href") or element.get("url") or element.text or ""


def _url_or_text(element: Element) -> str:
    return element.get("url") or element.text or ""


def _url(element: Element) -> str:
    return element.get("url") or ""


author = each("authors")
category = each("categories")
published = first("published", plain_text)
updated = first("updated", plain_text)

_IN_MEDIA: dict[str, Callable[[RawEntry, Element], None]] = {
    "media:content": _media,
    "media:description": each("captions"),
    "media:group": _group,
    "media:thumbnail": each("thumbnails", _url_or_text),
    "media:title": first("other_title", text_of),
}
EXTENSIONS: dict[str, Callable[[RawEntry, Element], None]] = _IN_MEDIA | by_name(
    {
        author: "googleplay:author itunes:author",
        category: "dc:subject",
        each("captions"): """
            dc:description googleplay:description itunes:subtitle itunes:summary
        """,
        each("creators"): "dc:author dc:creator",
        each("images", _image_url): "googleplay:image itunes:image",
        first("other_title", text_of): "dc:title itunes:title",
        first("other_date", text_of): "dc:date dcterms:created",
        first("published", text_of): "dcterms:issued",
        first("updated", text_of): "dcterms:modified",
        first("duration", text_of): "itunes:duration",
        first("chapters_url", _url): "podcast:chapters",
        first("comments", plain_text): "wfw:commentrss",
        _chapters: "psc:chapters",
        _original_link: "feedburner:origlink",
    }
)
