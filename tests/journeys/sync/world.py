"""A simple model of what people should see: feeds, who reads them, marks.

It predicts item numbers, too: they grow with arrival, one series per person. What it
promises is what the data model promises; it knows nothing of protocols or rows.
"""

from dataclasses import dataclass, field

SEEDED = 50
FRESH_UNREAD = 10


@dataclass(slots=True)
class Item:
    """One person's relation to an article."""

    article: str
    feed: str | None
    """None once it outlived its subscription."""
    unread: bool
    starred: bool = False


@dataclass(slots=True)
class Reader:
    """A person: subscriptions and numbered items."""

    feeds: set[str] = field(default_factory=set)
    items: dict[int, Item] = field(default_factory=dict)
    newest: int = 0

    def take(self, article: str, feed: str, *, unread: bool) -> None:
        """Receive an article under the next number."""
        self.newest += 1
        self.items[self.newest] = Item(article, feed, unread)

    def mark(self, numbers: list[int], mark: str) -> None:
        """Mark items; those that are not there are passed over."""
        for number in numbers:
            item = self.items.get(number)
            if item is None:
                continue
            if mark in {"read", "unread"}:
                item.unread = mark == "unread"
            else:
                item.starred = mark == "starred"

    def within(self, feed: str | None, up_to: int) -> list[int]:
        """List items of a feed (or of all) that are not newer than a number."""
        return [
            number
            for number, item in self.items.items()
            if number <= up_to and feed in {None, item.feed}
        ]

    def shown(self) -> dict[int, tuple[bool, bool]]:
        """Tell of every item whether it is unread and starred."""
        return {n: (item.unread, item.starred) for n, item in self.items.items()}


@dataclass(slots=True)
class World:
    """Feeds with what they published, and readers."""

    published: dict[str, list[str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    readers: dict[str, Reader] = field(default_factory=dict)

    def publish(self, feed: str, articles: list[str]) -> None:
        """Give new articles to everybody who reads the feed."""
        self.published[feed] += articles
        self.titles |= {article: article for article in articles}
        for reader in self.readers.values():
            if feed in reader.feeds:
                for article in articles:
                    reader.take(article, feed, unread=True)

    def join(self, name: str, feed: str) -> None:
        """Give a new subscriber the newest articles they have not, a few unread."""
        reader = self.readers[name]
        reader.feeds.add(feed)
        known = {item.article for item in reader.items.values()}
        missing = [a for a in self.published[feed] if a not in known][-SEEDED:]
        for place, article in enumerate(missing):
            fresh = len(missing) - place <= FRESH_UNREAD
            reader.take(article, feed, unread=fresh)

    def leave(self, name: str, feed: str) -> None:
        """Take everything of a feed from a reader but what is starred."""
        reader = self.readers[name]
        reader.feeds.discard(feed)
        for number, item in list(reader.items.items()):
            if item.feed != feed:
                continue
            if item.starred:
                item.feed, item.unread = None, False
            else:
                del reader.items[number]
