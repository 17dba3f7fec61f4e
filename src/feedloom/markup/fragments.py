"""Anchors within an article: footnotes and contents lead to places of the article itself.

The sanitiser gives each ``id`` a prefix, so that none is one of our own page's. When an
article is shown its number is added, and links to its own address lead to its anchors.
"""

import html
import re
from urllib.parse import unquote

from feedloom.markup.references import unescaped
from feedloom.model.feed import CleanHTML

PREFIX = "at-"
_TAG = re.compile(r'<[a-z][a-z0-9]*((?: [a-z-]+=(?:"[^"]*"|0))+)>')
_NAME = re.compile(r' (id|name)="at-([^"]*)"')
_HREF = re.compile(r' href="([^"#]*)#([^"]*)"')
_OUTWARDS = ' target="_blank" rel="noopener noreferrer nofollow"'
_START = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)


def anchor_name(value: str) -> str | None:
    if not re.fullmatch(r"[\w:.-]{1,100}", value):
        return None
    return value if value.startswith(PREFIX) else PREFIX + value


def with_anchors(content: CleanHTML, url: str, number: int) -> CleanHTML:
    """Return clean markup of the article at ``url`` with anchors nothing else has."""
    names = {
        unescaped(name[2])
        for tag in _TAG.finditer(content)
        for name in (_NAME.finditer(tag[1]) if "at-" in tag[1] else ())
    }
    if not names:
        return content
    page = _page(url)

    def numbered(tag: re.Match[str]) -> str:
        text = _NAME.sub(rf' \1="{PREFIX}{number}-\2"', tag[0])
        link = _HREF.search(text) if text.startswith("<a ") else None
        if link is None:
            return text
        name, target = unquote(unescaped(link[2])), _page(unescaped(link[1]))
        # Relative links may have been read against the address of the whole site.
        if name not in names or not (page == target or page.startswith(f"{target}/")):
            return text
        local = f' href="#{PREFIX}{number}-{html.escape(name)}"'
        return text.replace(link[0], local).replace(_OUTWARDS, "")

    return CleanHTML(_TAG.sub(numbered, content))


def _page(url: str) -> str:
    return _START.sub("", url).partition("?")[0].rstrip("/")
