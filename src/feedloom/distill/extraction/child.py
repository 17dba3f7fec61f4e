"""The child process that extracts articles: pages on standard input, articles on standard output.

Has no secrets in its environment, little memory and no reason to open anything. When
a page makes the library fail the process ends, and its parent starts another.
"""

import re
from typing import Any

import msgspec

from feedloom.processes import be_child

MEMORY = 1 << 30
_NICE = 10
_MAX_TEXT = 500_000
_MAX_HTML = 1_000_000
_MAX_FIELD = 2_000
_CHARSET = re.compile(r"[a-z0-9._-]{2,20}")
# Decoders that are no character sets of pages, or take quadratic time.
_REFUSED = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_7"})
_KEPT: dict[str, Any] = {
    "include_comments": False,
    "include_formatting": True,
    "include_links": True,
    "include_images": True,
}
_REPLACED = "\ufffd"
_TOO_MANY_REPLACED = 0.1


class Page(msgspec.Struct, frozen=True):
    url: str
    charset: str
    body: bytes
    selector: str = ""


def read_article(body: bytes, url: str, charset: str, selector: str = "") -> dict[str, str]:
    """Extract the article of a page; without one, what the page says of itself.

    What a selector finds is the article, however little it is.
    """
    from trafilatura import bare_extraction, extract, extract_metadata  # noqa: PLC0415 - slow to import

    page = _decoded(body, charset)
    chosen = _chosen(page, selector) if selector else None
    document = None
    if chosen is None:
        document = bare_extraction(
            page, url=url, with_metadata=True, output_format="python", **_KEPT
        )
    if document is None:
        about = extract_metadata(page, default_url=url)  # type: ignore[arg-type]  # or bytes
        return _fields(about) | (chosen or {})
    html = extract(page, url=url, output_format="html", **_KEPT)
    found = _fields(document)
    found["markdown"] = str(getattr(document, "text", "") or "")[:_MAX_TEXT]
    found["html"] = (html or "")[:_MAX_HTML]
    return found


def _chosen(page: bytes | str, selector: str) -> dict[str, str] | None:
    """Take what a selector finds, but nothing that stands within what was taken."""
    from feedloom.markup import selected  # noqa: PLC0415 - slow to import

    found = selected(page, selector) or []
    html = ""
    for node in found:
        text = node.html or ""
        if text not in html:
            html += text
    if not html:
        return None
    text = "\n\n".join(node.text(separator="\n", strip=True) for node in found)
    return {"markdown": text[:_MAX_TEXT] or " ", "html": html[:_MAX_HTML]}


def _fields(document: object) -> dict[str, str]:
    names = ("title", "description", "image", "author", "date", "language")
    return {name: str(getattr(document, name, None) or "")[:_MAX_FIELD] for name in names}


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


def answer(frame: bytes) -> bytes:
    page = msgspec.msgpack.decode(frame, type=Page)
    found = read_article(page.body, page.url, page.charset, page.selector)
    # Half a character would not go over the wire.
    return msgspec.msgpack.encode(
        {name: text.encode(errors="replace").decode() for name, text in found.items()}
    )


def main() -> None:
    be_child(answer, MEMORY, nice=_NICE)


if __name__ == "__main__":
    main()
