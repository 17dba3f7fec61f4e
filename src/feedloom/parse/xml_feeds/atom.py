"""Atom 1.0 and 0.3: from the tree to a ``RawFeed``.

Raises ``Unsure`` where more than one reading is possible.
"""

from feedloom.model.feed import Format
from feedloom.parse.raw import MAX_LISTED, RawEntry, RawFeed, Unsure
from feedloom.parse.text import as_markup, joined
from feedloom.parse.xml_feeds.elements import (
    BASE,
    LANGUAGE,
    Element,
    Readers,
    markup_of,
    name_of,
    text_of,
    under,
)
from feedloom.parse.xml_feeds.extensions import EXTENSIONS, MAX_LIST, added, published, updated
from feedloom.parse.xml_feeds.trees import Tree

_HTML = frozenset({"html", "text/html"})
_TEXT = frozenset({"", "text", "text/plain"})
_XHTML = frozenset({"xhtml", "application/xhtml+xml"})


def read_atom(tree: Tree, url: str) -> RawFeed:
    """Read a document whose root is ``feed``, or a single ``entry``."""
    root = tree.root
    feed = RawFeed(Format.ATOM, joined(url, root.get(BASE)), damaged=tree.damaged)
    feed.language = root.get(LANGUAGE) or ""
    elements: list[Element] = []
    if local_name(root) == "entry":
        elements.append(root)
    else:
        readers = tree.readers(_FEED)
        for child in root:
            readers[child.tag]((feed, elements), child)
    feed.truncated = tree.truncated or len(elements) > MAX_LISTED
    readers_of_entries = tree.readers(_ENTRY)
    for element in elements[:MAX_LISTED]:
        entry = RawEntry(feed.base)
        if tree.has_settings:
            entry.base = joined(entry.base, element.get(BASE))
            entry.language = element.get(LANGUAGE) or ""
        for child in element:
            readers_of_entries[child.tag](entry, child)
        feed.entries.append(entry)
    return feed


def local_name(element: Element) -> str:
    return name_of(element).removeprefix("atom:")


def _construct(element: Element) -> tuple[str, bool]:
    kind = (element.get("type") or "").strip().lower()
    mode = (element.get("mode") or "").strip().lower()
    if mode == "base64":
        raise Unsure("base64")
    if len(element):
        return markup_of(_inside_div(element)), False
    text = element.text or ""
    if kind in _TEXT:
        return text, True
    if kind in _HTML or kind in _XHTML:
        return text, False
    raise Unsure("type of content")


def _inside_div(element: Element) -> Element:
    child = element[0]
    only_child = len(element) == 1 and not (element.text or "").strip()
    return child if only_child and name_of(child) in {"div", "xhtml:div"} else element


def _markup(element: Element) -> str:
    value, is_text = _construct(element)
    return as_markup(value) if is_text else value


def _person(element: Element) -> str:
    parts = {local_name(child): (child.text or "").strip() for child in element}
    return parts.get("name") or parts.get("email") or (element.text or "").strip()


# Elements of the feed

_Found = tuple[RawFeed, list[Element]]


def _is_entry(found: _Found, element: Element) -> None:
    found[1].append(element)


def _feed_title(found: _Found, element: Element) -> None:
    feed = found[0]
    if not feed.title:
        feed.title, feed.title_is_text = _construct(element)


def _feed_subtitle(found: _Found, element: Element) -> None:
    found[0].description = found[0].description or _markup(element)


def _feed_author(found: _Found, element: Element) -> None:
    found[0].authors = added(found[0].authors, _person(element))


def _feed_icon(found: _Found, element: Element) -> None:
    found[0].icon = element.text or ""


def _feed_logo(found: _Found, element: Element) -> None:
    found[0].icon = found[0].icon or element.text or ""


def _feed_language(found: _Found, element: Element) -> None:
    found[0].language = found[0].language or element.text or ""


def _feed_period(found: _Found, element: Element) -> None:
    found[0].update_period = element.text or ""


def _feed_frequency(found: _Found, element: Element) -> None:
    found[0].update_frequency = element.text or ""


def _feed_link(found: _Found, element: Element) -> None:
    feed = found[0]
    relation = (element.get("rel") or "alternate").lower()
    address = joined_link(element)
    if relation == "hub":
        feed.hub = feed.hub or address
    elif relation == "self":
        feed.self_link = feed.self_link or address
    elif relation == "alternate" and _is_page(element):
        feed.link = feed.link or address


def joined_link(element: Element) -> str:
    address = (element.get("href") or element.text or "").strip()
    base = element.get(BASE)
    return under(base, address) if base and address else address


def _is_page(element: Element) -> bool:
    return (element.get("type") or "text/html").lower() in _HTML | _XHTML


# Elements of an entry


def _title(entry: RawEntry, element: Element) -> None:
    title, is_text = _construct(element)
    if entry.title and title != entry.title:
        raise Unsure("several titles")
    entry.title, entry.title_is_text = title, is_text


def _link(entry: RawEntry, element: Element) -> None:
    relation = (element.get("rel") or "alternate").lower()
    address = joined_link(element)
    if relation == "alternate" and not _is_page(element):
        entry.permalink = entry.permalink or address
    elif relation == "alternate":
        if address and entry.link not in {"", address}:
            raise Unsure("several alternates")
        entry.link = address or entry.link
    elif relation == "enclosure" and address and len(entry.enclosures) < MAX_LIST:
        kind, length = element.get("type") or "", element.get("length") or ""
        entry.enclosures += ((address, kind, length),)
    elif relation == "replies" and _is_page(element):
        entry.comments = entry.comments or address


def _id(entry: RawEntry, element: Element) -> None:
    entry.id = entry.id or (element.text or "").strip()


def _content(entry: RawEntry, element: Element) -> None:
    if element.get("src") is None and not entry.content:
        entry.content = _markup(element)
        entry.content_base = element.get(BASE) or ""


def _summary(entry: RawEntry, element: Element) -> None:
    entry.summary = entry.summary or _markup(element)


def _created(entry: RawEntry, element: Element) -> None:
    entry.other_date = entry.other_date or element.text or ""


def _author(entry: RawEntry, element: Element) -> None:
    entry.authors = added(entry.authors, _person(element))


def _category(entry: RawEntry, element: Element) -> None:
    label = element.get("label") or element.get("term") or text_of(element)
    entry.categories = added(entry.categories, label)


def _doubtful(_entry: RawEntry, element: Element) -> None:
    raise Unsure(f"{name_of(element)} inside an entry")


_FEED_READERS = {
    "author": _feed_author,
    "entry": _is_entry,
    "icon": _feed_icon,
    "link": _feed_link,
    "logo": _feed_logo,
    "subtitle": _feed_subtitle,
    "tagline": _feed_subtitle,
    "title": _feed_title,
}
_ENTRY_READERS = {
    "author": _author,
    "category": _category,
    "content": _content,
    "created": _created,
    "entry": _doubtful,
    "id": _id,
    "issued": published,
    "link": _link,
    "modified": updated,
    "published": published,
    "summary": _summary,
    "title": _title,
    "updated": updated,
}
_FEED: Readers[_Found] = Readers(
    _FEED_READERS
    | {f"atom:{name}": reader for name, reader in _FEED_READERS.items()}
    | {
        "dc:language": _feed_language,
        "sy:updatefrequency": _feed_frequency,
        "sy:updateperiod": _feed_period,
    }
)
_ENTRY: Readers[RawEntry] = Readers(
    EXTENSIONS
    | _ENTRY_READERS
    | {f"atom:{name}": reader for name, reader in _ENTRY_READERS.items()}
    | {"content:encoded": _doubtful}
)
