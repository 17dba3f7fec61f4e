"""Digests as they are stored, mailed and scheduled."""

from dataclasses import dataclass, field
from datetime import datetime

from feedloom.model.distilled.requests import DigestParagraph, LeftOut


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
    paragraphs: tuple[DigestParagraph, ...]
    cited: tuple[CitedArticle, ...]
    """In the order of their first citation; their place is the number people see."""
    article_ids: tuple[int, ...]
    """Every article it was made from."""
    model: str
    note: str = ""
    """A sentence on how it was made, when people should know."""
    left_out: LeftOut = field(default_factory=LeftOut)
    language: str = "en"
    until_item: int | None = None
    """The newest article it counts; the next scheduled digest begins after it."""
    message_id: str | None = None
    """Of the mail that it goes out by; None if it does not."""

    @property
    def content(self) -> str:
        """The whole as plain text, without its citations."""
        texts = ("\n".join(told for told in (p.title, p.text) if told) for p in self.paragraphs)
        return "\n\n".join(texts)


@dataclass(frozen=True, slots=True)
class Summary:
    id: int
    content: str
    paragraphs: tuple[DigestParagraph, ...]
    cited: tuple[CitedArticle, ...]
    article_count: int
    model: str
    note: str
    created_at: datetime
    left_out: LeftOut = field(default_factory=LeftOut)
    language: str = "en"

    @property
    def sections(self) -> tuple[tuple[str, tuple[DigestParagraph, ...]], ...]:
        """What is told in each section; digests of older versions have one without a name."""
        found: dict[str, list[DigestParagraph]] = {}
        for paragraph in self.paragraphs:
            found.setdefault(paragraph.section, []).append(paragraph)
        return tuple((name, tuple(told)) for name, told in found.items())


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """One page of a person's digests, newest first."""

    summaries: tuple[Summary, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class DigestMail:
    """How far the mail of a digest is. Once ``begun_at`` is set it is never begun again."""

    summary_id: int
    message_id: str
    begun_at: datetime | None
    handed_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class DueDigest:
    user_id: int
    due_at: datetime
    hour: int
    timezone: str
