"""The day in a few paragraphs: digests as they are kept, and what is promised of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ToldClaim:
    """A stretch of a paragraph, and the item numbers of the articles that say so."""

    text: str
    item_nos: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CitedArticle:
    """An article as it was when it was cited: it may be gone from the reader since."""

    item_no: int
    title: str
    source: str
    url: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class NewSummary:
    """A digest about to be kept."""

    paragraphs: tuple[tuple[ToldClaim, ...], ...]
    cited: tuple[CitedArticle, ...]
    """In the order of their first citation; their place is the number people see."""
    article_ids: tuple[int, ...]
    """Every article it was made from."""
    model: str
    note: str = ""
    """A sentence on how it was made, when people should know."""

    @property
    def content(self) -> str:
        """The whole as plain text, without its citations."""
        texts = (" ".join(claim.text for claim in part) for part in self.paragraphs)
        return "\n\n".join(texts)


@dataclass(frozen=True, slots=True)
class Summary:
    """A digest as it was kept."""

    id: int
    content: str
    paragraphs: tuple[tuple[ToldClaim, ...], ...]
    cited: tuple[CitedArticle, ...]
    article_count: int
    model: str
    note: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """One page of a person's digests, newest first."""

    summaries: tuple[Summary, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class DueDigest:
    """Somebody whose daily digest is due, and when they want it."""

    user_id: int
    due_at: datetime
    hour: int
    timezone: str


class SummaryStore(Protocol):
    """A person's digests. Another person's is ``NotFound``."""

    async def begin(self, user_id: int) -> None:
        """Let one generation begin for a person.

        Raises ``Conflict`` while one is under way (or its process ended less than some
        minutes ago), ``Throttled`` right after one was finished.
        """
        ...

    async def end(self, user_id: int) -> None:
        """Let the next generation begin, after whatever became of this one."""
        ...

    async def save(self, user_id: int, new: NewSummary) -> Summary:
        """Keep a digest and write the event of it."""
        ...

    async def latest(self, user_id: int) -> Summary | None:
        """Return a person's newest digest."""
        ...

    async def summaries(
        self, user_id: int, *, cursor: str | None = None, limit: int = 20
    ) -> SummaryPage:
        """List digests, newest first."""
        ...

    async def summary(self, user_id: int, summary_id: int) -> Summary:
        """Find one."""
        ...

    async def delete(self, user_id: int, summary_id: int) -> None:
        """Delete one."""
        ...

    async def schedule(self, user_id: int, next_at: datetime | None) -> None:
        """Say when a person's next daily digest is due; None for never."""
        ...

    async def due(self, limit: int) -> list[DueDigest]:
        """List people whose daily digest is due."""
        ...

    async def queue(self, due: DueDigest, next_at: datetime | None) -> bool:
        """Queue a due digest and move its time on; False when somebody did already."""
        ...
