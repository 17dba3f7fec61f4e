"""Markup: untrusted HTML in; ``CleanHTML``, plain text or a verdict about it out.

This is the only sanitiser of the program. Everything here is pure, may be called from
several threads at once, and never raises on any text.
"""

from feedloom.markup.direction import is_rtl
from feedloom.markup.fragments import with_anchors
from feedloom.markup.headings import without_title
from feedloom.markup.links import absolute_url, web_address
from feedloom.markup.markdown_text import markdown_html
from feedloom.markup.plaintext import excerpt, plain, shortened, to_text
from feedloom.markup.references import unescaped
from feedloom.markup.sanitiser import WITHHELD, clean_html
from feedloom.markup.selectors import is_selector, selected
from feedloom.markup.sources import first_picture, with_images
from feedloom.markup.videos import Player, Video, video_at, video_card, with_videos

__all__ = [
    "WITHHELD",
    "Player",
    "Video",
    "absolute_url",
    "clean_html",
    "excerpt",
    "first_picture",
    "is_rtl",
    "is_selector",
    "markdown_html",
    "plain",
    "selected",
    "shortened",
    "to_text",
    "unescaped",
    "video_at",
    "video_card",
    "web_address",
    "with_anchors",
    "with_images",
    "with_videos",
    "without_title",
]
