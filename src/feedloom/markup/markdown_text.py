"""Markdown in, ``CleanHTML`` out: the kept copies of pages, as people read them.

Raw HTML in the Markdown is shown as text; what comes out has passed the sanitiser.
"""

from feedloom.markup.sanitiser import clean_html
from feedloom.model.feed import CleanHTML

LONGEST = 100_000
"""Characters that are shown; nobody reads further on one page."""


def markdown_html(text: str, *, base_url: str | None = None) -> CleanHTML:
    # Slower to import than the rest of this package; feed processes do not need it.
    from markdown_it import MarkdownIt  # noqa: PLC0415 - see above

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    return clean_html(reader.render(text[:LONGEST]), base_url=base_url)
