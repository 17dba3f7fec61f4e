"""Markup: untrusted HTML in; ``CleanHTML``, plain text or a verdict about it out.

This is the only sanitiser of the program. Everything here is pure, may be called from
several threads at once, and never raises on any text.
"""

from feedloom.markup.direction import is_rtl
from feedloom.markup.headings import without_title
from feedloom.markup.links import absolute_url, web_address
from feedloom.markup.markdown_text import markdown_html
from feedloom.markup.plaintext import excerpt, plain, to_text
from feedloom.markup.references import unescaped
from feedloom.markup.sanitiser import WITHHELD, clean_html
from feedloom.markup.selectors import is_selector

__all__ = [
    "WITHHELD",
    "absolute_url",
    "clean_html",
    "excerpt",
    "is_rtl",
    "is_selector",
    "markdown_html",
    "plain",
    "to_text",
    "unescaped",
    "web_address",
    "without_title",
]
