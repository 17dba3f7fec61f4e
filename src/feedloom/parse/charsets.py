"""Encodings: bytes of an XML or JSON document in, text out, whatever was declared.

A byte order mark wins, then the document's own declaration, then the server's, then
UTF-8. Only codecs on our list are used: others of Python's are slow, or no encodings
at all. What does not decode is read as UTF-8 with stray Windows letters, which is what
nearly all wrongly declared documents are.
"""

import codecs
import re
from contextlib import suppress

_DECLARED = re.compile(
    rb"\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']\s*([A-Za-z0-9._-]{1,40})\s*[\"'][^>]{0,100}>"
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9._-]{1,40})", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WITHOUT_MARK = (
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)
UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "utf_8", "unicode-1-1-utf-8"})
_NAMES_OF = {
    "cp1252": "iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1 windows-1252 cp1252",
    "mac_roman": "macintosh",
    "cp932": "shift_jis shift-jis sjis x-sjis windows-31j",
    "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "cp949": "euc-kr ks_c_5601-1987",
    "big5hkscs": "big5",
    "gb18030": "gb2312 gbk gb18030",
    "koi8_r": "koi8-r",
    "koi8_u": "koi8-u",
    "cp874": "tis-620 windows-874",
}
_CODECS = {name: codec for codec, names in _NAMES_OF.items() for name in names.split()}
_CODECS |= {f"iso-8859-{n}": f"iso8859-{n}" for n in (*range(2, 11), 13, 14, 15, 16)}
_CODECS |= {f"windows-125{n}": f"cp125{n}" for n in (0, 1, 3, 4, 5, 6, 7, 8)}
# Not listed on purpose: UTF-16 and UTF-32. A declaration that can be read as ASCII is
# the proof that the document is in neither.
_ASCII = bytes(range(0x80))
_FEW_LETTERS = 200_000


def declared_encoding(body: bytes) -> str:
    match = _DECLARED.match(body[:512])
    return match[1].decode("ascii").lower() if match else ""


def decoded(body: bytes, content_type: str = "") -> str:
    """Return the text of a document. Never fails."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    for start, codec in _WITHOUT_MARK:
        if body.startswith(start):
            return body.decode(codec, "replace")
    served = _CHARSET.search(content_type[:500])
    names = (declared_encoding(body), served[1].lower() if served else "", "utf-8")
    for name in names:
        known = "utf-8" if name in UTF8 else _CODECS.get(name)
        with suppress(UnicodeError):
            if known:
                return body.decode(known)
    return _with_strays(body)


def _with_strays(body: bytes) -> str:
    """Decode UTF-8 in which some bytes are Windows letters."""
    letters = len(body.translate(None, _ASCII))
    if letters < _FEW_LETTERS:
        return body.decode("utf-8", _STRAYS)
    text = body.decode("utf-8", "replace")
    if text.count("\ufffd") * 100 < letters:
        return text
    return body.decode("cp1252", "replace")


def _read_stray(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    stray = error.object[error.start : error.start + 1]
    return stray.decode("cp1252", "replace"), error.start + 1


_STRAYS = "feedloom-windows-strays"
codecs.register_error(_STRAYS, _read_stray)
