"""Lists of feeds (OPML): bytes in, the feeds listed and the rows refused out.

Every row with an address is either in ``feeds`` or, with a reason, in ``rejected``.
Rows are read wherever they stand and however they are spelled: with or without a type,
paired or self-closed, nested to any depth, attributes in any case. Whether an address
may be fetched is judged when it is fetched, by the one guard.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from feedloom.markup import plain, web_address
from feedloom.model.errors import BadAddress, NotAFeed, ParseError
from feedloom.model.urls import read_address, without_credentials
from feedloom.parse.kinds import recognised
from feedloom.parse.raw import Unsure
from feedloom.parse.xml_feeds.elements import Element, name_of
from feedloom.parse.xml_feeds.trees import read_tree

MAX_ROWS = 50_000
MAX_FOLDERS = 10
"""Folders deeper than this are flattened into the last."""
_MAX_NAME = 200
_MAX_TITLE = 1_000
_FEED_KINDS = frozenset({"rss", "atom", "feed", "xml", "json", "jsonfeed", "rss1", "rdf"})
_FEED_SCHEME = re.compile(r"feed:(?=//|https?:)", re.IGNORECASE)
_BARE_HOST = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63})+(?:[:/?]|$)")
_CREDENTIALS = re.compile(r"//[^/?#\s]{0,500}@")
_NO_LIST = "This is not a list of feeds (OPML)."


@dataclass(frozen=True, slots=True)
class ListedFeed:
    title: str
    """Empty where the row names nothing but its address."""
    xml_url: str
    html_url: str | None = None
    folder: tuple[str, ...] = ()
    """Names of the folders around it, outermost first."""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    title: str
    address: str
    reason: str


@dataclass(frozen=True, slots=True)
class FeedList:
    title: str
    feeds: tuple[ListedFeed, ...]
    rejected: tuple[RejectedRow, ...] = ()
    folders: tuple[tuple[str, ...], ...] = ()
    """All folders in order, also those without feeds."""
    truncated: bool = False
    """There were more rows than ``MAX_ROWS``."""


class _Row:
    def __init__(self, element: Element) -> None:
        said = {str(k).lower(): str(v).strip() for k, v in element.attrib.items()}
        kind = said.get("type", "").lower()
        self.name = said.get("title") or said.get("text", "")
        self.address = said.get("xmlurl") or said.get("feedurl", "")
        self.page = said.get("htmlurl", "")
        self.category = said.get("category", "")
        self.link = said.get("url", "")
        if not self.address and kind in _FEED_KINDS:
            self.address = self.link
        self.is_folder = not (self.address or self.page or self.link or kind in _FEED_KINDS)


def read_opml(body: bytes) -> FeedList:
    """Read a list of feeds; raise ``NotAFeed`` or ``ParseError`` if it is none."""
    kind = recognised(body)
    if kind not in {None, "opml"}:
        raise NotAFeed(_NO_LIST, kind=kind or "unknown")
    try:
        tree = read_tree(body)
    except Unsure as error:
        raise ParseError("The list is damaged and could not be read.") from error
    feeds: list[ListedFeed] = []
    rejected: list[RejectedRow] = []
    folders: dict[tuple[str, ...], None] = {}
    rows = _rows(tree.root)
    for row, folder in islice(rows, MAX_ROWS):
        folders.setdefault(folder)
        if row.is_folder:
            continue
        title = plain(row.name, limit=_MAX_TITLE)
        try:
            feed = _feed(row, title, folder)
        except BadAddress as error:
            rejected.append(RejectedRow(title, _shown(row), str(error)))
        else:
            feeds.append(feed)
            folders.setdefault(feed.folder)
    has_rows = bool(folders)
    if name_of(tree.root) != "opml" and not has_rows:
        raise NotAFeed(_NO_LIST, kind="xml")
    titles = (e.text or "" for e in tree.root.iter() if name_of(e) == "title")
    return FeedList(
        title=plain(next(titles, ""), limit=_MAX_TITLE),
        feeds=tuple(feeds),
        rejected=tuple(rejected),
        folders=tuple(filter(None, folders)),
        truncated=tree.truncated or next(rows, None) is not None,
    )


def _rows(root: Element) -> Iterator[tuple[_Row, tuple[str, ...]]]:
    """Yield all outlines in order, each with its folder; a folder with its own."""
    waiting: list[tuple[Element, tuple[str, ...]]] = [(root, ())]
    while waiting:
        element, folder = waiting.pop()
        if name_of(element) == "outline":
            row = _Row(element)
            name = plain(row.name, limit=_MAX_NAME) if row.is_folder else ""
            if name and len(folder) < MAX_FOLDERS:
                folder = (*folder, name)
            yield row, folder
        waiting += [(child, folder) for child in reversed(element)]


def _feed(row: _Row, title: str, folder: tuple[str, ...]) -> ListedFeed:
    if not row.address:
        raise BadAddress("This row has no feed address.")
    try:
        address = read_address(_spelled_out(row.address))
    except BadAddress as error:
        raise BadAddress("The feed address is not a valid web address.") from error
    if address.userinfo:
        raise BadAddress(
            "The feed address contains a user name or password. Add this feed by hand."
        )
    return ListedFeed(
        title="" if title == row.address else title,
        xml_url=str(address),
        html_url=web_address(row.page) if row.page else None,
        folder=folder or _category_folder(row.category),
    )


def _spelled_out(address: str) -> str:
    address = _FEED_SCHEME.sub("", address)
    if address.startswith("//"):
        return f"http:{address}"
    return f"http://{address}" if _BARE_HOST.match(address) else address


def _shown(row: _Row) -> str:
    address = row.address or row.page or row.link
    with suppress(BadAddress):
        return without_credentials(address)
    return plain(_CREDENTIALS.sub("//", address), markup=False, limit=500)


def _category_folder(category: str) -> tuple[str, ...]:
    first = category.split(",", 1)[0]
    names = (plain(name, limit=_MAX_NAME) for name in first.split("/"))
    return tuple(filter(None, names))[:MAX_FOLDERS]
