"""Plain text: from markup, and for fields that are text but may not look like it.

Markup or text goes in, text for people comes out: entities decoded once, white space
tidied, control characters gone. The result is not HTML; whoever writes it into a page
escapes it.
"""

import re

import nh3

from feedloom.markup.allowed import BLOCKS, DROPPED_WITH_CONTENT, UNUSUAL
from feedloom.markup.floods import balance, bare_text, is_flood, needs_balance
from feedloom.markup.references import unescaped
from feedloom.markup.sanitiser import Native, is_panic
from feedloom.model.feed import CleanHTML

_BLOCK_NAMES = "|".join(sorted(BLOCKS, key=len, reverse=True))
_ATTRIBUTES = r"(?:[^\"'>]++|\"[^\"]*+\"|'[^']*+')*+"
_LINE_BREAK = re.compile(rf"</?(?:{_BLOCK_NAMES})(?:[\s/]{_ATTRIBUTES})?>")
_TAG = re.compile(rf"</?[a-z]{_ATTRIBUTES}>")
_HIDING = re.compile("<(?:!--|button|noscript|script|style|svg)")
_SHORT = 6_000
"""Up to here usual markup is read by patterns, which may not be in linear time."""
_BLANK_LINES = re.compile(r"[^\S\n]*\n\s*")
_SPACES = re.compile(r"[^\S\n]+")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_LINES = nh3.Cleaner(
    tags=BLOCKS, clean_content_tags=DROPPED_WITH_CONTENT, attributes={}, link_rel=None
)
# Formatting and structure that turn up in titles. "<T>" in "Vec<T>" and "<canvas>" in
# "The <canvas> element" are words of the title, so an unknown name stays.
_TITLE_TAG = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|bdo|big|blockquote|br|center|cite|code|del|dfn|div|em"
    r"|font|h[1-6]|i|img|ins|kbd|li|mark|nobr|ol|p|pre|q|s|samp|small|span|strike|strong"
    r"|sub|sup|tt|u|ul|var|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_TITLE_BREAK = re.compile(
    r"</?(?:blockquote|br|center|div|h[1-6]|li|ol|p|pre|ul)(?:\s[^<>]*)?/?>", re.IGNORECASE
)
_SCRIPT = re.compile(r"<(script|style)\b[^<>]*>[^<]*</\1\s*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--[^<>]*-->")
_MAX_FIELD = 100_000


def to_text(markup: str, *, limit: int | None = None) -> str:
    if limit is not None and len(markup) > (enough := 8 * limit + 1000):
        # Most of a long article is not needed for its first lines.
        beginning = _tidied(_lines(_beginning(markup, enough)))
        if len(beginning) > limit:
            return shortened(beginning, limit)
    return shortened(_tidied(_lines(markup)), limit)


def excerpt(clean: CleanHTML, *, limit: int = 300) -> str:
    taken = 2 * limit
    while True:
        beginning = _TAG.sub("", _LINE_BREAK.sub(" ", _beginning(clean, taken)))
        text = _one_line(beginning)
        if len(text) > limit or taken >= len(clean):
            return shortened(text, limit)
        taken *= 4


def _one_line(text: str) -> str:
    text = " ".join((unescaped(text) if "&" in text else text).split())
    # What nobody sees does not count, nor does the space it kept apart.
    return text if text.isprintable() else " ".join(_visible(text).split())


def plain(text: str, *, markup: bool = True, limit: int | None = None) -> str:
    """Return a text field (a title, a name, a category) as one line of plain text.

    With ``markup`` the publisher may have meant HTML: formatting tags are removed.
    """
    if len(text) > _MAX_FIELD:
        text = text[:_MAX_FIELD]
    if markup and "<" in text:
        text = _without_title_tags(text)
    if "&" in text:
        text = unescaped(text)
    if not text.isprintable():
        text = _INVISIBLE.sub("", text)
    text = " ".join(text.split())
    return text if limit is None or len(text) <= limit else shortened(text, limit)


def shortened(text: str, limit: int | None) -> str:
    """Cut a text at the end of a word, with an ellipsis."""
    if limit is None or len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", limit // 2)
    return (cut[:space] if space > 0 else cut).rstrip(" ,;:.-") + "…"


def _without_title_tags(text: str) -> str:
    text = _COMMENT.sub("", _SCRIPT.sub("", text))
    return _TITLE_TAG.sub("", _TITLE_BREAK.sub(" ", text))


def _lines(markup: str, native: Native = _LINES) -> str:
    if "<" not in markup and "&" not in markup:
        # Without a block it is one line, as it is with tags of other kinds.
        return _visible(" ".join(markup.split()))
    if len(markup) <= _SHORT and not (UNUSUAL.search(markup) or _HIDING.search(markup)):
        return _INVISIBLE.sub("", _text_of_clean(markup))
    if is_flood(markup):
        return _INVISIBLE.sub("", bare_text(markup))
    markup = _INVISIBLE.sub("", balance(markup) if needs_balance(markup) else markup)
    try:
        return _text_of_clean(native.clean(markup))
    except BaseException as error:
        if is_panic(error):
            return bare_text(markup)
        raise


def _text_of_clean(clean: str) -> str:
    # Line breaks of the source mean nothing; those of blocks do.
    text = _TAG.sub("", _LINE_BREAK.sub("\n", " ".join(clean.split())))
    return unescaped(text) if "&" in text else text


def _visible(text: str) -> str:
    return text if text.isprintable() else _INVISIBLE.sub("", text)


def _beginning(clean: str, length: int) -> str:
    """Cut clean markup, but not inside a tag or an entity."""
    if length >= len(clean):
        return clean
    cut = clean[:length]
    tag = cut.rfind("<")
    if tag > cut.rfind(">"):
        cut = cut[:tag]
    entity = cut.rfind("&", length - 10)
    return cut[:entity] if entity >= 0 and ";" not in cut[entity:] else cut


def _tidied(text: str) -> str:
    return _BLANK_LINES.sub("\n", _SPACES.sub(" ", text)).strip()
