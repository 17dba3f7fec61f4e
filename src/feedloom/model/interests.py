"""A person's likely interests: counts by feed, author, topic and word. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from feedloom.model.reader import Article
from feedloom.model.search_query import fold, words_of

_LONGEST_NAME = 100
_MOST_TOPICS, _MOST_WORDS = 6, 16
_SHORTEST_WORD = 5


class InterestKind(StrEnum):
    FEED = "feed"
    AUTHOR = "author"
    TOPIC = "topic"
    """A category that the publisher gave."""
    WORD = "word"
    """Of a title."""


class Sign(StrEnum):
    """What a person did with an article, as a sign of interest."""

    STARRED = "starred"
    SAVED = "saved"
    OPENED = "opened"
    DISMISSED = "dismissed"
    MORE = "more"
    LESS = "less"


Term = tuple[InterestKind, str]


@dataclass(frozen=True, slots=True)
class Interest:
    """How often a person starred, opened … articles that share something."""

    id: int
    kind: InterestKind
    name: str
    starred: int = 0
    saved: int = 0
    opened: int = 0
    dismissed: int = 0
    more: int = 0
    less: int = 0
    subscription_id: int | None = None

    @property
    def term(self) -> Term:
        return self.kind, self.name if self.subscription_id is None else str(self.subscription_id)

    @property
    def liked(self) -> int:
        return self.opened + 3 * (self.starred + self.saved) + 5 * self.more

    @property
    def disliked(self) -> int:
        return self.dismissed + 5 * self.less


class ArticleToRank(NamedTuple):
    """An unread article, as far as ranking looks at it."""

    item_no: int
    subscription_id: int
    feed_title: str
    published_at: datetime
    title: str
    author: str | None
    categories: tuple[str, ...]
    story: int | None = None
    tellers: int = 1
    """How many of the person's feeds tell its story."""


@dataclass(frozen=True, slots=True)
class Reason:
    kind: str
    """That of an interest, or ``story``."""
    name: str
    points: float
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    article: Article
    points: float
    reasons: tuple[Reason, ...]
    """Reasons for it first, then those against it."""

    @property
    def text(self) -> str:
        """The strongest reason, and how many feeds report it."""
        for_it = [reason for reason in self.reasons if reason.points > 0]
        told = [r.text for n, r in enumerate(for_it) if not n or r.kind == "story"]
        return " ".join(told) or "New, and nothing learned speaks for or against it."


def terms_of(
    subscription_id: int, title: str, author: str | None, categories: Iterable[str]
) -> list[Term]:
    """List what an article shares with others, without repeats, its feed first."""
    words = [w for w in words_of(title) if _says_something(w)]
    topics = [fold(" ".join(c.split()))[:_LONGEST_NAME] for c in categories]
    found = [(InterestKind.FEED, str(subscription_id))]
    if author and (name := " ".join(author.split())[:_LONGEST_NAME]):
        found.append((InterestKind.AUTHOR, name))
    found += [(InterestKind.TOPIC, topic) for topic in topics[:_MOST_TOPICS] if topic]
    found += [(InterestKind.WORD, word[:_LONGEST_NAME]) for word in words[:_MOST_WORDS]]
    return list(dict.fromkeys(found))


def _says_something(word: str) -> bool:
    """Return whether a word is meaningful: no number and not short, except in unspaced scripts."""
    return not word.isdecimal() and (len(word) >= _SHORTEST_WORD or not word.isascii())
