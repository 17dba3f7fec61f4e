"""The day in a few paragraphs: digests as they are kept, and what is promised of them."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ToldClaim:
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
    user_id: int
    due_at: datetime
    hour: int
    timezone: str
