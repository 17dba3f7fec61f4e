"""Proxied feeds: what operators set, what the worker does, what everybody may read.

A proxy governs deframing only. The feed itself, its readers and its schedule are those
of any other feed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from feedloom.model.distilled.distilling import AnalyzerResult
from feedloom.model.distilled.publishing import Built, Channel, DeframedItem
from feedloom.model.feed import CleanHTML
from feedloom.model.stages import Refreshed

MAX_ANALYSES_TRIED = 5
"""Failed analyses after which an article is parked: its original is served."""


@dataclass(frozen=True, slots=True)
class NewProxy:
    """A proxy as an operator asks for it."""

    url: str
    root_domain: str | None = None
    enabled: bool = False
    polling: bool = False
    interval_s: int | None = None
    enforce_feed_domain: bool = True
    prompt_key: str | None = None


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy as operators see it."""

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
    """An analysis and what it was made from and by."""

    result: AnalyzerResult
    model: str
    prompt_version: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class ArticleToDeframe:
    """An article of a proxied feed, with what is known about its analysis."""

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
class FeedToDeframe:
    """A proxied feed inside the lease of its refresh."""

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
    """An analysed article with the feed it came from."""

    feed_id: int
    channel: Channel
    item: DeframedItem


class ProxyStore(Protocol):
    """Proxies as operators manage them; ``feed`` is an id or an address.

    Raises ``NotFound`` for what is no living proxy. Each change is audited under its
    actor's name.
    """

    async def add(self, proxy: NewProxy, *, actor: str) -> Proxy:
        """Add a proxy, making its feed when it is new; ``Conflict`` when there is one."""
        ...

    async def proxy(self, feed: str) -> Proxy:
        """Find one."""
        ...

    async def proxies(self) -> list[Proxy]:
        """List all, by id."""
        ...

    async def change(
        self, feed: str, changes: Mapping[str, object], *, actor: str
    ) -> Proxy:
        """Change enabled, polling, interval_s, root_domain or enforce_feed_domain."""
        ...

    async def delete(self, feed: str, *, actor: str) -> Proxy:
        """Delete a proxy; its feed and its readers stay."""
        ...

    async def sync(self, feed: str, *, actor: str) -> Proxy:
        """Run a feed now, whatever happened to it; ``Conflict`` when it is disabled."""
        ...

    async def root_domains(self) -> dict[str, int]:
        """Count living proxies by root domain."""
        ...

    async def items(self, feed: str, limit: int) -> list[DeframedItem]:
        """List what is served, the publisher's words beside ours, newest first."""
        ...


class DeframingStore(Protocol):
    """What deframing reads and writes. Every write is refused with a lost lease."""

    async def feed(self, feed_id: int, lease_token: str) -> FeedToDeframe | None:
        """Read a leased feed; None when no enabled proxy wants it any more."""
        ...

    async def content(self, article_id: int) -> CleanHTML:
        """Read what the publisher's document says of an article; empty when gone."""
        ...

    async def save_analysis(
        self, feed: FeedToDeframe, article_id: int, analysis: StoredAnalysis
    ) -> None:
        """Keep an article's analysis; ``LeaseLost`` when the lease is lost."""
        ...

    async def note_failure(
        self,
        feed: FeedToDeframe,
        article_id: int,
        error: str,
        *,
        retry_at: datetime | None,
    ) -> None:
        """Count a failed analysis; without ``retry_at`` the article is parked."""
        ...

    async def settle(
        self, refreshed: Refreshed, built: Built | None, *, error: str | None = None
    ) -> None:
        """Serve a new document, if there is one, and end the lease.

        An error of deframing itself stops a feed under one strike that nobody reads.
        """
        ...


class ProxyReader(Protocol):
    """The read side: what was built and analysed. Knows enabled proxies only."""

    async def standing(self, url: str) -> Standing | None:
        """Tell how the proxy of an address stands; None when there is none."""
        ...

    async def document(self, feed_id: int) -> Built | None:
        """Read a feed's document."""
        ...

    async def deframed(
        self, url_hashes: Sequence[str], max_score: float
    ) -> Deframed | None:
        """Find an analysed article by hashes of its address, the newest analysis."""
        ...

    async def site(
        self, root_domain: str, limit: int, max_score: float
    ) -> dict[int, list[Deframed]] | None:
        """List a site's newest analysed articles by feed; None for an unknown site."""
        ...
