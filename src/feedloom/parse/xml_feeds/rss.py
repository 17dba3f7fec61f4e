"""RSS 0.9x, 1.0 (RDF), 1.1 and 2.0: from the tree to a ``RawFeed``.

Raises ``Unsure`` where more than one reading is possible.
"""

from dataclasses import dataclass, field

from feedloom.model.feed import Format
from feedloom.parse.raw import MAX_LISTED, RawEntry, RawFeed, Unsure
from feedloom.parse.text import joined
from feedloom.parse.xml_feeds.elements import (
    BASE,
    LANGUAGE,
    Element,
    Readers,
    markup_of,
    name_of,
    text_of,
)
from feedloom.parse.xml_feeds.extensions import (
    EXTENSIONS,
    MAX_LIST,
    added,
    category,
    published,
    updated,
)
from feedloom.parse.xml_feeds.trees import Tree

_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"


@dataclass(slots=True)
class _Channel:
    feed: RawFeed
    elements: list[Element] = field(default_factory=list)
    items: list[Element] = field(default_factory=list)


def read_rss(tree: Tree, url: str) -> RawFeed:
    """Read a document whose root is ``rss``, ``rdf:RDF`` or ``channel``."""
    root, name = tree.root, name_of(tree.root)
    form = Format.RDF if name == "rdf:rdf" else Format.RSS
    feed = RawFeed(form, joined(url, root.get(BASE)), damaged=tree.damaged)
    found = _Channel(feed)
    if name == "channel":
        found.elements.append(root)
    else:
        _read_children(found, root, tree.readers(_ROOT))
    if len(found.elements) != 1:
        raise Unsure("not exactly one channel")
    channel = found.elements[0]
    feed.base = joined(feed.base, channel.get(BASE))
    _read_children(found, channel, tree.readers(_CHANNEL))
    feed.language = feed.language or root.get(LANGUAGE) or channel.get(LANGUAGE) or ""
    feed.truncated = tree.truncated or len(found.items) > MAX_LISTED
    readers = tree.readers(_ITEM)
    for item in found.items[:MAX_LISTED]:
        entry = RawEntry(feed.base)
        if tree.has_settings:
            _read_settings(entry, item)
        for child in item:
            readers[child.tag](entry, child)
        feed.entries.append(entry)
    return feed


def _read_children(found: _Channel, parent: Element, readers: Readers[_Channel]) -> None:
    for child in parent:
        readers[child.tag](found, child)


def _read_settings(entry: RawEntry, item: Element) -> None:
    entry.base = joined(entry.base, item.get(BASE))
    entry.language = item.get(LANGUAGE) or ""
    entry.id = item.get(_ABOUT) or ""


# Elements of the channel


def _is_channel(found: _Channel, element: Element) -> None:
    found.elements.append(element)


def _is_item(found: _Channel, element: Element) -> None:
    found.items.append(element)


def _are_items(found: _Channel, element: Element) -> None:
    # RSS 1.1 wraps its items; RSS 1.0 only lists references there.
    found.items += [child for child in element if name_of(child) == "item"]


def _feed_title(found: _Channel, element: Element) -> None:
    found.feed.title = found.feed.title or text_of(element)


def _feed_link(found: _Channel, element: Element) -> None:
    link = (element.text or element.get("href") or "").strip()
    if link and found.feed.link not in {"", link}:
        raise Unsure("several links")
    found.feed.link = link or found.feed.link


def _feed_description(found: _Channel, element: Element) -> None:
    found.feed.description = found.feed.description or text_of(element)


def _feed_language(found: _Channel, element: Element) -> None:
    found.feed.language = found.feed.language or element.text or ""


def _feed_icon(found: _Channel, element: Element) -> None:
    addresses = [c.text or "" for c in element if name_of(c) == "url"]
    addresses.append(element.get("href") or "")
    found.feed.icon = found.feed.icon or next(filter(None, addresses), "")


def _feed_ttl(found: _Channel, element: Element) -> None:
    found.feed.ttl_minutes = element.text or ""


def _feed_period(found: _Channel, element: Element) -> None:
    found.feed.update_period = element.text or ""


def _feed_frequency(found: _Channel, element: Element) -> None:
    found.feed.update_frequency = element.text or ""


def _feed_skip_hours(found: _Channel, element: Element) -> None:
    found.feed.skip_hours += [hour.text or "" for hour in element[:MAX_LIST]]


def _feed_skip_days(found: _Channel, element: Element) -> None:
    found.feed.skip_days += [day.text or "" for day in element[:MAX_LIST]]


def _feed_atom_link(found: _Channel, element: Element) -> None:
    relation = (element.get("rel") or "alternate").lower()
    address = element.get("href") or ""
    if relation == "hub":
        found.feed.hub = found.feed.hub or address
    elif relation == "self":
        found.feed.self_link = found.feed.self_link or address
    elif relation == "alternate":
        found.feed.link = found.feed.link or address


# Elements of an item


def _title(entry: RawEntry, element: Element) -> None:
    title = text_of(element)
    if entry.title and title != entry.title:
        raise Unsure("several titles")
    entry.title = title


def _link(entry: RawEntry, element: Element) -> None:
    link = (element.text or element.get("href") or "").strip()
    if entry.link and link not in {"", entry.link}:
        raise Unsure("several links")
    entry.link = entry.link or link


def _guid(entry: RawEntry, element: Element) -> None:
    guid = (element.text or "").strip()
    if not guid:
        return
    entry.id = guid
    if (element.get("isPermaLink") or "true").lower() == "true":
        entry.permalink = guid


def _description(entry: RawEntry, element: Element) -> None:
    text = text_of(element)
    if entry.summary and text != entry.summary:
        raise Unsure("several descriptions")
    entry.summary = text


def _content(entry: RawEntry, element: Element) -> None:
    entry.content = entry.content or text_of(element)


def _xhtml(entry: RawEntry, element: Element) -> None:
    entry.content = entry.content or markup_of(element)


def _author(entry: RawEntry, element: Element) -> None:
    names = [c.text or "" for c in element if name_of(c).endswith("name")]
    for name in names or [text_of(element)]:
        entry.authors = added(entry.authors, name)


def _enclosure(entry: RawEntry, element: Element) -> None:
    url = element.get("url") or element.get("href") or ""
    if url and len(entry.enclosures) < MAX_LIST:
        kind, length = element.get("type") or "", element.get("length") or ""
        entry.enclosures += ((url, kind, length),)


def _comments(entry: RawEntry, element: Element) -> None:
    entry.comments = element.text or entry.comments


def _picture(entry: RawEntry, element: Element) -> None:
    addresses = [c.text or "" for c in element if name_of(c) == "url"]
    entry.images = added(entry.images, (addresses or [element.text or ""])[0])


def _atom_link(entry: RawEntry, element: Element) -> None:
    relation = (element.get("rel") or "alternate").lower()
    if relation == "alternate":
        entry.link = entry.link or element.get("href") or ""
    elif relation == "enclosure":
        _enclosure(entry, element)


def _doubtful(_entry: RawEntry, element: Element) -> None:
    raise Unsure(f"{name_of(element)} inside an item")


_ROOT: Readers[_Channel] = Readers({"channel": _is_channel, "item": _is_item, "items": _are_items})
_CHANNEL: Readers[_Channel] = Readers(
    {
        "atom:link": _feed_atom_link,
        "dc:description": _feed_description,
        "dc:language": _feed_language,
        "dc:title": _feed_title,
        "description": _feed_description,
        "image": _feed_icon,
        "item": _is_item,
        "items": _are_items,
        "itunes:image": _feed_icon,
        "itunes:summary": _feed_description,
        "language": _feed_language,
        "link": _feed_link,
        "skipdays": _feed_skip_days,
        "skiphours": _feed_skip_hours,
        "subtitle": _feed_description,
        "sy:updatefrequency": _feed_frequency,
        "sy:updateperiod": _feed_period,
        "tagline": _feed_description,
        "title": _feed_title,
        "ttl": _feed_ttl,
    }
)
_ITEM: Readers[RawEntry] = Readers(
    {
        **EXTENSIONS,
        "atom:author": _author,
        "atom:content": _doubtful,
        "atom:id": _doubtful,
        "atom:link": _atom_link,
        "atom:published": published,
        "atom:summary": _doubtful,
        "atom:title": _doubtful,
        "atom:updated": updated,
        "author": _author,
        "body": _content,
        "category": category,
        "comments": _comments,
        "content": _doubtful,
        "content:encoded": _content,
        "created": published,
        "description": _description,
        "enclosure": _enclosure,
        "entry": _doubtful,
        "fullitem": _content,
        "guid": _guid,
        "id": _guid,
        "image": _picture,
        "issued": published,
        "item": _doubtful,
        "keywords": category,
        "link": _link,
        "modified": updated,
        "pubdate": published,
        "published": published,
        "summary": _description,
        "title": _title,
        "updated": updated,
        "xhtml:body": _xhtml,
        "xhtml:div": _xhtml,
    }
)
