"""Limits for the tolerant parser, which takes quadratic time over some documents.

Bytes go in; as many of them as can be read in reasonable time come out, or
``ParseError`` when cutting would not help.
"""

import re
from typing import NamedTuple

from feedloom.model.errors import ParseError
from feedloom.model.stages import MAX_BODY_BYTES

MAX_ENTRIES_READ = 2_000
MAX_TAGS = 50_000
MAX_DEPTH = 2_000
MAX_ATTRIBUTES = 100
_LONG_TAG = 1_000
_TOKEN = re.compile(rb"<(?:!\[CDATA\[|(/?)([a-zA-Z][\w:.-]{0,60})[^<>]*?(/?)>)")
_ENTRY = frozenset({b"item", b"entry"})
_NEVER_CLOSED = frozenset(
    {b"br", b"hr", b"img", b"input", b"link", b"meta", b"p", b"li", b"wbr", b"embed"}
)


class Bounded(NamedTuple):
    """A document within the limits."""

    body: bytes
    cut: bool


def bounded(body: bytes) -> Bounded:
    """Return a document that can be read in reasonable time."""
    if len(body) > MAX_BODY_BYTES:
        raise ParseError("The document is larger than 10 MB.")
    tags = depth = entries = place = 0
    while token := _TOKEN.search(body, place):
        place = token.end()
        if token[2] is None:
            end = body.find(b"]]>", place)
            place = len(body) if end < 0 else end
            continue
        tags += 1
        name = token[2].lower()
        entries += name in _ENTRY and not token[1]
        if tags > MAX_TAGS or entries > MAX_ENTRIES_READ:
            return Bounded(body[: token.start()], cut=True)
        _check_attributes(token)
        depth = _depth_after(depth, token, name)
        if depth > MAX_DEPTH:
            raise ParseError("The document is nested too deeply to be a feed.")
    return Bounded(body, cut=False)


def _check_attributes(token: re.Match[bytes]) -> None:
    start, end = token.span()
    if end - start > _LONG_TAG and token[0].count(b"=") > MAX_ATTRIBUTES:
        raise ParseError("An element has more attributes than any feed needs.")


def _depth_after(depth: int, token: re.Match[bytes], name: bytes) -> int:
    if token[1]:
        return max(0, depth - 1)
    return depth if token[3] or name in _NEVER_CLOSED else depth + 1
