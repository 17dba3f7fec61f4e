"""RSS 0.9x, 1.0 (RDF), 1.1 and 2.0: from the tree to a ``RawFeed``.

Raises ``Unsure`` where more than one reading is possible.
"""

from feedloom.model.feed import Format
from feedloom.parse.raw import RawEntry, RawFeed, Unsure
from feedloom.parse.text import joined
from feedloom.parse.xml_feeds.elements import (
    BASE,
    LANGUAGE,
    Element,
    Readers,
    by_name,
    markup_of,
    name_of,
    plain_text,
    text_of,
)
from feedloom.parse.xml_feeds.extensions import (
    EXTENSIONS,
    MAX_LIST,
    XMLFeed,
    added,
    attach,
    category,
    first,
    is_item,
    last,
    published,
    read_entries,
    updated,
)
from feedloom.parse.xml_feeds.trees import Tree

_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"


def read_rss(tree: Tree, url: str) -> RawFeed:
    """Read a document whose root is ``rss``, ``rdf:RDF`` or ``channel``."""
    root, name = tree.root, name_of(tree.root)
    form = Format.RDF if name == "rdf:rdf" else Format.RSS
    feed = XMLFeed(form, joined(url, root.get(BASE)), damaged=tree.damaged)
    if name == "channel":
        feed.channels.append(root)
    else:
        _read_children(feed, root, tree.readers(_ROOT))
    if len(feed.channels) != 1:
        raise Unsure("not exactly one channel")
    channel = feed.channels[0]
    feed.base = joined(feed.base, channel.get(BASE))
    _read_children(feed, channel, tree.readers(_CHANNEL))
    feed.language = feed.language or root.get(LANGUAGE) or channel.get(LANGUAGE) or ""
    read_entries(feed, tree, _ITEM)
    if tree.has_settings:
        for entry, item in zip(feed.entries, feed.items, strict=False):
            entry.id = entry.id or item.get(_ABOUT) or ""
    feed.let_go()
    return feed


def _read_children(feed: XMLFeed, parent: Element, readers: Readers[XMLFeed]) -> None:
    for child in parent:
        readers[child.tag](feed, child)


# Elements of the channel


def _is_channel(feed: XMLFeed, element: Element) -> None:
    feed.channels.append(element)


def _are_items(feed: XMLFeed, element: Element) -> None:
    # RSS 1.1 wraps its items; RSS 1.0 only lists references there.
    feed.items += [child for child in element if name_of(child) == "item"]


def _feed_link(feed: XMLFeed, element: Element) -> None:
    link = (element.text or element.get("href") or "").strip()
    if link and feed.link not in {"", link}:
        raise Unsure("several links")
    feed.link = link or feed.link


def _icon(element: Element) -> str:
    addresses = [child.text for child in element if name_of(child) == "url"]
    return next(filter(None, (*addresses, element.get("href"))), "")


def _skip_hours(feed: XMLFeed, element: Element) -> None:
    feed.skip_hours += [hour.text or "" for hour in element[:MAX_LIST]]


def _skip_days(feed: XMLFeed, element: Element) -> None:
    feed.skip_days += [day.text or "" for day in element[:MAX_LIST]]


def _feed_atom_link(feed: XMLFeed, element: Element) -> None:
    relation = (element.get("rel") or "alternate").lower()
    address = element.get("href") or ""
    if relation == "hub":
        feed.hub = feed.hub or address
    elif relation == "self":
        feed.self_link = feed.self_link or address
    elif relation == "alternate":
        feed.link = feed.link or address


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


def _author(entry: RawEntry, element: Element) -> None:
    names = [c.text or "" for c in element if name_of(c).endswith("name")]
    for name in names or [text_of(element)]:
        entry.authors = added(entry.authors, name)


def _enclosure(entry: RawEntry, element: Element) -> None:
    url = element.get("url") or element.get("href") or ""
    attach(entry, url, element.get("type") or "", element.get("length"))


def _comments(entry: RawEntry, element: Element) -> None:
    entry.comments = element.text or entry.comments


def _picture(entry: RawEntry, element: Element) -> None:
    addresses = [child.text or "" for child in element if name_of(child) == "url"]
    entry.images = added(entry.images, (addresses or [element.text or ""])[0])


def _atom_link(entry: RawEntry, element: Element) -> None:
    relation = (element.get("rel") or "alternate").lower()
    if relation == "alternate":
        entry.link = entry.link or element.get("href") or ""
    elif relation == "enclosure":
        _enclosure(entry, element)


def _doubtful(_entry: RawEntry, element: Element) -> None:
    raise Unsure(f"{name_of(element)} inside an item")


_ROOT: Readers[XMLFeed] = Readers({"channel": _is_channel, "item": is_item, "items": _are_items})
_CHANNEL: Readers[XMLFeed] = Readers(
    by_name(
        {
            is_item: "item",
            _are_items: "items",
            first("title", text_of): "title dc:title",
            _feed_link: "link",
            _feed_atom_link: "atom:link",
            first("description", text_of): """
                description dc:description itunes:summary subtitle tagline
            """,
            first("language", plain_text): "language dc:language",
            first("icon", _icon): "image itunes:image",
            last("ttl_minutes"): "ttl",
            last("update_frequency"): "sy:updatefrequency",
            last("update_period"): "sy:updateperiod",
            _skip_days: "skipdays",
            _skip_hours: "skiphours",
        }
    )
)
_ITEM: Readers[RawEntry] = Readers(
    EXTENSIONS
    | by_name(
        {
            _title: "title",
            _link: "link",
            _atom_link: "atom:link",
            _guid: "guid id",
            _description: "description summary",
            first("content", text_of): "body content:encoded fullitem",
            first("content", markup_of): "xhtml:body xhtml:div",
            _author: "author atom:author",
            category: "category keywords",
            published: "atom:published created issued pubdate published",
            updated: "atom:updated modified updated",
            _enclosure: "enclosure",
            _picture: "image",
            _comments: "comments",
            _doubtful: "atom:content atom:id atom:summary atom:title content entry item",
        }
    )
)
