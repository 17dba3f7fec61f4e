"""Images and embedded players: the last look at what the sanitiser let through.

Serialised, already clean markup goes in. Lazy images get their real address, tracking
pixels go, every image loads late, and one without any address leaves its alternative
text. Only values that were judged before are moved about, so the result stays clean.
"""

import html
import re
from urllib.parse import urlsplit

from feedloom.markup.allowed import LAZY_SOURCES, LAZY_SRCSETS
from feedloom.markup.attributes import HIDDEN
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


_IMAGE = re.compile(r'<img((?: [a-z-]+="[^"]*")*)>')
_LAZY = '<img loading="lazy"'
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_SPECIAL = re.compile(
    r' (?:(?:width|height)="[012](?:px)?"|data-[a-z-]+="|style="'
    r'|src="https?://(?:pixel\.wp\.com|stats\.wordpress\.com|feeds\.wordpress\.com'
    r"|feeds\.feedburner\.com/~|feedads\.|b\.scorecardresearch\.com"
    r"|pixel\.quantserve\.com|www\.google-analytics\.com|mf\.feeds\.)"
    r'[^"]*")'
)


def finish_images(html: str) -> str:
    if "<img" not in html:
        return html
    return _IMAGE.sub(lambda image: _settled(image[1]), html)


def _settled(written: str) -> str:
    special = _SPECIAL.search(written)
    if special is None and ' src="' in written:
        return f"{_LAZY}{written}>"
    values: dict[str, str] = dict(_ATTRIBUTE.findall(written))
    if special is not None and not _take_lazy(values):
        return ""
    values.pop("style", None)
    if "src" in values or "srcset" in values:
        return _LAZY + "".join(f' {k}="{v}"' for k, v in values.items()) + ">"
    return values.get("alt", "").replace("&quot;", '"')


def _take_lazy(values: dict[str, str]) -> bool:
    """Move lazy addresses where they belong; return False for a pixel."""
    lazy = [values.pop(name, "") for name in LAZY_SOURCES]
    lazy_sets = [values.pop(name, "") for name in LAZY_SRCSETS]
    hidden = values.get("style") == HIDDEN
    for name, found in (("src", lazy), ("srcset", lazy_sets)):
        if address := next(filter(None, found), ""):
            values[name] = address
            hidden = False
    written = "".join(f' {k}="{v}"' for k, v in values.items() if k != "style")
    return not hidden and _SPECIAL.search(written) is None
