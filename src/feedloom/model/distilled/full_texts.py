"""Full texts: what workers need to know of articles to read their pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ArticlePageToRead:
    url: str
    has_full_text: bool
