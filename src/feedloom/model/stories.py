"""A story: one event, and the articles of several sources about it."""

from dataclasses import dataclass
from datetime import datetime


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
