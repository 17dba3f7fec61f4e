"""Images, embedded players and posts: the last step after the sanitiser.

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
from feedloom.markup.videos import video_at

# No "<" inside, so that a flood of unfinished frames is read once, not once per frame.
_FRAME = re.compile(r"<iframe\b[^<>]*>", re.IGNORECASE)
_SOURCE = re.compile(
    r"\s(?:data-)?src\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_TITLE = re.compile(r"\stitle\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"[\w ]*video player|embedded (?:content|post|video)|i?frame|https?:.*", re.IGNORECASE
)
_LONGEST_TITLE = 200
_POSTS = tuple(
    (re.compile(rf"https?://{pattern}", re.ASCII), page, label)
    for pattern, page, label in (
        (
            r"(?P<host>[\w.-]+)/@(?P<name>[\w.-]+)/(?P<id>\d+)/embed(?:[?#].*)?",
            "https://{host}/@{name}/{id}",
            "Post by @{name}@{host}",
        ),
        (
            (
                r"embed\.bsky\.app/embed/(?P<name>did:[a-z]+:[\w.-]+|[\w.-]+)"
                r"/app\.bsky\.feed\.post/(?P<id>\w+)(?:[?#].*)?"
            ),
            "https://bsky.app/profile/{name}/post/{id}",
            "Post on Bluesky",
        ),
        (
            (
                r"platform\.(?:twitter|x)\.com/embed/(?:Tweet\.html|index\.html)"
                r"\?(?:[^#]*&)?id=(?P<id>\d+)(?:[&#].*)?"
            ),
            "https://x.com/i/status/{id}",
            "Post on X",
        ),
    )
)


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
    for pattern, page, label in _POSTS:
        if found := pattern.fullmatch(address):
            link = _anchor(page.format(**found.groupdict()), label.format(**found.groupdict()))
            return f"<blockquote><p>{link}</p></blockquote>"
    if video := video_at(address):
        return f"<p>{_anchor(video.page, _title(frame) or f'Video on {video.site}')}</p>"
    return f"<p>{_anchor(address, f'Embedded: {urlsplit(address).hostname}')}</p>"


def _anchor(address: str, label: str) -> str:
    return f'<a href="{html.escape(address)}">{html.escape(label)}</a>'


def _title(frame: str) -> str:
    """Return what a frame is called; the names that sites give every frame say nothing."""
    found = _TITLE.search(frame)
    text = " ".join(unescaped(found[1] or found[2] or "").split()) if found else ""
    return "" if _SAYS_NOTHING.fullmatch(text) else text[:_LONGEST_TITLE]


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
