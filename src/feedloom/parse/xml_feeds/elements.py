"""XML elements: short and comparable names for them, and what they say.

``{http://purl.org/dc/elements/1.1/}Creator`` becomes ``dc:creator``. Publishers write
namespaces in many ways (https, other case, without the last slash, or under a known
prefix with an address of their own), so the address is compared loosely. Names of RSS
itself, with or without one of its namespaces, have no prefix.
"""

import re
from collections.abc import Callable, Mapping
from typing import Generic, TypeAlias, TypeVar
from urllib.parse import urljoin

from lxml import etree

Element: TypeAlias = etree._Element  # noqa: SLF001 - lxml has no other name for it

Into = TypeVar("Into")

_SPACES_OF = {
    "": """
        backend.userland.com/rss backend.userland.com/rss091 backend.userland.com/rss2
        blogs.law.harvard.edu/tech/rss channel.netscape.com/rdf/simple/0.9
        my.netscape.com/rdf/simple/0.9 purl.org/net/rss1.1 purl.org/rss/1.0 purl.org/rss/2.0
    """,
    "atom": "purl.org/atom/ns www.w3.org/2005/atom",
    "content": "purl.org/rss/1.0/modules/content",
    "dc": "purl.org/dc/elements/1.0 purl.org/dc/elements/1.1",
    "dcterms": "purl.org/dc/terms",
    "feedburner": "rssnamespace.org/feedburner/ext/1.0",
    "googleplay": "www.google.com/schemas/play-podcasts/1.0",
    "itunes": "www.itunes.com/dtds/podcast-1.0.dtd",
    "media": "search.yahoo.com/mrss video.search.yahoo.com/mrss",
    "podcast": """
        github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md
        podcastindex.org/namespace/1.0
    """,
    "psc": "podlove.org/simple-chapters",
    "rdf": "www.w3.org/1999/02/22-rdf-syntax-ns",
    "slash": "purl.org/rss/1.0/modules/slash",
    "sy": "purl.org/rss/1.0/modules/syndication",
    "thr": "purl.org/syndication/thread/1.0",
    "wfw": "wellformedweb.org/commentapi",
    "xhtml": "www.w3.org/1999/xhtml",
}
_SPACES = {"": ""} | {
    space: prefix for prefix, spaces in _SPACES_OF.items() for space in spaces.split()
}
_PREFIXES = frozenset(_SPACES_OF) - {""}
UNKNOWN = "?"
"""The name of everything in a namespace we know nothing about."""
_REMEMBERED = 2_000
"""More tags than any honest document has; a hostile one stops filling memory there."""
_XML = "{http://www.w3.org/XML/1998/namespace}"
BASE = f"{_XML}base"
LANGUAGE = f"{_XML}lang"
_VOID = frozenset(
    {"area", "br", "col", "embed", "hr", "img", "input", "param", "source", "track", "wbr"}
)
_DECLARATION = re.compile(r'\sxmlns(?::[\w.-]+)?="[^"]*"')
_PREFIX = re.compile(r"<(/?)[\w.-]+:(?=[\w.-])")
_SELF_CLOSED = re.compile(r"<([\w.-]+)((?:\s[^<>]*)?)/>")


def name_of(element: Element) -> str:
    return short_name(str(element.tag))


def short_name(tag: str, spaces: Mapping[str, str] = _SPACES) -> str:
    """Return the short name of an element, or ``UNKNOWN``."""
    if tag[0] != "{":
        prefix, colon, local = tag.lower().rpartition(":")
        # A prefix that nobody declared is taken at its word.
        return f"{prefix}:{local}" if colon and prefix in _PREFIXES else local
    space, _, local = tag[1:].rpartition("}")
    prefix_of_space = spaces.get(_loose(space))
    if prefix_of_space is None:
        return UNKNOWN
    return f"{prefix_of_space}:{local.lower()}" if prefix_of_space else local.lower()


def own_spaces(declared: Mapping[str | None, str]) -> Mapping[str, str] | None:
    """Return all namespaces of a document that declares known prefixes in its own way.

    None stands for a document that needs nothing but the namespaces everybody knows.
    """
    own = {
        _loose(space): prefix
        for prefix, space in declared.items()
        if prefix in _PREFIXES and _loose(space) not in _SPACES
    }
    return _SPACES | own if own else None


def _loose(space: str) -> str:
    bare = space.strip().lower()
    return bare.removeprefix("http://").removeprefix("https://").rstrip("/#")


def plain_text(element: Element) -> str:
    return element.text or ""


def text_of(element: Element) -> str:
    return markup_of(element) if len(element) else element.text or ""


def markup_of(element: Element) -> str:
    text = (element.text or "").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    parts = [text, *(etree.tostring(child, encoding="unicode") for child in element)]
    markup = _PREFIX.sub(r"<\1", _DECLARATION.sub("", "".join(parts)))
    return _SELF_CLOSED.sub(_opened, markup)


def _opened(tag: re.Match[str]) -> str:
    # XML may close an empty element at once; HTML would take the rest into it.
    if tag[1].lower() in _VOID:
        return tag[0]
    return f"<{tag[1]}{tag[2]}></{tag[1]}>"


def under(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


class Readers(dict[object, "Callable[[Into, Element], None]"], Generic[Into]):
    """From the tag of an element, as lxml spells it, to what reads such an element.

    Spelled-out tags are looked up by their short name once and then remembered, which
    makes one dictionary access per element of a document.
    """

    def __init__(
        self,
        by_name: Mapping[str, Callable[[Into, Element], None]],
        spaces: Mapping[str, str] = _SPACES,
    ) -> None:
        super().__init__()
        self._by_name = by_name
        self._spaces = spaces

    def knowing(self, spaces: Mapping[str, str]) -> "Readers[Into]":
        return Readers(self._by_name, spaces)

    def __missing__(self, tag: object) -> Callable[[Into, Element], None]:
        if not isinstance(tag, str):
            return _ignore
        reader = self._by_name.get(short_name(tag, self._spaces), _ignore)
        if len(self) < _REMEMBERED:
            self[tag] = reader
        return reader


def by_name(
    names: Mapping[Callable[[Into, Element], None], str],
) -> dict[str, Callable[[Into, Element], None]]:
    """Turn a table of readers and the names of what each reads around."""
    return {name: reader for reader, words in names.items() for name in words.split()}


def _ignore(_into: object, _element: Element) -> None:
    pass
