"""Ids on the wire: items in all their spellings, streams in all theirs. Pure.

An item's number there is 10^15 + its number here: sixteen decimal digits, because one
client pads the hexadecimal form to the length of the decimal one, and below 2^53 for
clients that count in floating point.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from feedloom.model.reader import User
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
