"""Full texts: what workers need to know of articles to read their pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ArticlePageToRead:
    url: str
    has_full_text: bool
    selector: str = ""
    """Which part of the page is the text, as its reader says; empty to find it out."""
