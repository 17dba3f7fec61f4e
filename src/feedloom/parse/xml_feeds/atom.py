"""Atom 1.0 and 0.3: from the tree to a ``RawFeed``.

Raises ``Unsure`` where more than one reading is possible.
"""

from feedloom.model.feed import Format
from feedloom.parse.raw import RawEntry, RawFeed, Unsure
from feedloom.parse.text import as_markup, joined
from feedloom.parse.xml_feeds.elements import (
    BASE,
    LANGUAGE,
    Element,
    Readers,
    markup_of,
    name_of,
    plain_text,
    text_of,
    under,
)
from feedloom.parse.xml_feeds.extensions import (
    EXTENSIONS,
    XMLFeed,
    attach,
    each,
    first,
    is_item,
    last,
    published,
    read_entries,
    updated,
)
from feedloom.parse.xml_feeds.trees import Tree

_HTML = frozenset({"html", "text/html"})
_TEXT = frozenset({"", "text", "text/plain"})
_XHTML = frozenset({"xhtml", "application/xhtml+xml"})


def read_atom(tree: Tree, url: str) -> RawFeed:
    """Read a document whose root is ``feed``, or a single ``entry``."""
    root = tree.root
    feed = XMLFeed(Format.ATOM, joined(url, root.get(BASE)), damaged=tree.damaged)
    feed.language = root.get(LANGUAGE) or ""
    if local_name(root) == "entry":
        feed.items.append(root)
    else:
        readers = tree.readers(_FEED)
        for child in root:
            readers[child.tag](feed, child)
    read_entries(feed, tree, _ENTRY)
    feed.let_go()
    return feed


def local_name(element: Element) -> str:
    return name_of(element).removeprefix("atom:")


def _construct(element: Element) -> tuple[str, bool]:
    """Return the text of an element, and whether it is plain text."""
    kind = (element.get("type") or "").strip().lower()
    if (element.get("mode") or "").strip().lower() == "base64":
        raise Unsure("base64")
    if len(element):
        child = element[0]
        is_only = len(element) == 1 and not (element.text or "").strip()
        is_wrapper = is_only and name_of(child) in {"div", "xhtml:div"}
        return markup_of(child if is_wrapper else element), False
    if kind not in _TEXT | _HTML | _XHTML:
        raise Unsure("type of content")
    return element.text or "", kind in _TEXT


def _markup(element: Element) -> str:
    value, is_text = _construct(element)
    return as_markup(value) if is_text else value


def _person(element: Element) -> str:
    parts = {local_name(child): (child.text or "").strip() for child in element}
    return parts.get("name") or parts.get("email") or (element.text or "").strip()


def _address(element: Element) -> str:
    address = (element.get("href") or element.text or "").strip()
    base = element.get(BASE)
    return under(base, address) if base and address else address


def _is_page(element: Element) -> bool:
    return (element.get("type") or "text/html").lower() in _HTML | _XHTML


def _feed_title(feed: XMLFeed, element: Element) -> None:
    if not feed.title:
        feed.title, feed.title_is_text = _construct(element)


def _feed_link(feed: XMLFeed, element: Element) -> None:
    relation = (element.get("rel") or "alternate").lower()
    address = _address(element)
    if relation == "hub":
        feed.hub = feed.hub or address
    elif relation == "self":
        feed.self_link = feed.self_link or address
    elif relation == "alternate" and _is_page(element):
        feed.link = feed.link or address


def _title(entry: RawEntry, element: Element) -> None:
    title, is_text = _construct(element)
    if entry.title and title != entry.title:
        raise Unsure("several titles")
    entry.title, entry.title_is_text = title, is_text


def _link(entry: RawEntry, element: Element) -> None:
    relation = (element.get("rel") or "alternate").lower()
    address = _address(element)
    if relation == "alternate" and not _is_page(element):
        entry.permalink = entry.permalink or address
    elif relation == "alternate":
        if address and entry.link not in {"", address}:
            raise Unsure("several alternates")
        entry.link = address or entry.link
    elif relation == "enclosure":
        attach(entry, address, element.get("type") or "", element.get("length"))
    elif relation == "replies" and _is_page(element):
        entry.comments = entry.comments or address


def _id(entry: RawEntry, element: Element) -> None:
    entry.id = entry.id or (element.text or "").strip()


def _content(entry: RawEntry, element: Element) -> None:
    if element.get("src") is None and not entry.content:
        entry.content = _markup(element)
        entry.content_base = element.get(BASE) or ""


def _label(element: Element) -> str:
    return element.get("label") or element.get("term") or text_of(element)


def _doubtful(_entry: RawEntry, element: Element) -> None:
    raise Unsure(f"{name_of(element)} inside an entry")


_FEED_READERS = {
    "author": each("authors", _person),
    "entry": is_item,
    "icon": last("icon"),
    "link": _feed_link,
    "logo": first("icon", plain_text),
    "subtitle": first("description", _markup),
    "tagline": first("description", _markup),
    "title": _feed_title,
}
_ENTRY_READERS = {
    "author": each("authors", _person),
    "category": each("categories", _label),
    "content": _content,
    "created": first("other_date", plain_text),
    "entry": _doubtful,
    "id": _id,
    "issued": published,
    "link": _link,
    "modified": updated,
    "published": published,
    "summary": first("summary", _markup),
    "title": _title,
    "updated": updated,
}
_FEED: Readers[XMLFeed] = Readers(
    _FEED_READERS
    | {f"atom:{name}": reader for name, reader in _FEED_READERS.items()}
    | {
        "dc:language": first("language", plain_text),
        "sy:updatefrequency": last("update_frequency"),
        "sy:updateperiod": last("update_period"),
    }
)
_ENTRY: Readers[RawEntry] = Readers(
    EXTENSIONS
    | _ENTRY_READERS
    | {f"atom:{name}": reader for name, reader in _ENTRY_READERS.items()}
    | {"content:encoded": _doubtful}
)
