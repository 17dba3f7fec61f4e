"""Attribute values: each kind has one judge that returns the value to write, or None.

The sanitiser calls ``judge`` for every attribute whose name is allowed. It must not
raise: the library below would then write the attribute as it was.
"""

import re
from collections.abc import Callable
from contextvars import ContextVar

from feedloom.markup.allowed import LAZY_SOURCES, LAZY_SRCSETS
from feedloom.markup.code_colours import code_class
from feedloom.markup.fragments import anchor_name
from feedloom.markup.links import absolute_url, link_target, source_set

current_base: ContextVar[str | None] = ContextVar("current_base", default=None)
"""The address of the document being cleaned, which relative ones refer to."""

HIDDEN = "hidden"
"""What is written for the style of an image that its author made invisible."""
_INVISIBLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden"
    r"|(?:max-)?(?:width|height)\s*:\s*[01](?:\.\d+)?(?:px)?\s*(?:;|!|$))",
    re.IGNORECASE,
)


def _web(value: str) -> str | None:
    return absolute_url(value, current_base.get())


def _link(value: str) -> str | None:
    return link_target(value, current_base.get())


def _candidates(value: str) -> str | None:
    return source_set(value, current_base.get())


def _style(value: str) -> str | None:
    return HIDDEN if _INVISIBLE.search(value[:2000]) else None


def _matching(pattern: str) -> Callable[[str], str | None]:
    compiled = re.compile(pattern, re.ASCII | re.IGNORECASE)
    return lambda value: value if compiled.fullmatch(value) else None


_odd_size = _matching(r"-?\d{1,5}(?:\.\d{1,4})?(?:%|px|em|ex)?")


def _size(value: str) -> str | None:
    plain = len(value) < _LONGEST_SIZE and value.isascii() and value.isdigit()
    return value if plain else _odd_size(value)


_word = _matching(r"[a-z-]{1,40}")

_MAX_WORDS = 2_000
_LONGEST_SIZE = 6

_JUDGES: dict[str, Callable[[str], str | None]] = {
    "alt": lambda value: value[:_MAX_WORDS],
    "align": _matching("left|right|center|justify"),
    "cite": _web,
    "class": code_class,
    "colspan": _matching(r"\d{1,3}"),
    "columnalign": _matching(r"(?:left|right|center| ){1,200}"),
    "datetime": _matching(r"[0-9a-z:.+ -]{1,50}"),
    "depth": _size,
    "dir": _matching("ltr|rtl|auto"),
    "display": _matching("block|inline"),
    "form": _matching("prefix|infix|postfix"),
    "height": _size,
    "href": _link,
    "hreflang": _matching(r"[a-z0-9-]{1,35}"),
    "id": anchor_name,
    "lang": _matching(r"[a-z0-9-]{1,35}"),
    "linethickness": _size,
    "lspace": _size,
    "mathvariant": _word,
    "maxsize": _size,
    "media": _matching(r"[a-z0-9():,. >=<-]{1,200}"),
    "minsize": _size,
    "name": anchor_name,
    "notation": _matching(r"[a-z ]{1,100}"),
    "open": lambda _: "",
    "poster": _web,
    "reversed": lambda _: "",
    "rowspan": _matching(r"\d{1,3}"),
    "rspace": _size,
    "scope": _matching("row|col|rowgroup|colgroup"),
    "sizes": _matching(r"[a-z0-9():,. %>=<*/+-]{1,500}"),
    "span": _matching(r"\d{1,3}"),
    "src": _web,
    "srcset": _candidates,
    "start": _matching(r"-?\d{1,6}"),
    "style": _style,
    "title": lambda value: value[:_MAX_WORDS],
    "type": _matching(r"[1ai]|(?:audio|video|image)/[a-z0-9.+-]+(?:; ?codecs=[\w.,\" ]+)?"),
    "valign": _matching("top|middle|bottom|baseline"),
    "value": _matching(r"-?\d{1,6}"),
    "voffset": _size,
    "width": _size,
}
_JUDGES |= dict.fromkeys(LAZY_SOURCES, _web)
_JUDGES |= dict.fromkeys(LAZY_SRCSETS, _candidates)


def judge(_tag: str, attribute: str, value: str) -> str | None:
    judging = _JUDGES.get(attribute)
    if judging is None:
        return value
    try:
        return judging(value)
    except (ValueError, LookupError, TypeError):
        # An address nobody can read is not worth keeping, and raising would keep it.
        return None
