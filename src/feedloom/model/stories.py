"""A story: one event, and the articles of several sources about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from feedloom.model.reader import Article


@dataclass(frozen=True, slots=True)
class StoryArticle:
    """What grouping sees of an article."""

    id: int
    title: str
    source: str
    published_at: datetime
    arrived_at: datetime
    text: str = ""
    """Its first sentences, as plain text."""
    language: str = ""
    publisher: str = ""
    """Whose vote it is, where several sources belong to one."""

    @property
    def voter(self) -> str:
        # Without a source, an article is a source of its own.
        return self.publisher or self.source or f"#{self.id}"


class StoryEngine(Protocol):
    """Tells which story an article belongs to. Not a coroutine; used by one thread at a time."""

    def add(self, article: StoryArticle, *, decided: int | None = None) -> int:
        """Return the story of an article; an article's own id begins a new story.

        Articles come in the order of their ids. A story that was ``decided`` before is taken
        over, so an engine that gets all articles of open stories is in the same state again.
        """
        ...


@dataclass(frozen=True, slots=True)
class Kin:
    """What one person's articles have to do with each other."""

    stories: Mapping[int, int]
    """The story of each item, where it is in one."""
    articles: Sequence[Article]
    listed: Sequence[int]
    """Those of them that a list holds, in its order."""


@dataclass(frozen=True, slots=True)
class Story:
    """A story as one person sees it: by the articles of their own feeds, oldest first."""

    id: int
    articles: Sequence[Article]
    followed: bool = False
    muted: bool = False

    @property
    def title(self) -> str:
        return self.articles[0].shown_title

    @property
    def feeds(self) -> int:
        return len({article.subscription_id for article in self.articles})

    @property
    def unread(self) -> int:
        return sum(article.unread for article in self.articles)


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A story in a list of them."""

    id: int
    first: Article
    articles: int
    feeds: int
    unread: int
    newest_at: datetime
    followed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """A part of a headline."""

    text: str
    is_alone: bool = False
    """No other source says this."""
    loaded: tuple[str, ...] = ()
    """The dimensions that a loaded word counts in."""


@dataclass(frozen=True, slots=True)
class Fact:
    kind: Literal["number", "name", "quotation"]
    text: str


@dataclass(frozen=True, slots=True)
class SourceWording:
    """How one source words a story, beside the others."""

    article_id: int
    words: tuple[Words, ...]
    signs: tuple[tuple[str, str], ...]
    """What is loaded, as it stands there, and the dimension it counts in."""
    score: float | None
    facts: tuple[Fact, ...] = ()
    """What this source alone states."""


class WordingEngine(Protocol):
    """Compares how sources word a story. Pure and quick; not a coroutine."""

    def compare(self, articles: Sequence[StoryArticle]) -> tuple[SourceWording, ...]:
        """Set one headline of each source beside the others, in the order given."""
        ...

    def score(self, title: str, language: str) -> float | None:
        """Tell how loaded a headline is; None where that was not judged."""
        ...
