"""From bytes to a tree: strict XML, repaired if necessary.

Raises ``Unsure`` for what only a guessing parser can read and ``ParseError`` for what
nobody should. Nothing is loaded, expanded or looked up; memory is bounded by cutting
documents with more elements than any feed has. Each thread has its own parsers, since
lxml would make threads wait for one another.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from feedloom.model.errors import ParseError
from feedloom.model.stages import MAX_BODY_BYTES
from feedloom.parse.charsets import UTF8, declared_encoding, decoded
from feedloom.parse.raw import Unsure
from feedloom.parse.text import looks_damaged
from feedloom.parse.xml_feeds.elements import Element, Into, Readers, own_spaces
from feedloom.parse.xml_feeds.repair import mended, without_prolog

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


class _Parsers(threading.local):
    def __init__(self) -> None:
        self.strict = _parser(recover=False)
        self.recovering = _parser(recover=True)


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
