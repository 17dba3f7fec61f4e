"""Feeds, what refreshes bring, and where feeds are found."""

from collections.abc import Sequence
from typing import Protocol

from feedloom.model.reading import (
    DirectoryWanted,
    Icon,
    ListedFeed,
)
from feedloom.model.stages import (
    DeadFeed,
    DirectoryEntry,
    Discovered,
    IndexArticle,
    IndexFeed,
    Known,
    Refreshed,
    Stored,
)
from feedloom.model.work import HubSubscription


class RefreshStore(Protocol):
    """Where refreshes end."""

    async def known(self, feed_id: int) -> Known:
        """Tell which entries are stored, to clean only what is new or changed."""
        ...

    async def store(self, refreshed: Refreshed, *, last: bool = False) -> Stored:
        """Write all that follows from a refresh, or nothing when its lease is lost.

        ``last`` says that no other is about to come, which could be written with it.
        """
        ...


class IconStore(Protocol):
    """Favicons."""

    async def icon(self, icon_id: int) -> Icon:
        """Find an icon."""
        ...

    async def save(self, feed_id: int, icon: Icon | None) -> None:
        """Give a feed its icon; None says that there is none."""
        ...

    async def feed_addresses(self, feed_id: int) -> tuple[str, str | None]:
        """Tell a feed's own address and its site's."""
        ...


class HubStore(Protocol):
    """WebSub subscriptions."""

    async def declared(self, feed_id: int) -> tuple[str, str] | None:
        """Tell the hub and topic a feed declares; None when it has no hub."""
        ...

    async def save(self, subscription: HubSubscription) -> HubSubscription:
        """Write a subscription to ask for; answer with it as it is to be asked for."""
        ...

    async def by_token(self, token: str) -> HubSubscription | None:
        """Find the subscription of a callback address."""
        ...

    async def activate(self, feed_id: int, lease_s: int) -> None:
        """Note that the hub confirmed, and for how long."""
        ...

    async def drop(self, feed_id: int, error: str) -> None:
        """Note that the hub refused: the feed is polled again."""
        ...

    async def announce(self, feed_id: int) -> None:
        """Fetch a feed now: its hub says there is something new."""
        ...

    async def ending(self) -> list[int]:
        """List feeds whose hub lease ends within a day."""
        ...


class SiteStore(Protocol):
    """What discoveries found."""

    async def save(self, found: Discovered, *, tenant_id: int | None = None) -> int:
        """Store a site, all its candidates and its canonical feed; answer its id."""
        ...


class RevivalStore(Protocol):
    """Dead feeds and their new addresses."""

    async def dead_feed(self, feed_id: int) -> DeadFeed:
        """Tell what is remembered of a feed; ``NotFound`` when it is gone."""
        ...

    async def swap(self, feed_id: int, new_url: str, why: str) -> int:
        """Give a feed a new address (merging when it is known); answer the feed's id."""
        ...

    async def note_failure(self, feed_id: int, tried: str) -> None:
        """Write down that nothing was found, and what was tried."""
        ...

    async def wake(self, feed_id: int) -> None:
        """Fetch a feed now: its own address answers again."""
        ...


class IndexStore(Protocol):
    """What can be searched."""

    async def pending_articles(self, limit: int) -> list[IndexArticle]:
        """Read articles that wait to be indexed."""
        ...

    async def pending_feeds(self, limit: int) -> list[IndexFeed]:
        """Read feeds that wait to be indexed."""
        ...

    async def save_articles(self, rows: Sequence[tuple[int, str, str, str]]) -> None:
        """Index articles: id, and folded words of title, author and text."""
        ...

    async def save_feeds(self, rows: Sequence[tuple[int, str]]) -> None:
        """Index feeds: id and folded words."""
        ...


class DirectoryStore(Protocol):
    """Feeds anybody may find."""

    async def seed(self, entries: Sequence[DirectoryEntry], *, check: bool) -> int:
        """Add what is missing, by address; answer how many. Twice changes nothing."""
        ...

    async def find(self, wanted: DirectoryWanted) -> list[ListedFeed]:
        """Return what may fit a search, unranked; without words, a page by title."""
        ...

    async def facets(self) -> tuple[dict[str, int], dict[str, int]]:
        """Count listed feeds by topic and by language."""
        ...

    async def hide(self, feed_id: int, actor: str) -> None:
        """Take a feed out of the directory."""
        ...

    async def feed_for_topic(self, feed_id: int) -> tuple[str, str, tuple[str, ...]]:
        """Return title, description and recent titles, to propose a topic from."""
        ...

    async def set_topic(
        self, feed_id: int, topic: str, confidence: float, *, status: str, actor: str
    ) -> None:
        """Propose, approve or reject a feed's topic."""
        ...

    async def pending_topics(self) -> list[ListedFeed]:
        """List feeds whose topic waits for an operator."""
        ...
