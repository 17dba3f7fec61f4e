"""Floods of tags: markup that would take an HTML parser quadratic time or space.

An HTML parser looks through all open elements for each tag, and reopens unclosed
formatting in every following block, so a megabyte of ``<div>`` or ``<font size=1>``
costs minutes. Here the tags are written out again, balanced and of bounded depth, in
one pass; what comes out is still untrusted and goes to the sanitiser.
"""

import html
import re

from feedloom.markup.allowed import BLOCKS, DROPPED_WITH_CONTENT, RAW_TEXT, TAGS, VOID
from feedloom.markup.references import unescaped

MANY_TAGS = 600
"""From here on the order of tags is checked before an HTML parser sees them."""
MAX_TAGS = 50_000
MAX_CHARACTERS = 2_000_000
"""Documents beyond these are no articles; only their text is kept."""
_SHORTEST_TAG = 3
MAX_DEPTH = 100
MAX_ATTRIBUTES = 200
_LONG_TAG = 10_000
_LONG_TEXT = 50_000
"""Shorter documents cannot have enough attributes in one tag to matter."""
_KEPT = TAGS | DROPPED_WITH_CONTENT
_TAG = re.compile(
    r"""<(/?)([a-zA-Z][^\t\n\f\r />]*+)
    (?:[\t\n\f\r /]++
      |[^\t\n\f\r />][^\t\n\f\r />=]*+
       (?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|(?!["'])[^\t\n\f\r >]*+))?+
    )*+>""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"[\t\n\f\r /\"'][^\t\n\f\r />\"'=]")
# A tag with thousands of attributes is long; only quoted angle brackets can hide that.
_LONG = re.compile(rf"<[a-zA-Z][^<>]{{{_LONG_TAG}}}")
_QUOTED_BRACKET = re.compile(r"=[\t\n\f\r ]*(?:\"[^\"<>]*[<>]|'[^'<>]*[<>])")
_COMMENT_END = re.compile(r"--!?>")
_RAW_END = {name: re.compile(rf"</{name}[\t\n\f\r />]", re.IGNORECASE) for name in RAW_TEXT}
_NOT_A_TAG = re.compile(r"<(?![a-zA-Z/!?])")
_BEGINS_A_TAG = re.compile(r"</?[a-zA-Z]")
_ANY_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")
_BARRIERS = frozenset({"caption", "math", "svg", "table", "td", "template", "th"})
_ROWS = frozenset({"tbody", "tfoot", "thead"})
_ENDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ol", "ul"}) | _BARRIERS),
    "dt": (frozenset({"dd", "dt"}), frozenset({"dl"}) | _BARRIERS),
    "dd": (frozenset({"dd", "dt"}), frozenset({"dl"}) | _BARRIERS),
    "td": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "th": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
} | {row: (_ROWS, frozenset({"table"})) for row in _ROWS}
"""A start tag, the open elements it ends by itself, and where looking for them stops."""
_ENDS_PARAGRAPH = BLOCKS - {"br", "caption", "dd", "dt", "li", "td", "th", "tr"} - _ROWS
_PARAGRAPH = frozenset({"p"})


class _Balancer:
    """Writes tags out again so that each one closes, in order."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self._open: list[str] = []

    def start(self, name: str, tag: str) -> None:
        if name in _ENDS_PARAGRAPH:
            self._end(_PARAGRAPH, _BARRIERS)
        elif name in _ENDS:
            self._end(*_ENDS[name])
        if name in VOID:
            self.out.append(tag)
        elif len(self._open) < MAX_DEPTH:
            self._open.append(name)
            self.out.append(tag)

    def end(self, name: str) -> None:
        barriers = frozenset({"table"}) if name in _ENDS else _BARRIERS - {name}
        self._end(frozenset({name}), barriers)

    def finish(self) -> str:
        self._close_down_to(0)
        return "".join(self.out)

    def _end(self, names: frozenset[str], barriers: frozenset[str]) -> None:
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] in names:
                self._close_down_to(place)
                return
            if self._open[place] in barriers:
                return

    def _close_down_to(self, place: int) -> None:
        self.out += [f"</{name}>" for name in reversed(self._open[place:])]
        del self._open[place:]


def balance(text: str) -> str:
    """Return the markup with every element closed and at most ``MAX_DEPTH`` deep.

    Comments, the content of raw-text elements and tags nobody keeps are left out.
    """
    writer = _Balancer()
    place = 0
    while (start := text.find("<", place)) >= 0:
        writer.out.append(text[place:start])
        place = _take(text, start, writer)
    writer.out.append(text[place:])
    return writer.finish()


def _take(text: str, start: int, writer: _Balancer) -> int:
    tag = _TAG.match(text, start)
    if tag is None:
        return _skip_oddity(text, start, writer)
    name = tag[2].lower()
    if tag[1]:
        if name in _KEPT:
            writer.end(name)
    elif name in RAW_TEXT:
        end = _RAW_END[name].search(text, tag.end())
        return end.start() if end else len(text)
    elif name in _KEPT and not _is_overloaded(tag[0]):
        writer.start(name, tag[0])
    return tag.end()


def _is_overloaded(tag: str) -> bool:
    return len(tag) > _LONG_TAG and len(_ATTRIBUTE.findall(tag)) > MAX_ATTRIBUTES


def _skip_oddity(text: str, start: int, writer: _Balancer) -> int:
    if text.startswith("<!--", start):
        if text.startswith((">", "->"), start + 4):
            return text.index(">", start) + 1
        end = _COMMENT_END.search(text, start + 4)
        return end.end() if end else len(text)
    if _NOT_A_TAG.match(text, start):
        writer.out.append("&lt;")
        return start + 1
    if _BEGINS_A_TAG.match(text, start):
        # A tag that the text ends in: each ">" to come is inside a quoted value.
        return len(text)
    # A declaration, an instruction or a nameless end ends at ">". Without any to come
    # there is no more markup.
    end_of_tag = text.find(">", start)
    return end_of_tag + 1 if end_of_tag >= 0 else len(text)


def bare_text(text: str) -> str:
    return " ".join(unescaped(_ANY_TAG.sub(" ", text)).split())


def flattened(text: str) -> str:
    return html.escape(bare_text(text).lstrip("\ufeff "), quote=False)


def needs_balance(text: str) -> bool:
    """Tell whether an HTML parser could take long over it."""
    if has_more_tags(text, MANY_TAGS):
        return True
    if len(text) <= _LONG_TEXT:
        return False
    return bool(_LONG.search(text) or _QUOTED_BRACKET.search(text))


def has_more_tags(text: str, limit: int) -> bool:
    # Counting is the dearest part of looking at an ordinary article, and a short one
    # cannot have that many.
    if len(text) <= _SHORTEST_TAG * limit:
        return False
    marks = text.count("<")
    return marks > limit and marks - text.count("</") > limit


def is_flood(text: str) -> bool:
    return len(text) > MAX_CHARACTERS or has_more_tags(text, MAX_TAGS)
