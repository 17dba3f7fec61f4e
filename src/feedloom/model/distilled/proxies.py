"""Proxied feeds: their settings, the worker's input and the public read side.

A proxy governs deframing only. The feed itself, its readers and its schedule are those
of any other feed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from feedloom.model.distilled.documents import Built, Channel, DeframedItem
from feedloom.model.distilled.requests import AnalyzerResult

MAX_ANALYSES_TRIED = 5
"""Failed analyses after which an article is parked: its original is served."""


@dataclass(frozen=True, slots=True)
class NewProxy:
    url: str
    root_domain: str | None = None
    enabled: bool = False
    polling: bool = False
    interval_s: int | None = None
    enforce_feed_domain: bool = True
    prompt_key: str | None = None


@dataclass(frozen=True, slots=True)
class Proxy:
    feed_id: int
    url: str
    title: str
    root_domain: str | None
    enabled: bool
    polling: bool
    interval_s: int | None
    enforce_feed_domain: bool
    error_policy: str
    max_items: int
    created_at: datetime
    prompt_key: str | None = None
    """Which of the operator's prompts for single feeds is used; None for none."""
    last_error: str | None = None
    next_run_at: datetime | None = None
    is_running: bool = False
    """A worker holds its lease."""
    built_at: datetime | None = None
    """When its document last changed; None before the first."""
    items: int = 0
    readers: int = 0
    failing: int = 0
    """Articles whose analysis failed and is tried again."""
    parked: int = 0
    """Articles whose analysis was given up."""


@dataclass(frozen=True, slots=True)
class StoredAnalysis:
    result: AnalyzerResult
    model: str
    prompt_version: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class ArticleToDeframe:
    id: int
    item: DeframedItem
    """As it would be served with the analysis it has."""
    content_hash: str
    language: str | None
    is_listed: bool
    """The publisher's document has it."""
    analysis: StoredAnalysis | None = None
    attempts: int = 0
    """Analyses of it that failed."""
    retry_at: datetime | None = None
    """When the next one may be tried; None with attempts means parked."""


@dataclass(frozen=True, slots=True)
class FeedToAnalyse:
    """A feed whose readers want calm titles or have rules about scores."""

    feed_id: int
    articles: tuple[ArticleToDeframe, ...]
    """Newest first."""
    readers: tuple[Mapping[str, object], ...]
    """The settings of each of them."""
    is_private: bool
    """It is read with somebody's own cookie."""


@dataclass(frozen=True, slots=True)
class FeedToDeframe:
    feed_id: int
    lease_token: str
    url: str
    channel: Channel
    enforce_feed_domain: bool
    max_items: int
    articles: tuple[ArticleToDeframe, ...]
    """Newest first."""
    built: Built | None = None
    """The document that is served now."""
    prompt_key: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What the read side must know of a proxy before it answers."""

    feed_id: int
    enabled: bool
    etag: str | None
    """None when nothing is built yet."""


@dataclass(frozen=True, slots=True)
class Deframed:
    feed_id: int
    channel: Channel
    item: DeframedItem
