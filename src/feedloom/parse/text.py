"""Texts of a document: repair them, turn plain text into markup, make links absolute.

Text goes in, text comes out. ``xml:base`` is lost once content leaves its document, so
the links in it are resolved before.
"""

import html
import re
from contextlib import suppress

from feedloom.markup import absolute_url, unescaped

_C1_TO_CP1252 = {
    byte: bytes([byte]).decode("cp1252")
    for byte in range(0x80, 0xA0)
    if byte not in {0x81, 0x8D, 0x8F, 0x90, 0x9D}
}
_C1 = re.compile("[\x80-\x9f]")
# What UTF-8 looks like when it was taken for a Western encoding: the first letters of
# Latin and Cyrillic ones and of punctuation, or two East Asian ones in a row. A single
# "é", no-break space and "»" is a French title, though it would decode as well.
_NEXT = "[\x80-\xbf" + "".join(_C1_TO_CP1252.values()) + "]"
_MISREAD = re.compile(
    f"[\xc2-\xc5\xd0\xd1]{_NEXT}|\xe2[\x80\u20ac]{_NEXT}|(?:[\xe3-\xed]{_NEXT}{{2}}){{2}}"
)
# The traces, in UTF-8, of text that was encoded twice; of C1 controls, which nobody
# writes on purpose; and of references to them. One pattern each, because a search for
# a fixed beginning is many times as fast as one for alternatives. A look for that byte
# alone, which hardly takes any time, comes before; so it must be a rare one.
_TWICE = re.compile(
    rb"\xc3[\x82-\xb4](?:\xc2[\x80-\xbf]|\xc5[\x92\x93\xa0\xa1\xb8\xbd\xbe]|\xc6\x92"
    rb"|\xcb[\x86\x9c]|\xe2\x80[\x93-\xba]|\xe2\x82\xac|\xe2\x84\xa2)"
)
_C1_BYTES = re.compile(rb"\xc2[\x80-\x9f]")
_C1_REFERENCES = re.compile(rb"#(?<=&#)(?:1[2-5]\d|[xX]0*[89][0-9a-fA-F]);")
_MARKUP = re.compile(
    r"</?(?:a|abbr|article|b|blockquote|br|center|code|del|div|em|figure|font|h[1-6]|hr|i"
    r"|iframe|img|ins|li|ol|p|pre|q|s|section|small|span|strong|sub|sup|table|tbody|td|th"
    r"|tr|tt|u|ul|video)(?:\s[^<>]*)?/?>|&(?:[a-zA-Z]{2,8}|#\d{2,6}|#x[0-9a-fA-F]{2,6});"
)
_ADDRESS = re.compile(
    r"(<[a-zA-Z][^<>]{0,2000}?\s(?:href|src|poster|cite)\s*=\s*)"
    r"(\"[^\"<>]{0,4000}\"|'[^'<>]{0,4000}')"
)
_ABSOLUTE = re.compile(r"\s*(?:[a-zA-Z][a-zA-Z0-9+.-]*:|$)")
_BLANK_LINE = re.compile(r"\n\s*\n")


def looks_damaged(body: bytes) -> bool:
    """Tell whether a UTF-8 document has traces that ``repaired`` could mend."""
    if b"#" in body and _C1_REFERENCES.search(body):
        return True
    if body.isascii():
        return False
    return bool(
        (b"\xc2" in body and _C1_BYTES.search(body)) or (b"\xc3" in body and _TWICE.search(body))
    )


def repaired(text: str) -> str:
    """Undo a double encoding, and read C1 controls as the Windows letters they were."""
    if text.isascii():
        return text
    for codec in ("iso-8859-1", "cp1252") if _MISREAD.search(text) else ():
        with suppress(UnicodeError):
            text = text.encode(codec).decode("utf-8")
            break
    return text.translate(_C1_TO_CP1252) if _C1.search(text) else text


def as_markup(text: str) -> str:
    if _MARKUP.search(text):
        return text
    paragraphs = _BLANK_LINE.split(html.escape(text.strip(), quote=False))
    return "".join(f"<p>{part.replace(chr(10), '<br>')}</p>" for part in paragraphs if part)


def joined(base: str, address: str | None) -> str:
    if not address:
        return base
    return absolute_url(address, base) or base


def with_absolute_links(markup: str, base: str) -> str:
    def resolved(found: re.Match[str]) -> str:
        address = unescaped(found[2][1:-1])
        if _ABSOLUTE.match(address):
            return found[0]
        absolute = absolute_url(address, base)
        return f'{found[1]}"{html.escape(absolute)}"' if absolute else found[0]

    return _ADDRESS.sub(resolved, markup)
