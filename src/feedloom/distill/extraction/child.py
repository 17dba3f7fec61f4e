"""Runs in a process of its own: pages on standard input, articles on standard output.

Has no secrets in its environment, little memory and no reason to open anything. When
a page makes the library fail the process ends, and its parent starts another.

Frames: the lengths of two parts (4 bytes each, big endian), then the parts: a JSON
header and the page. Answers: one length and one JSON document.
"""

import json
import logging
import os
import re
import struct
import sys
from typing import BinaryIO

MEMORY = 1 << 30
HEAD = struct.Struct(">II")
LENGTH = struct.Struct(">I")
_NICE = 10
_MAX_TEXT = 500_000
_MAX_HTML = 1_000_000
_MAX_FIELD = 2_000
_CHARSET = re.compile(r"[a-z0-9._-]{2,20}")
# Decoders that are no character sets of pages, or take quadratic time.
_REFUSED = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_7"}
)
_REPLACED = "\ufffd"
_TOO_MANY_REPLACED = 0.1


def read_article(body: bytes, url: str, charset: str) -> dict[str, str]:
    """Extract the article of a page; without one, what the page says of itself."""
    from trafilatura import (  # noqa: PLC0415 - slow to import
        bare_extraction,
        extract,
        extract_metadata,
    )

    page = _decoded(body, charset)
    document = bare_extraction(
        page,
        url=url,
        with_metadata=True,
        include_comments=False,
        include_formatting=True,
        include_links=True,
        include_images=True,
        output_format="python",
    )
    if document is None:
        about = extract_metadata(page, default_url=url)  # type: ignore[arg-type]  # or bytes
        return _fields(about)
    html = extract(
        page,
        url=url,
        output_format="html",
        include_comments=False,
        include_formatting=True,
        include_links=True,
        include_images=True,
    )
    found = _fields(document)
    found["markdown"] = str(getattr(document, "text", "") or "")[:_MAX_TEXT]
    found["html"] = (html or "")[:_MAX_HTML]
    return found


def _fields(document: object) -> dict[str, str]:
    names = ("title", "description", "image", "author", "date", "language")
    return {
        name: str(getattr(document, name, None) or "")[:_MAX_FIELD] for name in names
    }


def _decoded(body: bytes, charset: str) -> bytes | str:
    name = charset.lower().replace("-", "_")
    if not _CHARSET.fullmatch(name) or name in _REFUSED:
        return body
    try:
        text = body.decode(name, "replace")
    except LookupError:
        return body
    # A header that names the wrong set is common; then the page itself knows better.
    wrong = text.count(_REPLACED) > _TOO_MANY_REPLACED * len(text)
    return body if wrong or "<" not in text else text


def serve(pages: BinaryIO, articles: BinaryIO) -> None:
    """Read pages until there are no more."""
    while head := pages.read(HEAD.size):
        header_size, body_size = HEAD.unpack(head)
        header = json.loads(pages.read(header_size))
        body = pages.read(body_size)
        found = read_article(body, header["url"], header["charset"])
        answer = json.dumps(found).encode()
        articles.write(LENGTH.pack(len(answer)) + answer)
        articles.flush()


def _confine() -> None:
    logging.disable(logging.CRITICAL)
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on every platform

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        os.nice(_NICE)


if __name__ == "__main__":
    # Whatever a library prints must not end up between the frames.
    _answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _confine()
    serve(sys.stdin.buffer, _answers)
