"""One frozen type per step of the flow, named after its place in it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

import msgspec

from feedloom.model.feed import MAX_ENTRIES, Asked, CleanHTML, Enclosure, ParsedFeed

MAX_BODY_BYTES = 10_000_000


class Purpose(StrEnum):
    """What an outbound request is for. Each has its own limits, all one guard."""

    FEED = "feed"
    DISCOVERY = "discovery"
    ARTICLE = "article"
    FAVICON = "favicon"
    IMAGE = "image"
    CHAPTERS = "chapters"
    HUB = "hub"
    OPML = "opml"
    MODEL = "model"
    EXTRACTOR = "extractor"
    OIDC = "oidc"
    ALERT = "alert"


class Room(Protocol):
    """Memory for one response, shared with the others that are under way."""

    def take(self, size: int) -> asyncio.Future[None] | None:
        """Reserve more bytes; return what to wait for if there are none left."""
        ...


class FetchRequest(msgspec.Struct, frozen=True):
    url: str
    sink: Purpose = Purpose.FEED
    method: str = "GET"
    etag: str | None = None
    last_modified: str | None = None
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Extra headers; those that carry secrets are dropped when the origin changes."""
    body: bytes | None = None
    max_bytes: int = MAX_BODY_BYTES
    cut: bool = False
    """Return the first ``max_bytes`` of a larger body instead of ``TooLarge``."""
    timeout_s: float = 30.0
    """For the whole request; waiting for ``room`` is not counted."""
    max_redirects: int = 5
    direct: bool = False
    """Bypass the outbound proxy, if there is one."""
    ahead: bool = False
    """Somebody is waiting: skip the host's spacing now and wait longer afterwards."""
    room: Room | None = None
    """Asked for memory before more than the beginning of a body is kept."""


class FetchResponse(msgspec.Struct, frozen=True):
    url: str
    """The address that answered, after redirects."""
    status: int
    headers: Mapping[str, str]
    """Lower-case names; control characters removed from values."""
    body: bytes
    permanent_url: str | None = None
    """The target of the leading 301 and 308 redirects; None without any."""
    ms: int = 0
    hops: int = 0
    """Redirects that were followed; each was a request of its own."""
    is_cut: bool = False
    """The body was larger than asked for; this is its beginning."""

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is sent to browsers."""

    body: bytes
    mime: str
    width: int
    """Width and height of the original."""
    height: int


class Outcome(StrEnum):
    NEW = "new"
    """200 with a document that differs from the last one."""
    UNCHANGED = "unchanged"
    """200 with the same bytes as last time."""
    NOT_MODIFIED = "not_modified"
    TEMPORARY = "temporary"
    """Timeout, connection, DNS, 5xx, 408, 425."""
    RATE_LIMITED = "rate_limited"
    UNAUTHORIZED = "unauthorized"
    GONE = "gone"
    """404 and 410."""
    BAD_REQUEST = "bad_request"
    NOT_A_FEED = "not_a_feed"
    BLOCKED = "blocked"
    """Refused by the address guard, too large or a redirect loop: retrying soon is useless."""
    OFFLINE = "offline"
    """Our own network is down; no feed is charged."""

    @property
    def succeeded(self) -> bool:
        return self in _SUCCESSES


_SUCCESSES = frozenset({Outcome.NEW, Outcome.UNCHANGED, Outcome.NOT_MODIFIED})


class FetchStatus(StrEnum):
    SUCCESS = "success"
    TEMPORARY_ERROR = "temporary_error"
    PERMANENT_ERROR = "permanent_error"
    UNAUTHORIZED = "unauthorized"


class FeedState(StrEnum):
    UNCHECKED = "unchecked"
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"
    PAUSED = "paused"


class FeedToRefresh(msgspec.Struct, frozen=True):
    """What a worker knows about a feed when it claims it."""

    feed_id: int
    url: str
    host_key: str
    lease_token: str
    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None
    title: str | None = None
    site_url: str | None = None
    favicon_id: int | None = None
    state: FeedState = FeedState.UNCHECKED
    consecutive_failures: int = 0
    failing_since: datetime | None = None
    looks: int = 0
    """How often it asked for a password since it last worked."""
    last_success_at: datetime | None = None
    latest_item_published_at: datetime | None = None
    subscriber_count: int = 0
    """People who read it; 0 for feeds that are only proxied or in the directory."""
    interval_s: int | None = None
    """The shortest interval a reader set."""
    in_directory: bool = False
    is_mailing_list: bool = False
    """It is filled by email, so it isn't polled."""
    proxied: bool = False
    """An enabled proxy deframes it."""
    proxy_polling: bool = False
    proxy_interval_s: int | None = None
    one_strike: bool = False
    """The proxy stops at its first failure."""
    most_entries: int = MAX_ENTRIES
    """How many entries of a document are kept: more where a proxy serves more."""
    week_articles: int = 0
    """Articles published in the last seven days."""
    hub_active_until: datetime | None = None
    asked: Asked = Asked()
    """What its last document asked of pollers."""
    https_checked: bool = False
    """Whether its http address was checked for https."""
    direct: bool = False
    """Fetched past the outbound proxy."""
    alone: bool = False
    """Somebody added this feed on its own, and it was not fetched since."""
    user_agent: str | None = None
    cookie: str | None = None
    attempts: int = 0

    def __repr__(self) -> str:
        """Name the feed; its cookie is a secret."""
        return f"FeedToRefresh(feed_id={self.feed_id}, url={self.url!r})"


class NewArticle(NamedTuple):
    """An article ready to be stored: clean, resolved, hashed.

    A tuple for the same reason as ``ParsedEntry``.
    """

    guid: str
    guid_hash: str
    url: str
    url_hash: str
    title: str
    author: str | None
    content: CleanHTML
    summary: str
    """Plain text, at most a few hundred characters."""
    published_at: datetime
    updated_at: datetime | None
    enclosures: tuple[Enclosure, ...]
    thumbnail_url: str | None
    categories: tuple[str, ...]
    language: str | None
    rtl: bool
    content_hash: str
    fingerprint: str
    cluster_key: str
    comments_url: str | None = None


class Wording(NamedTuple):
    """What a stored article says."""

    title: str
    summary: str
    content: CleanHTML


class NewRevision(NamedTuple):
    """What an article said until now, to be kept."""

    title: str
    text: bytes | None
    """Compressed; None when only the headline changed."""


class Refreshed(msgspec.Struct, frozen=True):
    """What one refresh stores: the outcome and everything that follows from it."""

    feed: FeedToRefresh
    outcome: Outcome
    at: datetime
    http_status: int | None = None
    message: str | None = None
    """The sentence for ``last_fetch_error``; None on success."""
    parsed: ParsedFeed | None = None
    articles: tuple[NewArticle, ...] = ()
    """New or changed entries, oldest first."""
    revisions: Mapping[str, NewRevision] = {}
    """By GUID hash of the changed articles."""
    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None
    new_url: str | None = None
    """The address of a permanent redirect."""
    size: int = 0
    ms: int = 0
    verdict: "Verdict | None" = None


class Verdict(msgspec.Struct, frozen=True):
    """What health and cadence decided; ``reason`` recomputes ``next_run_at``."""

    state: FeedState
    status: FetchStatus | None
    next_run_at: datetime | None
    reason: Mapping[str, object]
    consecutive_failures: int
    failing_since: datetime | None
    revive: bool = False
    charge: bool = True
    """False when the failure was ours."""


class Stored(msgspec.Struct, frozen=True):
    feed_id: int
    new_articles: int = 0
    changed_ids: tuple[int, ...] = ()
    """Stored articles whose content changed."""
    full_text: bool = False
    """Somebody wants its articles' full texts."""
    lease_lost: bool = False
    merged_into: int | None = None
    """The feed this one was merged into; its own row is gone."""
    lease_kept: bool = False
    """A proxy deframes it next; only then does its job end."""


class Origin(StrEnum):
    PASTED = "pasted"
    PLATFORM = "platform"
    HTML = "html"
    HEADERS = "headers"
    ANCHOR = "anchor"
    GUESS = "guess"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class Candidate:
    url: str
    origin: Origin
    title: str = ""
    type: str = ""
    rank: int = 0
    """Its position among what the same source offered; 0 is the source's first choice."""
    language: str = ""
    """The language of its link or address; empty if unknown."""
    is_of_address: bool = False
    """The platform keeps it for just the address that was pasted."""


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    url: str
    origin: Origin
    score: int
    reasons: Mapping[str, int]
    valid: bool
    error: str | None = None
    rank: int = 0
    """Its position among what the same source offered."""
    title: str = ""
    link_title: str = ""
    """The title of its link, which often differs from the feed's own."""
    format: str | None = None
    site_url: str | None = None
    description: str = ""
    language: str | None = None
    latest_at: datetime | None = None
    sample: tuple[tuple[str, str | None, datetime | None], ...] = ()
    """Title, address and date of the newest entries."""


class Ending(StrEnum):
    """How a discovery ended; the values are what programs are told."""

    FOUND = "found"
    NO_FEED = "no_feed"
    NOT_FOUND = "not_found"
    """The page itself is gone (404, 410), and nothing near it helped."""
    REFUSED = "refused"
    """The site wants a password, or no programs (401, 403)."""
    THROTTLED = "throttled"
    FAILING = "failing"
    DAMAGED = "damaged"
    """It looks like a feed, but cannot be read."""
    TIMED_OUT = "timed_out"
    UNREACHABLE = "unreachable"
    BLOCKED_ADDRESS = "blocked_address"


@dataclass(frozen=True, slots=True)
class Site:
    input_url: str
    canonical_url: str
    """The page that answered, after redirects."""
    domain: str
    title: str = ""
    favicon_url: str | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    url: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Discovered:
    site: Site
    candidates: tuple[ScoredCandidate, ...]
    """Best first; those that are no valid feed last."""
    canonical: ScoredCandidate | None
    ending: Ending
    tried: tuple[Tried, ...]
    requests: int
    """Requests made, redirects included."""
    complete: bool
    """False while requests are under way or still to come."""


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """A feed of the shipped directory; facts only, no fetch state."""

    title: str
    feed_url: str
    site_url: str
    topic: str
    language: str
    country: str | None = None
    format: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored of a feed already: content hash by GUID hash; deleted ones."""

    content_hashes: dict[str, str]
    tombstones: frozenset[str]


@dataclass(frozen=True, slots=True)
class DeadFeed:
    url: str
    title: str
    site_url: str | None
    is_healthy: bool
    guids: frozenset[str]
    urls: frozenset[str]
    is_apart: bool = False
    """It is fetched with somebody's own cookie or user agent."""
    is_polled: bool = False
    is_wanted: bool = True
    """Somebody reads it, or a proxy or the directory has it, and nobody paused it."""
    is_read: bool = True
    failing_since: datetime | None = None
    look_again_at: int | None = None
    """When the next check is planned, as in its task."""
    asked: Asked = field(default_factory=Asked)


@dataclass(frozen=True, slots=True)
class PlainFeed:
    url: str
    title: str
    site_url: str | None
    guids: frozenset[str]
    urls: frozenset[str]
    """Addresses of its entries."""
    body_hash: str | None
    ever_worked: bool
    user_agent: str | None
    cookie: str | None = None


@dataclass(frozen=True, slots=True)
class IndexArticle:
    id: int
    title: str
    author: str
    content: str


@dataclass(frozen=True, slots=True)
class IndexFeed:
    id: int
    text: str
    url: str
    recent_titles: tuple[str, ...] = ()
