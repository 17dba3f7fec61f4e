"""The cache of documents: bytes and headers built once, sent many times.

Our server asks here before it makes a task of a request. Which document a query means
is believed for half a second; then one request looks it up, and the others are served
from memory for a little longer. So a disabled or rebuilt feed is seen within a second.
"""

import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus

from prometheus_client import Counter

from feedloom.model.distilled.documents import Built
from feedloom.serve.wire.json_io import is_named

SURE_S = 0.5
"""How long nobody looks whether a document is still the one to serve."""
LATEST_S = 0.9
"""How long others are served while somebody looks."""
MOST_BYTES = 64_000_000
MOST_QUERIES = 10_000

PATH = "/rss"
HITS = Counter("feedloom_rss_hits", "Responses of /rss served from memory.")
_TARGET = b"/rss?"
_SAFE = {b"GET", b"HEAD"}

RawHeaders = list[tuple[bytes, bytes]]
PageKey = tuple[int, str, float | None]
"""Feed, ETag of its document, highest score."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer, in the form applications give and in that of the wire."""

    status: int
    headers: RawHeaders
    body: bytes
    head: bytes
    """Status line and headers, written out; the end of the head is missing."""


class Page:
    """One document in all its forms."""

    def __init__(self, built: Built, more: RawHeaders) -> None:
        self._etag = built.etag.encode()
        self._gzip_etag = built.gzip_etag.encode()
        self._modified_at = built.updated_at.timestamp()
        self._modified = format_datetime(built.updated_at, usegmt=True).encode()
        self.size = len(built.xml_content) + len(built.xml_gzip)
        kind = [(b"content-type", b"application/rss+xml; charset=utf-8")]
        gzip = [(b"content-encoding", b"gzip")]
        plain_head = self._head(self._etag, more)
        gzip_head = self._head(self._gzip_etag, more)
        self._plain = _answer(200, kind + plain_head, built.xml_content)
        self._gzip = _answer(200, kind + gzip + gzip_head, built.xml_gzip)
        self._known = _answer(304, plain_head, b"")
        self._known_gzip = _answer(304, gzip_head, b"")

    def choose(self, headers: Iterable[tuple[bytes, bytes]]) -> Chosen:
        """Choose the form that was asked for, or say that it is known already."""
        wants_gzip, known, since = False, None, None
        for name, value in headers:
            if name == b"accept-encoding":
                wants_gzip = accepts_gzip(value)
            elif name == b"if-none-match":
                known = value if known is None else known + b"," + value
            elif name == b"if-modified-since":
                since = value
        if known is not None:
            etag = self._gzip_etag if wants_gzip else self._etag
            is_known = is_named(etag, known)
        else:
            at = read_date(since) if since is not None else None
            is_known = since == self._modified or (at is not None and self._modified_at <= at)
        if is_known:
            return self._known_gzip if wants_gzip else self._known
        return self._gzip if wants_gzip else self._plain

    def _head(self, etag: bytes, more: RawHeaders) -> RawHeaders:
        own = [(b"etag", etag), (b"last-modified", self._modified), (b"vary", b"Accept-Encoding")]
        return own + more


def _answer(status: int, headers: RawHeaders, body: bytes) -> Chosen:
    if body:
        headers = [(b"content-length", b"%d" % len(body)), *headers]
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n".encode()
    lines = [b"%b: %b\r\n" % pair for pair in headers]
    return Chosen(status, headers, body, b"".join((first, *lines)))


@lru_cache(maxsize=1024)
def accepts_gzip(value: bytes) -> bool:
    """Read an ``Accept-Encoding`` header."""
    weights: dict[str, float] = {}
    for part in value.decode("latin-1").lower().split(","):
        name, _, rest = part.partition(";")
        weights[name.strip()] = _weight(rest)
    named = next((name for name in ("gzip", "x-gzip", "*") if name in weights), None)
    return named is not None and weights[named] > 0


def _weight(text: str) -> float:
    name, equals, value = text.partition("=")
    if not equals or name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


@lru_cache(maxsize=1024)
def read_date(value: bytes) -> float | None:
    try:
        return parsedate_to_datetime(value.decode("latin-1")).timestamp()
    except (ValueError, OverflowError):
        return None


@dataclass(slots=True)
class Pointer:
    """Which document a query means, and when that was looked up."""

    key: PageKey
    checked_at: float
    is_checking: bool = False


class DocumentCache:
    """All documents in memory, the oldest going first when there are too many."""

    def __init__(self, *, most_bytes: int = MOST_BYTES, most_queries: int = MOST_QUERIES) -> None:
        self.pages: OrderedDict[PageKey, Page] = OrderedDict()
        self.pointers: OrderedDict[bytes, Pointer] = OrderedDict()
        self._most_bytes = most_bytes
        self._most_queries = most_queries
        self._bytes = 0

    def recall(
        self, method: bytes, target: bytes, headers: RawHeaders
    ) -> tuple[bytes, bytes] | None:
        if not target.startswith(_TARGET) or method not in _SAFE:
            return None
        page = self._find(target[len(_TARGET) :], time.monotonic())
        if page is None:
            return None
        HITS.inc()
        chosen = page.choose(headers)
        return chosen.head, b"" if method == b"HEAD" else chosen.body

    def _find(self, query: bytes, now: float) -> Page | None:
        pointer = self.pointers.get(query)
        if pointer is None:
            return None
        age = now - pointer.checked_at
        if age >= SURE_S and (age >= LATEST_S or not pointer.is_checking):
            # Whoever is told None looks it up; the others have a moment more.
            pointer.is_checking = True
            return None
        return self.pages.get(pointer.key)

    def keep(self, key: PageKey, page: Page) -> None:
        self._drop(key)
        self.pages[key] = page
        self._bytes += page.size
        while self._bytes > self._most_bytes and len(self.pages) > 1:
            self._drop(next(iter(self.pages)))

    def _drop(self, key: PageKey) -> None:
        page = self.pages.pop(key, None)
        if page is not None:
            self._bytes -= page.size

    def point(self, query: bytes, key: PageKey, checked_at: float) -> None:
        self.pointers.pop(query, None)
        self.pointers[query] = Pointer(key, checked_at)
        self.pages.move_to_end(key)
        while len(self.pointers) > self._most_queries:
            self.pointers.popitem(last=False)
