"""Frames: each is replaced by a plain link to what it would have shown.

A frame runs a stranger's page inside ours, and even an allow-listed player sets
cookies and reports who reads what. A link keeps the content reachable and leaves the
choice to the reader. The text this makes still passes the sanitiser.
"""

import html
import re
from urllib.parse import urlsplit

from feedloom.markup.links import absolute_url
from feedloom.markup.references import unescaped

# No "<" inside, so that a flood of unfinished frames is read once, not once per frame.
_FRAME = re.compile(r"<iframe\b[^<>]*>", re.IGNORECASE)
_SOURCE = re.compile(
    r"\s(?:data-)?src\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_YOUTUBE = re.compile(
    r"https?://(?:www\.)?youtube(?:-nocookie)?\.com/embed/([\w-]{11})(?:[?#/].*)?",
    re.ASCII,
)
_VIMEO = re.compile(r"https?://player\.vimeo\.com/video/(\d+)(?:[?#/].*)?", re.ASCII)


def replace_frames(text: str, base: str | None) -> str:
    return _FRAME.sub(lambda frame: _link(frame[0], base) + frame[0], text)


def _link(frame: str, base: str | None) -> str:
    source = _SOURCE.search(frame)
    if source is None:
        return ""
    value = unescaped(source[1] or source[2] or source[3] or "")
    address = absolute_url(value, base)
    if address is None:
        return ""
    address, label = _watchable(address)
    return f'<p><a href="{html.escape(address)}">{html.escape(label)}</a></p>'


def _watchable(address: str) -> tuple[str, str]:
    if match := _YOUTUBE.fullmatch(address):
        return f"https://www.youtube.com/watch?v={match[1]}", "Video on YouTube"
    if match := _VIMEO.fullmatch(address):
        return f"https://vimeo.com/{match[1]}", "Video on Vimeo"
    return address, f"Embedded: {urlsplit(address).hostname}"
