"""Reading single XML elements, shared by the readers of RSS and Atom."""

import re
from collections.abc import Callable, Mapping
from typing import Generic, TypeAlias, TypeVar
from urllib.parse import urljoin

from lxml import etree

from feedloom.parse.xml_feeds.names import short_name

Element: TypeAlias = etree._Element  # noqa: SLF001 - lxml has no other name for it

Into = TypeVar("Into")

_REMEMBERED = 2_000
"""More tags than any honest document has; a hostile one stops filling memory there."""
XML = "{http://www.w3.org/XML/1998/namespace}"
BASE = f"{XML}base"
LANGUAGE = f"{XML}lang"
_VOID = frozenset(
    {"area", "br", "col", "embed", "hr", "img", "input", "param", "source", "track", "wbr"}
)
_DECLARATION = re.compile(r'\sxmlns(?::[\w.-]+)?="[^"]*"')
_PREFIX = re.compile(r"<(/?)[\w.-]+:(?=[\w.-])")
_SELF_CLOSED = re.compile(r"<([\w.-]+)((?:\s[^<>]*)?)/>")


def name_of(element: Element) -> str:
    return short_name(str(element.tag))


def text_of(element: Element) -> str:
    return markup_of(element) if len(element) else element.text or ""


def markup_of(element: Element) -> str:
    parts = [_escaped(element.text)]
    parts += [etree.tostring(child, encoding="unicode") for child in element]
    markup = _PREFIX.sub(r"<\1", _DECLARATION.sub("", "".join(parts)))
    return _SELF_CLOSED.sub(_opened, markup)


def under(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _opened(tag: re.Match[str]) -> str:
    # XML may close an empty element at once; HTML would take the rest into it.
    if tag[1].lower() in _VOID:
        return tag[0]
    return f"<{tag[1]}{tag[2]}></{tag[1]}>"


def _escaped(text: str | None) -> str:
    if not text:
        return ""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Readers(dict[object, "Callable[[Into, Element], None]"], Generic[Into]):
    """From the tag of an element, as lxml spells it, to what reads such an element.

    Spelled-out tags are looked up by their short name once and then remembered, which
    makes one dictionary access per element of a document.
    """

    def __init__(
        self,
        by_name: Mapping[str, Callable[[Into, Element], None]],
        spaces: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._by_name = by_name
        self._spaces = spaces

    def knowing(self, spaces: Mapping[str, str]) -> "Readers[Into]":
        return Readers(self._by_name, spaces)

    def __missing__(self, tag: object) -> Callable[[Into, Element], None]:
        if not isinstance(tag, str):
            return _ignore
        name = short_name(tag, self._spaces) if self._spaces else short_name(tag)
        reader = self._by_name.get(name, _ignore)
        if len(self) < _REMEMBERED:
            self[tag] = reader
        return reader


def _ignore(_into: object, _element: Element) -> None:
    pass
