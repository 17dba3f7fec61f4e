"""The requests of one discovery: planned, in progress and spent.

Addresses go in, requests come out in the same order, a few at a time and never more
than the budget allows. A redirect is a request too, so each request reserves the redirects
it may take; what it did not use is given back when it is answered. Which requests are
made depends on the answers only, not on the order in which they arrive.

Bodies are not kept: a page is handed out once, to be read, and a feed not at all.
"""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from msgspec import structs

from feedloom.discover.scores import FULL_CONTENT_CHARS
from feedloom.discover.walls import consent_headers
from feedloom.model.errors import FeedloomError, RedirectError
from feedloom.model.feed import ParsedEntry, ParsedFeed
from feedloom.model.stages import FetchResponse, Tried
from feedloom.model.urls import url_key, without_credentials

BUDGET = 25
FRUITLESS = 12
"""Most requests to a site that shows no feed, redirects included."""
AT_ONCE = 4
PAGE_REDIRECTS = 5
FEED_REDIRECTS = 3
_OK = range(200, 300)
_BEGINNING = 16_384
_ROOT = re.compile(
    rb"<(?:!doctype\s+)?(?:html|(?P<feed>(?:[\w-]{1,30}:)?(?:rss|feed|rdf|channel)))\b",
    re.IGNORECASE,
)


class RequestKind(StrEnum):
    PAGE = "page"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class Request:
    """An address to fetch now, with the redirects that the budget has reserved."""

    url: str
    purpose: RequestKind
    max_redirects: int = PAGE_REDIRECTS

    @property
    def headers(self) -> Mapping[str, str]:
        return consent_headers(self.url)


@dataclass(frozen=True, slots=True)
class Reply:
    fetched: FetchResponse | None = None
    parsed: ParsedFeed | None = None
    error: FeedloomError | None = None

    @property
    def feed(self) -> ParsedFeed | None:
        is_ok = self.fetched is not None and self.fetched.status in _OK
        return self.parsed if is_ok else None

    @property
    def outcome(self) -> str:
        if self.fetched is None:
            return str(self.error or "No response.")
        if self.fetched.status not in _OK:
            return f"HTTP status {self.fetched.status}."
        return "A feed." if self.parsed else str(self.error or "A page.")

    @property
    def kept(self) -> "Reply":
        """The answer without its body, and of its feed only what is scored."""
        fetched, parsed = self.fetched, self.parsed
        if fetched is not None and fetched.body:
            fetched = structs.replace(fetched, body=b"")
        if parsed is not None and parsed.listed_guids:
            entries = (
                ParsedEntry(
                    guid="",
                    url=entry.url,
                    title=entry.title,
                    content_html=entry.content_html[:FULL_CONTENT_CHARS],
                    published_at=entry.published_at,
                    updated_at=entry.updated_at,
                )
                for entry in parsed.entries
            )
            parsed = replace(parsed, entries=tuple(entries), listed_guids=())
        return replace(self, fetched=fetched, parsed=parsed)


class Asking:
    def __init__(self, *, budget: int = BUDGET, at_once: int = AT_ONCE) -> None:
        self.spent = 0
        self._budget = self._limit = budget
        self._at_once = at_once
        self._queue: deque[Request] = deque()
        self._under_way: dict[str, Request] = {}
        self._seen: dict[str, None] = {}
        self._replies: dict[str, Reply] = {}
        self._unanswered: tuple[str, ...] = ()

    def want(self, url: str, purpose: RequestKind) -> bool:
        """Queue an address; False when it was wanted before."""
        if url in self._seen:
            return False
        self._seen[url] = None
        is_page = purpose is RequestKind.PAGE
        redirects = PAGE_REDIRECTS if is_page else FEED_REDIRECTS
        self._queue.append(Request(url, purpose, redirects))
        return True

    def limit_to(self, requests: int) -> None:
        """Spend no more than this in all, nor more than the budget."""
        self._limit = min(requests, self._budget)

    def has_asked(self, url: str) -> bool:
        """Tell whether this document was wanted before, in whatever spelling."""
        return url_key(url) in map(url_key, self._seen)

    def issue(self) -> tuple[Request, ...]:
        started: list[Request] = []
        while self._queue and len(self._under_way) < self._at_once:
            request = self._queue[0]
            if self._free < 1 + request.max_redirects:
                if self._under_way or self._free < 1:
                    break
                # The last ones: what nobody else holds is theirs.
                request = replace(request, max_redirects=self._free - 1)
            self._queue.popleft()
            self._under_way[request.url] = request
            started.append(request)
        if not self._under_way:
            # What is left cannot be paid for: nothing under way will give back.
            self._queue.clear()
        return tuple(started)

    def close(self, url: str, reply: Reply) -> None:
        """Take an answer; raise ``LookupError`` when nobody asked."""
        request = self._under_way.pop(url)
        self.spent += _cost(request, reply)
        is_page = request.purpose is RequestKind.PAGE
        self._replies[url] = reply if is_page else reply.kept

    def drop(self) -> None:
        self._queue.clear()

    def give_up(self) -> None:
        """Wait no longer; what is under way counts as asked and has no answer."""
        self.drop()
        self._unanswered = tuple(self._under_way)

    def reply_to(self, url: str) -> Reply | None:
        return self._replies.get(url)

    def take(self, url: str) -> Reply | None:
        reply = self._replies.get(url)
        if reply is not None:
            self._replies[url] = reply.kept
        return reply

    @property
    def is_idle(self) -> bool:
        """True when nothing is wanted or under way."""
        return not self._queue and not self._under_way

    @property
    def tried(self) -> tuple[Tried, ...]:
        """All answers so far, in the order in which they were wanted."""
        replies = dict.fromkeys(self._unanswered, Reply()) | self._replies
        return tuple(
            Tried(without_credentials(url), replies[url].outcome)
            for url in self._seen
            if url in replies
        )

    @property
    def requests(self) -> int:
        """What was asked: what was paid for, and what was not waited for any longer."""
        return self.spent + sum(url in self._under_way for url in self._unanswered)

    @property
    def _free(self) -> int:
        reserved = sum(1 + one.max_redirects for one in self._under_way.values())
        return self._limit - self.spent - reserved


def begins_like_feed(body: bytes) -> bool:
    """Tell whether a body is worth reading to its end, however large it is."""
    head = body[:_BEGINNING].lstrip(b"\xef\xbb\xbf \t\r\n\x00")
    root = _ROOT.search(head)
    return head.startswith(b"{") or (root is not None and root["feed"] is not None)


def _cost(request: Request, reply: Reply) -> int:
    if isinstance(reply.error, RedirectError) and reply.fetched is None:
        return 1 + request.max_redirects
    if reply.fetched is None:
        return 1
    moved = reply.fetched.url != request.url
    redirects = max(reply.fetched.hops, int(moved))
    return 1 + min(redirects, request.max_redirects)
