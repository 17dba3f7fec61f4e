"""Leaving out a heading that repeats the title above it."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feedloom.markup.sanitiser import clean_html
from feedloom.model.feed import CleanHTML

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_CONTAINERS = {"div", "section", "article", "header"}
_MORE_THAN_TEXT = "a, audio, hr, img, math, picture, table, video"


def without_title(content: CleanHTML, title: str) -> CleanHTML:
    if not title.strip() or "<h" not in content:
        return content
    body = LexborHTMLParser(f"<!doctype html><body>{content}").body
    heading = _first_element(body) if body is not None else None
    if body is None or heading is None or not _says(heading, title):
        return content
    heading.decompose()
    return clean_html(body.inner_html or "")


def _first_element(parent: LexborNode) -> LexborNode | None:
    for node in parent.iter(include_text=True):
        if node.tag in _CONTAINERS:
            return _first_element(node)
        if node.tag != "-text":
            return node
        if node.text(deep=False).strip():
            return None
    return None


def _says(heading: LexborNode, title: str) -> bool:
    if heading.tag not in _HEADINGS or heading.css_first(_MORE_THAN_TEXT) is not None:
        return False
    for line_break in heading.css("br"):
        line_break.replace_with(" ")
    return _folded(heading.text()) == _folded(title)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
