"""Kinds of documents: what the bytes are if not a feed, in words for people.

Bytes and the declared type go in; a ``Kind`` or None (may well be a feed) comes out.
"""

import re

from feedloom.model.errors import NotAFeed

_SENTENCES = {
    "empty": "The server sent an empty page.",
    "html": "This is a web page, not a feed.",
    "json": "This is JSON data, but not a JSON Feed.",
    "image": "This is an image, not a feed.",
    "pdf": "This is a PDF document, not a feed.",
    "opml": "This is a list of feeds (OPML). Import it instead of subscribing to it.",
    "sitemap": "This is a site map for search engines, not a feed.",
    "archive": "This is an archive file, not a feed.",
    "audio": "This is a sound or video file, not a feed.",
    "program": "This is a program file, not a feed.",
    "text": "This is plain text, not a feed.",
    "xml": "This is an XML document, but not a feed.",
    "unknown": "This is not a feed.",
}
_SIGNATURES = (
    (b"\\x89PNG", "image"),
    (b"\\xff\\xd8\\xff", "image"),
    (b"GIF8", "image"),
    (rb"RIFF....WEBP", "image"),
    (b"\\x00\\x00\\x01\\x00", "image"),
    (b"BM....\\x00\\x00", "image"),
    (b"%PDF-", "pdf"),
    (b"PK\\x03\\x04", "archive"),
    (b"\\x1f\\x8b", "archive"),
    (b"7z\\xbc\\xaf", "archive"),
    (b"Rar!", "archive"),
    (b"\\x28\\xb5\\x2f\\xfd", "archive"),
    (b"\\x7fELF", "program"),
    (b"MZ", "program"),
    (b"ID3", "audio"),
    (b"OggS", "audio"),
    (rb"....ftyp", "audio"),
)
_MAGIC = [(re.compile(pattern, re.DOTALL), kind) for pattern, kind in _SIGNATURES]
_ROOTS = (
    (re.compile(rb"<(?:!doctype\s+)?html\b", re.IGNORECASE), "html"),
    (re.compile(rb"<opml\b", re.IGNORECASE), "opml"),
    (re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)\b"), "sitemap"),
    (re.compile(rb"<(?:!doctype\s+)?svg\b", re.IGNORECASE), "image"),
)
_FEED = re.compile(rb"<(?:[\w-]{1,30}:)?(?:rss|feed|rdf|channel)\b", re.IGNORECASE)
_HTML_TAG = re.compile(
    rb"<(?:head|body|meta|script|title|div|p|table|center|h[1-6])\b", re.IGNORECASE
)
_HEAD = 4_096


def not_a_feed(kind: str) -> NotAFeed:
    return NotAFeed(_SENTENCES[kind], kind=kind)


def recognised(body: bytes) -> str | None:
    head = body[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n\x00")
    if not head:
        return "empty"
    if not head.startswith(b"<"):
        for signature, kind in _MAGIC:
            if signature.match(body):
                return kind
    feed = _FEED.search(head)
    before = len(head) if feed is None else feed.start()
    for root, kind in _ROOTS:
        if root.search(head, 0, before):
            return kind
    return None


def unreadable(body: bytes) -> str:
    head = body[:_HEAD]
    if kind := recognised(body):
        return kind
    if _FEED.search(head):
        return "unknown"
    if _HTML_TAG.search(head):
        return "html"
    if head.lstrip().startswith((b"<?xml", b"<")):
        return "xml"
    return "text" if b"\x00" not in head else "unknown"
