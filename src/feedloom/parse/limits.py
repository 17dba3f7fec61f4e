"""Limits for the tolerant parser, which takes quadratic time over some documents.

Bytes go in; as many of them as can be read in reasonable time come out, or
``ParseError`` when cutting would not help.
"""

import re
from typing import NamedTuple

from feedloom.model.errors import ParseError

MAX_BYTES = 2_000_000
MAX_ENTRIES_READ = 2_000
MAX_TAGS = 20_000
MAX_DEPTH = 2_000
MAX_ATTRIBUTES = 100
MAX_STRAYS = 2_000
"""Signs that begin a tag but are none; each makes the parser look ahead."""
_LONG_TAG = 1_000
_TOKEN = re.compile(rb"<(?:!\[CDATA\[|(/?)([a-zA-Z][\w:.-]*+)[^<>]*+>)")
_ENTRY = frozenset({b"item", b"entry"})
_NEVER_CLOSED = frozenset(
    {b"br", b"hr", b"img", b"input", b"link", b"meta", b"p", b"li", b"wbr", b"embed"}
)


class Bounded(NamedTuple):
    body: bytes
    cut: bool


def bounded(body: bytes) -> Bounded:
    within = body[:MAX_BYTES]
    end = _Measure(within).end()
    return Bounded(within[:end], cut=end < len(body))


class _Measure:
    """Counts what is in a document, up to where it becomes too much."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._tags = self._depth = self._entries = self._strays = 0

    def end(self) -> int:
        place = 0
        while token := _TOKEN.search(self._body, place):
            self._count_strays(place, token.start())
            if token[2] is None:
                close = self._body.find(b"]]>", token.end())
                place = len(self._body) if close < 0 else close
                continue
            self._count_tag(token)
            if self._tags > MAX_TAGS or self._entries > MAX_ENTRIES_READ:
                return token.start()
            place = token.end()
        # A tag that the cut, or the publisher, left unfinished says nothing.
        last = self._body.rfind(b"<", place)
        end = len(self._body) if last < 0 or b">" in self._body[last:] else last
        self._count_strays(place, end)
        return end

    def _count_strays(self, start: int, end: int) -> None:
        self._strays += self._body.count(b"<", start, end)
        if self._strays > MAX_STRAYS:
            raise ParseError

    def _count_tag(self, token: re.Match[bytes]) -> None:
        start, end = token.span()
        if end - start > _LONG_TAG and token[0].count(b"=") > MAX_ATTRIBUTES:
            raise ParseError("An element has more attributes than any feed needs.")
        name = token[2].lower()
        self._tags += 1
        if token[1]:
            self._depth = max(0, self._depth - 1)
            return
        self._entries += name in _ENTRY
        if name not in _NEVER_CLOSED and self._body[end - 2 : end] != b"/>":
            self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ParseError("The document is nested too deeply to be a feed.")
