"""Ids and streams on the wire in all their spellings, and what streams name. Pure.

An item's number there is 10^15 + its number here: sixteen decimal digits, because one
client pads the hexadecimal form to the length of the decimal one, and below 2^53 for
clients that count in floating point.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from feedloom.model.errors import BadAddress
from feedloom.model.reader import Folder, SavedSearch, User, Wanted
from feedloom.model.sync import ListedSubscription
from feedloom.model.urls import url_key, without_credentials
from feedloom.serve.sync.parameters import LARGEST_ID

ITEM_PREFIX = "tag:google.com,2005:reader/item/"
STATE_PREFIX = "user/-/state/com.google/"
LABEL_PREFIX = "user/-/label/"
_FIRST = 10**15
_HEX = re.compile(r"[0-9a-fA-F]{1,16}")
_DECIMAL = re.compile(r"-?\d{1,20}")
_ONE_SLASH = re.compile(r"(https?):/(?=[^/])")
_USER_STREAM = re.compile(r"user/(.+?)/(state/com\.google|label)/(.*)", re.DOTALL)


class Kind(StrEnum):
    ALL = "reading-list"
    READ = "read"
    UNREAD = "unread"
    STARRED = "starred"
    FEED = "feed"
    ADDRESS = "address"
    """A feed, named by its address."""
    LABEL = "label"
    """A folder or a tag: they share their names there."""
    NOTHING = "nothing"
    """A state we do not have, or somebody else's."""


_STATES = {
    "reading-list": Kind.ALL,
    "read": Kind.READ,
    "unread": Kind.UNREAD,
    "kept-unread": Kind.UNREAD,
    "starred": Kind.STARRED,
}


@dataclass(frozen=True, slots=True)
class Stream:
    kind: Kind
    id: int = 0
    name: str = ""
    """The label, or the feed's address."""


def short_id(item_no: int) -> str:
    return str(_FIRST + item_no)


def long_id(item_no: int) -> str:
    return f"{ITEM_PREFIX}{_FIRST + item_no:016x}"


def read_item_id(text: str) -> int | None:
    """Read an item's number from any spelling; None when it is nobody's."""
    text = text.strip()
    bare = text.removeprefix(ITEM_PREFIX)
    # Without the prefix, sixteen hexadecimal digits start with 0 or hold a letter.
    is_hex = bare != text or bare.startswith("0") or not bare.lstrip("-").isdecimal()
    if not (_HEX if is_hex else _DECIMAL).fullmatch(bare):
        return None
    item_no = int(bare, 16 if is_hex else 10) - _FIRST
    return item_no if 0 < item_no <= LARGEST_ID else None


def read_stream(text: str, user: User) -> Stream:
    """Read a stream's id; nothing at all is everything there is to read."""
    text = text.strip().lstrip("/")
    if text.rstrip("/") in {"", "reading-list"}:
        return Stream(Kind.ALL)
    if text.startswith("feed/"):
        return _feed(text)
    found = _USER_STREAM.fullmatch(text)
    if found is None or found[1] not in {"-", str(user.id), user.email}:
        return Stream(Kind.NOTHING)
    if found[2] == "label":
        name = " ".join(found[3].split())
        return Stream(Kind.LABEL, name=name) if name else Stream(Kind.NOTHING)
    return Stream(_STATES.get(found[3].rstrip("/"), Kind.NOTHING))


def _feed(text: str) -> Stream:
    while text.startswith("feed/"):
        text = text.removeprefix("feed/")
    bare = text.rstrip("/")
    if bare.isascii() and bare.isdecimal():
        number = int(bare[:20])
        return Stream(Kind.FEED, number if number <= LARGEST_ID else 0)
    # Whatever stands before us may have made one slash of two.
    return Stream(Kind.ADDRESS, name=_ONE_SLASH.sub(r"\1://", text, count=1))


def stream_id(stream: Stream) -> str:
    """Write a stream's id, always with ``user/-/``."""
    match stream.kind:
        case Kind.FEED:
            return f"feed/{stream.id}"
        case Kind.ADDRESS:
            return f"feed/{stream.name}"
        case Kind.LABEL:
            return LABEL_PREFIX + stream.name
        case _:
            return STATE_PREFIX + stream.kind.value


_MARKS = {
    Kind.READ: ("unread", False),
    Kind.UNREAD: ("unread", True),
    Kind.STARRED: ("starred", True),
}


@dataclass(frozen=True, slots=True)
class Directory:
    """Everything a stream can name. A folder goes before a tag of the same name."""

    feeds: Sequence[ListedSubscription] = ()
    folders: Sequence[Folder] = ()
    tags: Sequence[tuple[str, int]] = ()
    """Names with unread counts."""
    searches: Sequence[SavedSearch] = ()

    def folder(self, stream: Stream) -> Folder | None:
        if stream.kind is not Kind.LABEL:
            return None
        return next((f for f in self.folders if f.path == stream.name), None)

    def has_tag(self, stream: Stream) -> bool:
        return (
            stream.kind is Kind.LABEL
            and self.folder(stream) is None
            and any(name == stream.name for name, _ in self.tags)
        )

    def search(self, stream: Stream) -> SavedSearch | None:
        """Find the saved search a label names, unless a folder or tag has that name."""
        if stream.kind is not Kind.LABEL or self.folder(stream) or self.has_tag(stream):
            return None
        return next((s for s in self.searches if s.name == stream.name), None)

    def feed(self, stream: Stream) -> ListedSubscription | None:
        if stream.kind is Kind.FEED:
            return next((f for f in self.feeds if f.id == stream.id), None)
        if stream.kind is not Kind.ADDRESS:
            return None
        try:
            key = url_key(stream.name)
        except BadAddress:
            return None
        for feed in self.feeds:
            # Clients name it as it is, or as they are shown it.
            if feed.url and key in {url_key(feed.url), url_key(without_credentials(feed.url))}:
                return feed
        return None

    def feeds_of(self, stream: Stream) -> frozenset[int] | None:
        """List the subscriptions of a feed or folder stream; None for other kinds."""
        if stream.kind is Kind.FEED:
            return frozenset({stream.id})
        if stream.kind is Kind.ADDRESS:
            feed = self.feed(stream)
            return frozenset() if feed is None else frozenset({feed.id})
        folder = self.folder(stream)
        if folder is None:
            return None
        return frozenset(f.id for f in self.feeds if f.folder_id == folder.id)

    def select(self, within: Sequence[Stream], without: Sequence[Stream] = ()) -> Wanted | None:
        """Say which items are in some streams and not in others; None if there can be none."""
        wanted: Wanted | None = Wanted()
        for stream in within:
            wanted = wanted and _keep(wanted, stream, self)
        for stream in without:
            wanted = wanted and _leave(wanted, stream, self)
        return wanted

    def folder_path(self, feed: ListedSubscription) -> str:
        """Return the path of a subscription's folder; empty for the root."""
        if feed.in_root:
            return ""
        return next((f.path for f in self.folders if f.id == feed.folder_id), "")


def _keep(wanted: Wanted, stream: Stream, directory: Directory) -> Wanted | None:
    if stream.kind is Kind.ALL:
        return wanted
    if stream.kind in _MARKS:
        return _marked(wanted, *_MARKS[stream.kind])
    feeds = directory.feeds_of(stream)
    if feeds is not None:
        given = wanted.subscription_ids
        kept = feeds if given is None else feeds & set(given)
        return replace(wanted, subscription_ids=tuple(sorted(kept))) if kept else None
    if directory.has_tag(stream):
        return replace(wanted, tags=(*wanted.tags, stream.name))
    if search := directory.search(stream):
        # Of two searches at once both hold; their words stand side by side.
        return replace(wanted, text=" ".join(filter(None, (wanted.text, search.query))))
    return None


def _leave(wanted: Wanted, stream: Stream, directory: Directory) -> Wanted | None:
    if stream.kind is Kind.ALL:
        return None
    if stream.kind in _MARKS:
        name, value = _MARKS[stream.kind]
        return _marked(wanted, name, not value)
    feeds = directory.feeds_of(stream)
    if feeds is not None:
        left = (*wanted.not_subscription_ids, *sorted(feeds))
        return replace(wanted, not_subscription_ids=left)
    if directory.has_tag(stream):
        return replace(wanted, not_tags=(*wanted.not_tags, stream.name))
    return wanted


def _marked(wanted: Wanted, name: str, value: bool) -> Wanted | None:  # noqa: FBT001 - a mark's value
    given = wanted.unread if name == "unread" else wanted.starred
    if given is not None and given is not value:
        return None
    if name == "unread":
        return replace(wanted, unread=value)
    return replace(wanted, starred=value)
