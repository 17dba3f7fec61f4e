"""Markup in good order: cleaned tag by tag, without an HTML parser.

Most articles are paragraphs, emphasis, links, lists and images, each closed in order. For
these an HTML parser builds the very tree that is written there; here that is seen in a
half of the time. Elements are known and stand where no start tag ends another, attributes
that would be dropped are, and those that may stay pass the same judges. So each piece of
the result is text without a tag, a bare tag of a known element, or one whose values were
judged and quoted. A tag with anything unusual is cleaned alone, by the sanitiser, and
markup that is not in good order is not touched.
"""

import html as entities
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from feedloom.markup.allowed import JUDGED
from feedloom.markup.attributes import WITH_BASE, judge
from feedloom.markup.floods import MANY_TAGS
from feedloom.markup.images import settled_image
from feedloom.markup.links import TRACKED

LINK_WRITTEN = '<a target="_blank" rel="noopener noreferrer nofollow" '
"""What links say of themselves."""
_LONGEST = 50_000
_DEEPEST = 20
_LONGEST_SEEN = 100
_MOST_SEEN = 4_000
_LONGEST_TAG = 8_000
_MOST_ALONE = 25
_MOST_SIGNS = 1_000
_SEAM_SOURCE = "!"
_SEAM = f"<{_SEAM_SOURCE}>"
"""Stands where something was taken out, so that what was apart stays apart."""
_NO_END = "<"
"""Stands for the end tag of nothing: no tag is written so."""
_TEXTS = slice(None, None, 2)
_TAGS = slice(1, None, 2)
_NEVER = frozenset(
    {"/audio", "/dl", "/form", "/iframe", "/math", "/object", "/pre", "/script"}
    | {"/style", "/table", "/video"}
)
"""Ends of what is not simple, seen at once, before any work is done in vain."""
_BOXES = frozenset(
    {"article", "aside", "blockquote", "center", "div", "figcaption", "figure"}
    | {"footer", "header", "main", "nav", "section"}
)
_LINES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "p"})
_INLINE = frozenset(
    {"abbr", "b", "cite", "code", "del", "em", "i", "ins", "kbd", "mark", "q", "s"}
    | {"samp", "small", "span", "strong", "sub", "sup", "time", "u", "var"}
)
_VOID = frozenset({"br", "hr", "img", "source", "wbr"})
_EMPTY = frozenset({"br", "img", "wbr"})
_KNOWN = _BOXES | _LINES | _INLINE | _VOID | {"a", "li", "ol", "picture", "ul"}

_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_HOST = rf"(?:{_BYTE}(?:\.{_BYTE}){{3}}|(?:(?!xn--)[a-z0-9-]++\.)*[a-z]{{2,20}})"
# Printable, but for quotes, angle brackets, the ampersand and the backslash.
_PATH = r"/[!#-%(-;=?-\[\]-~]{0,2000}+"
_ORIGIN = rf"https?://{_HOST}(?::\d{{1,4}})?"
_NAME = r"[a-z][a-z0-9_:.-]*+"
_VALUE = r'="[^"]*+"'
_STAYING = "|".join(sorted(JUDGED["*"] | JUDGED["a"], key=len, reverse=True))
_DROPPED = rf"(?:[ \n]++(?!(?:{_STAYING})=){_NAME}{_VALUE})*+"
_LINK = re.compile(
    rf'a{_DROPPED}[ \n]++href="({_ORIGIN}(?:{_PATH})?)"{_DROPPED}',
    re.ASCII,
)
_START = re.compile(
    rf"([a-z][a-z1-6]*+)((?:[ \n]++{_NAME}(?:{_VALUE})?+)*+)[ \n]*+(/?)", re.ASCII
)
_ATTRIBUTE = re.compile(rf'[ \n]({_NAME})(?:="([^"]*+)")?', re.ASCII)
_BARE = r'(?:[ \n]++[a-zA-Z:-]++="[^"<>]*+")*+'
_SHAPE = rf"</?(?:circle|g|line|path|polygon|polyline|rect){_BARE}[ \n]*+/?>"
_DRAWING = rf"<svg{_BARE}>(?:{_SHAPE}|[ \n]++|{_SEAM})*+</svg>"
_DRAWN = re.compile(
    rf"<button{_BARE}>(?:{_DRAWING}|[ \n]++|{_SEAM})*+</button>|{_DRAWING}"
)
"""Drawings and buttons with nothing but drawings in them; neither is ever shown."""
_COMMENT = re.compile("<!--(?:[^<>-]|-(?!-))*+-->")
_ADDRESSES = frozenset({"cite", "href", "src"})
_ADDRESS = re.compile(rf"(?:{_ORIGIN})?(?:[/#?][!#-;=?-\[\]-~]{{0,2000}}+)?", re.ASCII)
"""Absolute or from the root; the sanitiser's library looks at hosts and nothing else."""
_SIGN = re.compile("&(?:amp|lt|gt|nbsp);")
_REFERENCE = re.compile(r"&(?!(?:amp|lt|gt|nbsp);)(?:#[0-9]{2,5}|[a-zA-Z]{2,10});")
_SIGN_IN_VALUE = re.compile("&(?:amp|quot|#0?38|#0?39|#8[0-9]{3});")
_ODD = re.compile(r"[\x7f-\xa0\ufeff\ud800-\udfff\ufffe\uffff]")
_ORDINARY = bytes({*b"\t\n", *range(0x20, 0x7F), *range(0x80, 0x100)} - {*b"<>"})
_FIRST_ABOVE_CONTROLS = "\xa1"
_QUOTES = ('"', "'")

_NOTHING: dict[str, Any] = {}
_PICTURE = {"img": _NOTHING, "source": _NOTHING}


class _Tag(NamedTuple):
    """What is known of a start tag by how it is written."""

    name: str
    written: str | None
    """How it is written again; None when an attribute may stay."""
    end: str
    """What stands between the brackets of its end tag."""


_seen: dict[str, _Tag] = {}
"""Start tags by how they are written: publishers repeat themselves."""


def _flow(*, linked: bool) -> dict[str, Any]:
    """Tell what may stand in what: each name leads to the place inside that element."""
    flow: dict[str, Any] = {}
    line: dict[str, Any] = {}
    entries = {"li": flow}
    either = dict.fromkeys(_EMPTY, _NOTHING) | {"picture": _PICTURE}
    flow |= either | dict.fromkeys(_BOXES | _INLINE, flow) | {"hr": _NOTHING}
    flow |= dict.fromkeys(_LINES, line) | {"ol": entries, "ul": entries}
    line |= either | dict.fromkeys(_INLINE, line)
    if not linked:
        inside = _flow(linked=True)
        flow["a"], line["a"] = inside, inside["p"]
    return flow


_OUTERMOST = _flow(linked=False)


class _NotSimpleError(Exception):
    """The markup is not in good order, or cleaning it tag by tag would take longer."""


class _Alone:
    """Cleans single tags, so many in a document and no more."""

    __slots__ = ("_clean_tag", "_left")

    def __init__(self, clean_tag: Callable[[str], str]) -> None:
        self._clean_tag = clean_tag
        self._left = _MOST_ALONE

    def __call__(self, tag: str) -> str:
        self._left -= 1
        if self._left < 0:
            raise _NotSimpleError
        return self._clean_tag(tag)


def clean_simple(html: str, clean_tag: Callable[[str], str]) -> str | None:
    """Return what cleaning would, or None when the markup is not in good order.

    ``clean_tag`` cleans a single start tag.
    """
    if len(html) > _LONGEST or _SEAM in html:
        return None
    if "<!--" in html:
        html = _COMMENT.sub(_SEAM, html)
    if "<svg" in html:
        html = _DRAWN.sub(_SEAM, html)
    if not _is_usual(html):
        return None
    pieces = html.replace(">", "<").split("<")
    try:
        pieces[_TAGS] = _rewritten(pieces[_TAGS], _Alone(clean_tag))
        signs = html.count("&")
        if signs and signs != len(_SIGN.findall(html)):
            _resolve(pieces, signs)
    except _NotSimpleError:
        return None
    return "".join(pieces)


def _is_usual(html: str) -> bool:
    """Tell whether it is tags and characters that are written as they would be again."""
    if not html.isascii() and _ODD.search(html):
        return False
    left = html.encode().translate(None, _ORDINARY)
    return left == b"<>" * (len(left) // 2)


def _resolve(pieces: list[str], signs: int) -> None:
    """Write signs in texts as they would be; fails when there is one that is odd."""
    # No text has an angle bracket, so nothing is put together that was apart.
    text = "<".join(pieces[_TEXTS])
    if signs <= _MOST_SIGNS:
        text = _REFERENCE.sub(_resolved, text)
    if text.count("&") != len(_SIGN.findall(text)):
        raise _NotSimpleError
    pieces[_TEXTS] = text.split("<")


def _resolved(reference: re.Match[str]) -> str:
    found = entities.unescape(reference[0])
    usual = found >= _FIRST_ABOVE_CONTROLS and not _ODD.search(found)
    return found if found in _QUOTES or usual else reference[0]


def _rewritten(tags: list[str], clean_tag: Callable[[str], str]) -> list[str]:
    """Write tags as cleaning would; fails when one stands where it may not."""
    if len(tags) > MANY_TAGS or not _NEVER.isdisjoint(tags):
        raise _NotSimpleError
    written: list[str] = []
    place, end = _OUTERMOST, _NO_END
    path: list[tuple[dict[str, Any], str]] = []
    for source in tags:
        if source == end:
            written.append(f"<{source}>")
            place, end = path.pop()
            continue
        found = _seen.get(source)
        if found is None:
            if source == _SEAM_SOURCE:
                written.append("")
                continue
            found = _tag(source)
        name, again, its_end = found
        inside = place.get(name)
        if inside is None or len(path) >= _DEEPEST:
            raise _NotSimpleError
        written.append(again or _cleaned(name, source, clean_tag))
        if inside is not _NOTHING:
            path.append((place, end))
            place, end = inside, its_end
    if path:
        raise _NotSimpleError
    return written


def _cleaned(name: str, source: str, clean_tag: Callable[[str], str]) -> str:
    """Clean a start tag with attributes that may stay."""
    written = _judged(name, source)
    if written is not None:
        return written
    found = clean_tag(f"<{source}>")
    if name == "img" and not found.startswith("<img"):
        # Nothing or text: at the beginning of a document some characters are lost.
        raise _NotSimpleError
    return found.removesuffix(f"</{name}>")


def _judged(name: str, source: str) -> str | None:
    """Clean a start tag by ourselves; None for one with anything unusual."""
    kept = _may_keep(name)
    found = [one for one in _ATTRIBUTE.findall(source) if one[0] in kept]
    if len(dict(found)) != len(found):
        return None
    attributes: list[str] = []
    for word, value in found:
        known = word not in WITH_BASE and len(value) <= _LONGEST_SEEN
        attribute = (_known_attribute if known else _attribute)(name, word, value)
        if attribute is None:
            return None
        attributes.append(attribute)
    written = _joined(attributes)
    if "<" in written or ">" in written or "\xa0" in written:
        # Written as references, as are ampersands and quotes.
        return None
    if name == "img":
        return settled_image(written)
    return f"<{name}{written}>".replace("<a ", LINK_WRITTEN)


def _attribute(name: str, word: str, value: str) -> str | None:
    """Return an attribute as it is written, nothing to drop it, None if it is unusual."""
    meant = value
    if "&" in value:
        if value.count("&") != len(_SIGN_IN_VALUE.findall(value)):
            return None
        meant = entities.unescape(value)
    if word in _ADDRESSES and not _ADDRESS.fullmatch(value):
        return None
    judged = judge(name, word, meant)
    return "" if judged is None else f' {word}="{_quoted(judged)}"'


_known_attribute = lru_cache(maxsize=_MOST_SEEN)(_attribute)
"""For short values that mean the same in every document, such as widths."""


def _quoted(value: str) -> str:
    if "&" in value or '"' in value:
        return value.replace("&", "&amp;").replace('"', "&quot;")
    return value


def _joined(attributes: list[str]) -> str:
    # Where it takes one out, the sanitiser's library puts the last one.
    if "" in attributes:
        for place in reversed(range(len(attributes))):
            if not attributes[place]:
                attributes[place] = attributes[-1]
                attributes.pop()
    return "".join(attributes)


def _tag(source: str) -> _Tag:
    """Read a start tag; fails for one that is not simple."""
    if len(source) > _LONGEST_TAG:
        raise _NotSimpleError
    link = _LINK.fullmatch(source) if source[:2] == "a " else None
    if link is not None and not ("?" in source and TRACKED.search(link[1])):
        return _Tag("a", f'{LINK_WRITTEN}href="{link[1]}">', "/a")
    found = _START.fullmatch(source)
    if found is None or found[1] not in _KNOWN:
        raise _NotSimpleError
    name, attributes, slash = found[1], found[2], found[3]
    if slash and name not in _VOID:
        raise _NotSimpleError
    if name in {"a", "img"}:
        return _Tag(name, None, f"/{name}")
    names = (attribute for attribute, _ in _ATTRIBUTE.findall(attributes))
    stays = not _may_keep(name).isdisjoint(names)
    tag = _Tag(name, None if stays else f"<{name}>", f"/{name}")
    _remember(source, tag)
    return tag


def _remember(source: str, tag: _Tag) -> None:
    """Keep what is often written the same, and not more than a little."""
    if len(source) <= _LONGEST_SEEN:
        if len(_seen) >= _MOST_SEEN:
            _seen.clear()
        _seen[source] = tag


@cache
def _may_keep(name: str) -> frozenset[str]:
    return JUDGED["*"] | JUDGED.get(name, frozenset())
