"""People, folders, subscriptions, and articles as readers see them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from feedloom.model.distilled.requests import AnalyzerResult
from feedloom.model.feed import CleanHTML, Enclosure
from feedloom.model.language_names import language_name


class Role(StrEnum):
    READER = "reader"
    OPERATOR = "operator"


class Retention(StrEnum):
    ARCHIVE = "archive"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class User:
    id: int
    email: str
    role: Role
    tenant_id: int | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    has_password: bool = True
    created_at: datetime | None = None
    disabled_at: datetime | None = None
    password_mark: str = field(default="", repr=False)
    """Another one with each password: what was proved with the old one ends with it."""
    learns: bool = False
    """Wants *For you*: what they star, save, open and dismiss is counted."""

    @property
    def is_operator(self) -> bool:
        return self.role is Role.OPERATOR


def password_mark(password_hash: str | None) -> str:
    return hashlib.sha256(password_hash.encode()).hexdigest() if password_hash else ""


@dataclass(frozen=True, slots=True)
class Session:
    token_hash: str
    user: User
    csrf_secret: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    user_agent: str = ""
    address: str = ""
    next_hash: str | None = None
    """Of the token its browser was given instead, until it uses it."""
    rotated_from: str | None = None
    rotated_at: datetime | None = None
    keep: str | None = None
    """The token that its browser is told to keep from now on."""


@dataclass(frozen=True, slots=True)
class AppPassword:
    """A password of one program; the secret itself is shown once and not kept."""

    id: int
    user_id: int
    label: str
    scope: str
    created_at: datetime
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LinkedIdentity:
    provider: str
    subject: str
    created_at: datetime

    @property
    def key(self) -> str:
        return hashlib.sha256(f"{self.provider} {self.subject}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class EndedAccess:
    """What stopped working beside the browsers when a password was changed."""

    app_passwords: int = 0
    shared_views: int = 0
    identities: int = 0


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """Something that happened to a person's account, as its owner is told of it."""

    at: datetime
    about: Mapping[str, object]


MOST_DAYS = 3_650
"""The longest that unread articles may be given before they count as read."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of subscriptions. The root is there for everybody and never listed."""

    id: int
    name: str
    parent_id: int | None
    is_root: bool = False
    hidden_globally: bool = False
    """Its feeds' articles are not listed among everything."""
    list_settings: Mapping[str, object] | None = None
    """How its list is shown, where that differs from the person's settings."""
    read_after_days: int | None = None
    """After how many days unread articles count as read."""
    unread: int = 0
    path: str = ""
    """Names from the root down, joined by ``/``."""


@dataclass(frozen=True, slots=True)
class FeedWish:
    url: str
    title: str | None
    folder_id: int


@dataclass(frozen=True, slots=True)
class Subscription:
    """One person's relation to one feed, with what the feed's health says."""

    id: int
    user_id: int
    feed_id: int | None
    """None for the place where starred articles of dropped feeds live on."""
    title: str
    """The person's own title, else the publisher's, else the host name."""
    own_title: str | None
    url: str
    site_url: str | None
    folder_id: int
    in_root: bool
    retention: Retention
    interval_s: int | None
    full_text: bool
    pinned: bool
    ordering: int
    added_at: datetime
    unread: int = 0
    favicon_id: int | None = None
    description: str = ""
    language: str | None = None
    is_mailing_list: bool = False
    direct: bool = False
    """Fetched past the outbound proxy, for everybody who reads it."""
    state: str = "unchecked"
    last_fetch_status: str | None = None
    last_fetch_error: str | None = None
    last_http_status: int | None = None
    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    consecutive_failures: int = 0
    latest_item_published_at: datetime | None = None
    avg_update_interval_s: int | None = None
    next_run_at: datetime | None = None
    reason: Mapping[str, object] = field(default_factory=dict)
    user_agent: str | None = None
    cookie: str | None = field(default=None, repr=False)
    """Sent with each fetch. Never shown again: people are told that there is one."""
    seeded: bool = False
    calm_titles: bool | None = None
    """None as the person's settings say."""
    paused_at: datetime | None = None
    """Nothing arrives since then; nobody fetches a feed all of whose readers paused it."""
    ignores_cache: bool = False
    """Fetched whole each time: its publisher's word that nothing changed is not trusted."""
    content_selector: str | None = None
    """Which part of an article's page is its text, as a CSS selector."""
    hidden_globally: bool = False
    """Its articles are not listed among everything."""
    list_settings: Mapping[str, object] | None = None
    """How its list is shown, where that differs from the person's settings."""
    read_after_days: int | None = None
    """None as its folder says."""


class Article(NamedTuple):
    """An article as one person sees it. ``item_no`` is its id in every API.

    A tuple for the same reason as ``ParsedEntry``: there are many at a time.
    """

    item_no: int
    article_id: int
    subscription_id: int
    feed_id: int
    guid: str
    guid_hash: str
    url: str
    title: str
    author: str | None
    summary: str
    published_at: datetime
    updated_at: datetime | None
    arrived_at: datetime
    last_modified: datetime
    unread: bool
    starred: bool
    saved_bookmark_id: int | None
    enclosures: tuple[Enclosure, ...]
    thumbnail_url: str | None
    comments_url: str | None
    categories: tuple[str, ...]
    language: str | None
    rtl: bool
    fingerprint: str
    content_hash: str
    cluster_key: str
    content: CleanHTML = CleanHTML("")
    """Empty in lists that were asked for without it."""
    full_content: CleanHTML | None = None
    feed_title: str = ""
    favicon_id: int | None = None
    tags: tuple[str, ...] = ()
    hidden: bool = False
    calm_title: str | None = None
    """What the person reads in its place, where they want that and there is one."""
    clickbait: float | None = None
    slant: float | None = None
    score: float | None = None
    analysis: object = None
    """The stored analysis, in lists that were asked for with content."""

    is_analysed: bool = False
    changed_at: datetime | None = None
    """When its publisher last changed what it says, if that was kept."""

    @property
    def shown_title(self) -> str:
        return self.calm_title or self.title

    @property
    def analysed(self) -> AnalyzerResult | None:
        found = self.analysis
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except ValueError:
                return None
        return AnalyzerResult.from_json(found)


@dataclass(frozen=True, slots=True)
class Revision:
    """What an article said until its publisher changed it."""

    id: int
    item_no: int
    changed_at: datetime
    title: str
    text: str | None
    """None when only the headline changed."""


class Piece(NamedTuple):
    """Words of two versions of a text: in both, in the old one, or in the new one."""

    kind: str
    """same, old or new."""
    text: str


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One time that a publisher changed an article, word by word."""

    id: int
    at: datetime
    title_before: str
    title_after: str
    title: Line
    text: tuple[Line, ...] = ()
    """Empty when only the headline changed."""
    slant_before: float | None = None
    slant_after: float | None = None
    """Of the headlines; None where they were not judged."""

    @property
    def has_new_title(self) -> bool:
        return self.title_before != self.title_after


class Order(StrEnum):
    NEWEST = "newest"
    """By published time, newest first."""
    OLDEST = "oldest"
    ITEM_DESC = "item_desc"
    """By item number, newest arrival first: what sync protocols page by."""
    ITEM_ASC = "item_asc"
    CHANGED_DESC = "changed_desc"
    """By when somebody or the publisher last changed it. From here on pages follow
    one another by ``Wanted.skip``, not by cursor."""
    CHANGED_ASC = "changed_asc"
    TITLE_DESC = "title_desc"
    TITLE_ASC = "title_asc"
    AUTHOR_DESC = "author_desc"
    AUTHOR_ASC = "author_asc"
    FOLDER_DESC = "folder_desc"
    FOLDER_ASC = "folder_asc"
    STATUS_DESC = "status_desc"
    """Unread before read."""
    STATUS_ASC = "status_asc"
    RELEVANCE = "relevance"
    """By how well a search's words fit; without words by published time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of a person's articles are asked for. All conditions hold together."""

    subscription_id: int | None = None
    folder_id: int | None = None
    """With its subfolders."""
    folder_only: bool = False
    """Without its subfolders."""
    subscription_ids: tuple[int, ...] | None = None
    not_subscription_ids: tuple[int, ...] = ()
    tag: str | None = None
    tags: tuple[str, ...] = ()
    """All of these."""
    not_tags: tuple[str, ...] = ()
    """None of these."""
    labels: tuple[str, ...] = ()
    """All of these, each a tag of the person or a category of the publisher."""
    unread: bool | None = None
    starred: bool | None = None
    saved: bool | None = None
    changed: bool | None = None
    """Whether the publisher changed what it says, as far as that is kept."""
    item_nos: tuple[int, ...] | None = None
    after_item: int | None = None
    """item_no > this."""
    before_item: int | None = None
    """item_no < this."""
    modified_since: datetime | None = None
    """last_modified >= this."""
    modified_until: datetime | None = None
    """last_modified <= this."""
    arrived_since: datetime | None = None
    arrived_until: datetime | None = None
    published_since: datetime | None = None
    published_before: datetime | None = None
    cluster_key: str | None = None
    story_id: int | None = None
    text: str | None = None
    """A search in the operators' language of the search box."""
    include_hidden: bool = False
    hidden: bool = False
    """Only what was put away."""
    globally_visible: bool = False
    """Not what stands in feeds or folders that are hidden from lists of everything."""
    order: Order = Order.NEWEST
    cursor: str | None = None
    """What the last page's ``next_cursor`` was."""
    skip: int = 0
    """How many to leave out, for programs that page by counting."""
    limit: int = 50
    with_content: bool = False


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """One page of a list; ``next_cursor`` is None on the last."""

    articles: tuple[Article, ...]
    next_cursor: str | None = None
    has_earlier: bool = False
    """Whether the list begins before this page, which was opened in its middle."""


@dataclass(frozen=True, slots=True)
class Marked:
    """What a mark changed; enough to undo it."""

    item_nos: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Counts:
    unread: int
    starred: int
    newest_item: int | None
    total: int = 0
    by_subscription: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """A person's filter: what matches a pattern is marked, starred, hidden or tagged."""

    id: int
    name: str
    subscription_id: int | None
    field: str
    pattern: str
    action: str
    tag: str | None = None
    enabled: bool = True
    last_error: str | None = None
    inverted: bool = False
    """It concerns what does not match."""


@dataclass(frozen=True, slots=True)
class SavedSearch:
    id: int
    name: str
    query: str
    """In the operators' language of the search box."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    id: int
    url: str
    title: str
    description: str
    summary: str
    tags: tuple[str, ...]
    state: str
    pinned: bool
    source_article_id: int | None
    enrich_status: str
    enrich_error: str | None
    added_at: datetime
    archived_at: datetime | None
    updated_at: datetime
    content: str = ""
    """Markdown; empty in lists that were asked for without it."""


@dataclass(frozen=True, slots=True)
class LogLine:
    at: datetime
    outcome: str
    http_status: int | None
    bytes: int
    ms: int
    new_articles: int
    message: str | None


@dataclass(frozen=True, slots=True)
class AuditLine:
    at: datetime
    actor: str
    action: str
    before: str | None
    after: str | None
    why: str


@dataclass(frozen=True, slots=True)
class CandidateLine:
    url: str
    origin: str
    score: int
    reasons: Mapping[str, object]
    status: str
    error: str | None
    title: str


@dataclass(frozen=True, slots=True)
class FeedPage:
    subscription: Subscription
    log: tuple[LogLine, ...]
    audit: tuple[AuditLine, ...]
    candidates: tuple[CandidateLine, ...]


@dataclass(frozen=True, slots=True)
class DayCount:
    day: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Icon:
    source_url: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class DirectoryWanted:
    text: str = ""
    topic: str | None = None
    language: str | None = None
    state: str | None = None
    tenant_id: int | None = None
    after: tuple[bool, str, int] | None = None
    """Of the last feed of the page before: whether it fails, folded title, id."""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class ListedFeed:
    feed_id: int
    url: str
    title: str
    description: str
    site_url: str | None
    domain: str
    language: str | None
    country: str | None
    topic: str | None
    topic_status: str | None
    topic_confidence: float | None
    format: str | None
    state: str
    is_canonical: bool
    favicon_id: int | None
    latest_at: datetime | None
    interval_s: int | None
    error: str | None
    tags: tuple[str, ...] = ()
    recent_titles: tuple[str, ...] = ()
    """Newest first."""
    site_title: str = ""
    last_attempt_at: datetime | None = None
    last_fetch_status: str | None = None

    @property
    def language_name(self) -> str | None:
        return language_name(self.language) if self.language else None

    @property
    def fails(self) -> bool:
        return self.state in {"unhealthy", "paused"}

    @property
    def approved_topic(self) -> str | None:
        """Its topic, unless that is only proposed or was rejected."""
        return self.topic if self.topic_status == "approved" else None


@dataclass(frozen=True, slots=True)
class DirectoryPage:
    """One page of the directory; ``next_cursor`` is None on the last."""

    feeds: tuple[ListedFeed, ...]
    next_cursor: str | None = None
