"""Full texts: what workers need to know of articles to read their pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from feedloom.model.feed import CleanHTML


@dataclass(frozen=True, slots=True)
class ArticlePageToRead:
    """An article's own page, and whether it was read already."""

    url: str
    has_full_text: bool


class FullTextStore(Protocol):
    """Articles' full texts, across all people."""

    async def find(self, article_id: int) -> ArticlePageToRead | None:
        """Tell where an article's page is; None when the article is gone."""
        ...

    async def save(self, article_id: int, content: CleanHTML) -> None:
        """Keep an article's full text, and let it be found by its words."""
        ...

    async def wanting(self, feed_id: int, at: datetime, limit: int) -> list[int]:
        """List what a refresh at this time brought, newest first, where it is wanted."""
        ...

    async def wanting_again(self, article_ids: Sequence[int], limit: int) -> list[int]:
        """List which of these have a full text that is still wanted, newest first."""
        ...
