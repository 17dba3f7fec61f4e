"""From bytes to a tree: strict XML, repaired if necessary.

Raises ``Unsure`` for what only a guessing parser can read and ``ParseError`` for what
nobody should. Nothing is loaded, expanded or looked up; memory is bounded by cutting
documents with more elements than any feed has.

Only damage with one sensible repair is mended: junk around the document, HTML entities
XML does not know, bare ampersands, forbidden characters, a document cut off in the
middle. A document type declaration is removed, so that no parser ever acts on one;
anything in it that could expand or reach out refuses the document.
"""

import html
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from html.entities import html5

from lxml import etree

from feedloom.markup import unescaped
from feedloom.model.errors import ParseError
from feedloom.model.stages import MAX_BODY_BYTES
from feedloom.parse.charsets import UTF8, declared_encoding, decoded
from feedloom.parse.raw import Unsure
from feedloom.parse.text import looks_damaged
from feedloom.parse.xml_feeds.elements import Element, Into, Readers, own_spaces

_SMALL = 1_000_000
_MOST_MARKS = 400_000
"""Each "<" may cost 120 bytes of memory."""
_MOST_ATTRIBUTES = 200_000
_MOST_ENTITIES = 1_000
# The same as "xml:" or ":about". Looking for their colon takes half the time.
_SETTINGS = re.compile(rb":(?:(?<=xml:)|(?=about))")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOLERATED = frozenset(
    {
        etree.ErrorTypes.ERR_ATTRIBUTE_REDEFINED,
        etree.ErrorTypes.NS_ERR_ATTRIBUTE_REDEFINED,
        etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE,
        etree.ErrorTypes.NS_ERR_XML_NAMESPACE,
        etree.ErrorTypes.WAR_NS_URI,
        etree.ErrorTypes.WAR_NS_URI_RELATIVE,
    }
)
"""Errors after which a recovering parser has still read what was meant."""

_JUNK = 4_000
_MOST_AMPERSANDS = 500_000
_MOST_EXPANDED = 5_000_000
_START = re.compile(
    r"<(?:\?xml\b|!DOCTYPE\b|(?:\w{1,20}:)?(?:rss|feed|rdf|channel|opml)\b)", re.IGNORECASE
)
_ROOT = re.compile(r"<([a-zA-Z][\w.:-]{0,60})")
_PROLOG = re.compile(r"\s*<\?xml\b[^>]{0,500}>")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_FORBIDDEN_REFERENCE = re.compile(
    r"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])"
    r"|[xX]0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]|[dD][89a-fA-F][0-9a-fA-F]{2}|[fF]{3}[eEfF]));"
)
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][\w.-]{0,63});", re.ASCII)
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_ITEM_END = re.compile(r"</(?:\w{1,20}:)?(?:item|entry)\s*>", re.IGNORECASE)

_DOCTYPE = re.compile(r"<!DOCTYPE\s[^\[<>]{0,2000}", re.IGNORECASE)
_BEFORE_DOCTYPE = re.compile(r"(?:\s++|<!--(?:[^-]++|-(?!->))*+-->|<\?[^>]*+>)*+")
_HARMLESS_DECLARATION = re.compile(
    r"\s+|<!--(?:[^-]|-(?!->))*+-->|<\?[^>]{0,2000}>|%[\w.-]{1,64};"
    r"|<!(?:ELEMENT|ATTLIST|NOTATION)\s[^<>]{0,4000}>"
    r"|<!ENTITY\s+%\s+[\w.-]{1,64}\s+(?:PUBLIC|SYSTEM)\s[^<>]{0,2000}>"
    r"|<!ENTITY\s+([\w.-]{1,64})\s+(?:\"([^\"<>%]{0,100})\"|'([^'<>%]{0,100})')\s*>",
    re.IGNORECASE,
)
_EXPANDS = re.compile(r"&(?!#)")
_MOST_DECLARATIONS = 500
_UNSAFE = "The document's type declaration cannot be read safely."
_DOCTYPE_END = re.compile(r"\]?\s*>")


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        recover=recover,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        collect_ids=False,
        remove_comments=True,
        remove_pis=True,
    )


class _Parsers(threading.local):
    """Each thread has its own, since lxml would make threads wait for one another."""

    def __init__(self) -> None:
        self.strict = _parser(recover=False)
        self.recovering = _parser(recover=True)


_parsers = _Parsers()


@dataclass(frozen=True, slots=True)
class Tree:
    root: Element
    truncated: bool
    damaged: bool
    """Its text may need repairs."""
    has_settings: bool
    """Elements may have a base, a language or a name of their own."""
    spaces: Mapping[str, str] | None
    """Namespaces, when it declares known prefixes in its own way."""

    def readers(self, readers: Readers[Into]) -> Readers[Into]:
        return readers if self.spaces is None else readers.knowing(self.spaces)


def read_tree(body: bytes, content_type: str = "") -> Tree:
    if len(body) > MAX_BODY_BYTES:
        raise ParseError("The document is larger than 10 MB.")
    narrow = _narrowed(body)
    root, data, cut = _read(narrow, content_type)
    return Tree(
        root,
        truncated=cut or len(narrow) < len(body),
        damaged=looks_damaged(data),
        has_settings=_SETTINGS.search(data) is not None,
        spaces=own_spaces(root.nsmap),
    )


def _narrowed(body: bytes) -> bytes:
    if len(body) > _SMALL and body.count(b"<!ENTITY") > _MOST_ENTITIES:
        raise ParseError
    while len(body) > _SMALL and (
        body.count(b"<") > _MOST_MARKS or body.count(b"=") > _MOST_ATTRIBUTES
    ):
        body = body[: len(body) * 3 // 4]
    return body


def _read(body: bytes, content_type: str) -> tuple[Element, bytes, bool]:
    data = body.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not _is_utf8(data):
        data = without_prolog(decoded(body, content_type)).strip().encode()
    root = _strict(data)
    if root is not None:
        return root, data, False
    text, cut = mended(decoded(body, content_type))
    data = text.strip().encode()
    root = _strict(data)
    if root is None:
        root = _recovered(data)
    return root, data, cut


def _is_utf8(data: bytes) -> bool:
    if b"\x00" in data[:4] or data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return False
    declared = declared_encoding(data)
    return not declared or declared in UTF8


def _strict(data: bytes) -> Element | None:
    try:
        root = etree.fromstring(data, _parsers.strict)
    except etree.XMLSyntaxError:
        return None
    # With a document type it goes the long way, where that is read and removed.
    return root if root.getroottree().docinfo.internalDTD is None else None


def _recovered(data: bytes) -> Element:
    parser = _parsers.recovering
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Unsure("not XML") from error
    if root is None or any(e.type not in _TOLERATED for e in parser.error_log):
        raise Unsure("not well-formed")
    if root.getroottree().docinfo.internalDTD is not None:
        raise Unsure("a document type in an odd place")
    return root


def mended(text: str) -> tuple[str, bool]:
    """Return a document without prolog and document type, its damage repaired.

    True if it ended in the middle; what is left ends after the last whole entry.
    """
    return _completed(harmless(text))


def harmless(text: str) -> str:
    """Return a document without all that a parser should not even see."""
    start = _START.search(text, 0, _JUNK)
    text = _FORBIDDEN.sub("", text[start.start() :] if start else text)
    text, entities = _without_doctype(without_prolog(text))
    references = text.count("&")
    longest = max(map(len, entities.values()), default=0)
    if references > _MOST_AMPERSANDS or references * longest > _MOST_EXPANDED:
        raise ParseError
    return _with_known_references(text, entities)


def without_prolog(text: str) -> str:
    prolog = _PROLOG.match(text)
    return text[prolog.end() :] if prolog else text


def _without_doctype(text: str) -> tuple[str, Mapping[str, str]]:
    before = _BEFORE_DOCTYPE.match(text)
    declared = _DOCTYPE.match(text, before.end() if before else 0)
    if declared is None:
        return text, {}
    place, entities = declared.end(), dict[str, str]()
    if text[place : place + 1] == "[":
        place, entities = _read_declarations(text, place + 1)
    end = _DOCTYPE_END.match(text, place)
    if end is None:
        raise ParseError(_UNSAFE)
    return text[: declared.start()] + text[end.end() :], entities


def _read_declarations(text: str, place: int) -> tuple[int, dict[str, str]]:
    entities: dict[str, str] = {}
    for _ in range(_MOST_DECLARATIONS):
        declaration = _HARMLESS_DECLARATION.match(text, place)
        if declaration is None:
            break
        place = declaration.end()
        value = declaration[2] or declaration[3] or ""
        if _EXPANDS.search(value):
            raise ParseError(_UNSAFE)
        if declaration[1]:
            entities[declaration[1]] = unescaped(value)
    return place, entities


def _with_known_references(text: str, entities: Mapping[str, str]) -> str:
    """Repair references outside CDATA sections, where they mean something."""
    parts: list[str] = []
    place = 0
    while (start := text.find(_CDATA, place)) >= 0:
        parts.append(_repaired(text[place:start], entities))
        end = text.find(_CDATA_END, start)
        place = len(text) if end < 0 else end + len(_CDATA_END)
        parts.append(text[start:place])
    parts.append(_repaired(text[place:], entities))
    return "".join(parts)


def _repaired(text: str, entities: Mapping[str, str]) -> str:
    if "&" not in text:
        return text

    def known(reference: re.Match[str]) -> str:
        name = reference[1]
        value = entities.get(name) or html5.get(f"{name};")
        return html.escape(value) if value else f"&amp;{name};"

    text = _FORBIDDEN_REFERENCE.sub("", _NAMED.sub(known, text))
    return _BARE.sub("&amp;", text)


def _completed(text: str) -> tuple[str, bool]:
    root = _ROOT.search(text)
    if root is None:
        return text, False
    end = text.rfind(f"</{root[1]}")
    if end >= 0:
        close = text.find(">", end)
        return (text[:end] + f"</{root[1]}>" if close >= 0 else text), False
    ends = [entry.end() for entry in _ITEM_END.finditer(text)]
    if not ends:
        return text, False
    text = text[: ends[-1]]
    channel = "</channel>" if "<channel" in text and "</channel" not in text else ""
    return f"{text}{channel}</{root[1]}>", True
