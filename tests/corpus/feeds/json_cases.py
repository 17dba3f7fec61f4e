"""JSON Feed 1.0 and 1.1, and JSON that only looks like it."""

import json
from typing import Any

from tests.corpus.feeds.pieces import AT, Case

ITEM: dict[str, Any] = {
    "id": "1",
    "url": "https://example.org/1",
    "title": "A title",
    "content_html": "<p>Words</p>",
    "date_published": "2025-07-01T10:00:00Z",
}


def feed(*items: object, **more: object) -> dict[str, object]:
    """Make a JSON Feed."""
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "The feed",
        "home_page_url": "https://example.org/",
        "items": list(items),
        **more,
    }


def _case(name: str, shows: str, document: object, **expects: object) -> Case:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    fields = {key.replace("feed_", "feed.", 1): value for key, value in expects.items()}
    return Case(f"json-{name}", shows, data, fields)


def _odd(name: str, shows: str, document: object, **expects: object) -> Case:
    case = _case(name, shows, document, **expects)
    return Case(case.name, case.shows, case.body, case.expects, ordinary=False)


def _bad(name: str, shows: str, body: bytes, error: str) -> Case:
    return Case(f"json-{name}", shows, body, ordinary=False, error=error)


GOOD = [
    _case(
        "plain",
        "the smallest useful document",
        feed(ITEM),
        title="A title",
        guid="1",
        url="https://example.org/1",
        content_html="<p>Words</p>",
        published_at=AT,
        count=1,
        feed_title="The feed",
        feed_format="json",
        feed_site_url="https://example.org/",
    ),
    _case("no-items", "a feed nobody has written in yet", feed(), count=0),
    _case(
        "version-1", "version 1.0", feed(ITEM, version="https://jsonfeed.org/version/1"), count=1
    ),
    _case(
        "text",
        "plain text content",
        feed({"id": "1", "content_text": "One < two\n\nthree"}),
        content_html="<p>One &lt; two</p><p>three</p>",
    ),
    _case(
        "both", "text and HTML", feed(ITEM | {"content_text": "Other"}), content_html="<p>Words</p>"
    ),
    _case(
        "summary",
        "a summary is text",
        feed(ITEM | {"summary": "A & B"}),
        summary_html="<p>A &amp; B</p>",
    ),
    _case(
        "authors",
        "authors of version 1.1",
        feed(ITEM | {"authors": [{"name": "Ann"}, {"name": "Bob"}]}),
        author="Ann, Bob",
    ),
    _case(
        "author",
        "the author of version 1.0",
        feed(ITEM | {"author": {"name": "Ann"}}),
        author="Ann",
    ),
    _case(
        "feed-authors",
        "authors of the whole feed",
        feed(ITEM, authors=[{"name": "Ann"}]),
        author="Ann",
    ),
    _case(
        "tags", "tags", feed(ITEM | {"tags": ["News", "Bees", "news"]}), categories=("News", "Bees")
    ),
    _case(
        "attachment",
        "an attachment",
        feed(
            ITEM
            | {"attachments": [{"url": "/a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 7}]}
        ),
        enclosures=(("https://example.org/a.mp3", "audio/mpeg", 7),),
    ),
    _case(
        "attachment-duration",
        "how long a file plays",
        feed(
            ITEM
            | {
                "attachments": [
                    {"url": "/a.mp3", "mime_type": "audio/mpeg", "duration_in_seconds": 61}
                ]
            }
        ),
        durations=(61,),
    ),
    _case(
        "image",
        "a picture",
        feed(ITEM | {"image": "/p.jpg"}),
        thumbnail_url="https://example.org/p.jpg",
    ),
    _case(
        "banner",
        "a banner",
        feed(ITEM | {"banner_image": "/b.jpg"}),
        thumbnail_url="https://example.org/b.jpg",
    ),
    _case(
        "modified",
        "changed later",
        feed(ITEM | {"date_modified": "2025-07-01T12:00:00+02:00"}),
        updated_at=AT,
    ),
    _case(
        "external",
        "a link to elsewhere stands in for the address",
        feed({"id": "1", "external_url": "https://other.example/x"}),
        url="https://other.example/x",
    ),
    _case(
        "external-beside",
        "the own address is better",
        feed(ITEM | {"external_url": "https://other.example/x"}),
        url="https://example.org/1",
    ),
    _case(
        "language",
        "languages",
        feed(ITEM | {"language": "fr"}, language="en-GB"),
        language="fr",
        feed_language="en-GB",
    ),
    _case(
        "icons",
        "two pictures",
        feed(ITEM, icon="/icon.png", favicon="/favicon.ico"),
        feed_icon_url="https://example.org/icon.png",
    ),
    _case(
        "favicon",
        "a small picture alone",
        feed(ITEM, favicon="/favicon.ico"),
        feed_icon_url="https://example.org/favicon.ico",
    ),
    _case(
        "hub",
        "who announces it",
        feed(
            ITEM,
            hubs=[{"type": "WebSub", "url": "https://hub.example/"}],
            feed_url="https://example.org/feed.json",
        ),
        feed_hub_url="https://hub.example/",
        feed_self_url="https://example.org/feed.json",
    ),
    _case(
        "description",
        "what it is about",
        feed(ITEM, description="All about"),
        feed_description="All about",
    ),
    _case("extension", "extensions are ignored", feed(ITEM | {"_x": {"y": [1]}}, _z={}), count=1),
    _case("bom", "a byte order mark", b"\xef\xbb\xbf" + json.dumps(feed(ITEM)).encode(), count=1),
    _case(
        "relative",
        "an address relative to the feed",
        feed(ITEM | {"url": "/r"}),
        url="https://example.org/r",
    ),
    _case(
        "title-markup",
        "a title is text, also with angle brackets",
        feed(ITEM | {"title": "Use <b> & co"}),
        title="Use <b> & co",
    ),
]
ODD = [
    _odd("number-id", "a number for an id", feed(ITEM | {"id": 17}), guid="17"),
    _odd("float-id", "a fraction for an id", feed(ITEM | {"id": 17.0}), guid="17"),
    _odd(
        "huge-id",
        "a number no machine has room for",
        json.dumps(feed(ITEM)).replace('"1"', "1" + "0" * 400).encode(),
        guid="https://example.org/1",
    ),
    _odd("null-id", "null for an id", feed(ITEM | {"id": None}), guid="https://example.org/1"),
    _odd("bool-id", "true for an id", feed(ITEM | {"id": True}), guid="https://example.org/1"),
    _odd(
        "nulls",
        "null everywhere",
        feed(dict.fromkeys(ITEM) | {"id": "1"}),
        guid="1",
        title="",
        url=None,
        content_html="",
        published_at=None,
    ),
    _odd(
        "wrong-types",
        "wrong types everywhere",
        feed(
            ITEM
            | {
                "title": 7,
                "tags": "x",
                "authors": "Ann",
                "author": ["Bob"],
                "attachments": {"url": "x"},
                "image": [],
                "summary": {},
            }
        ),
        title="7",
        categories=(),
        author=None,
        enclosures=(),
    ),
    _odd(
        "wrong-tags",
        "tags that are no text",
        feed(ITEM | {"tags": ["a", 1, None, ["b"]]}),
        categories=("a",),
    ),
    _odd("wrong-items", "items that are no objects", feed(ITEM, 7, None, "x", []), count=1),
    _odd(
        "nothing-to-hold",
        "an item without id, address and title",
        feed(ITEM, {"content_text": "lost"}),
        count=1,
        feed_skipped=1,
    ),
    _odd("same-id", "two items with one id", feed(ITEM, ITEM | {"title": "B"}), count=1),
    _odd(
        "repeated-keys",
        "a key written twice",
        json.dumps(feed(ITEM))
        .replace('"title": "A title"', '"title": "No", "title": "A title"')
        .encode(),
        title="A title",
    ),
    _odd(
        "surrogate",
        "a lone surrogate",
        json.dumps(feed(ITEM | {"title": "a\ud800b"})).encode(),
        title="ab",
    ),
    _odd(
        "controls",
        "NUL and raw line breaks in a string",
        json.dumps(feed(ITEM)).replace("A title", "A\\u0000 \n title").encode(),
        title="A title",
    ),
    _odd(
        "latin",
        "not UTF-8",
        json.dumps(feed(ITEM | {"title": "Café"}), ensure_ascii=False).encode("cp1252"),
        title="Café",
    ),
    _odd(
        "utf-16",
        "UTF-16",
        json.dumps(feed(ITEM | {"title": "Café"}), ensure_ascii=False).encode("utf-16"),
        title="Café",
    ),
    _odd("no-version", "a feed without its version", feed(ITEM, version=None), count=1),
    _odd(
        "script-address",
        "a script for an address",
        feed(ITEM | {"url": "javascript:alert(1)"}),
        url=None,
    ),
    _odd(
        "absurd-date",
        "a date in the year 10000",
        feed(ITEM | {"date_published": "10000-01-01"}),
        published_at=None,
    ),
    _odd("nan", "not a number", json.dumps(feed(ITEM | {"size": float("nan")})).encode(), count=1),
]
BAD = [
    _bad("cut", "cut off", json.dumps(feed(ITEM)).encode()[:-30], "damaged"),
    _bad("deep", "a hundred thousand lists", b"[" * 100_000, "damaged"),
    _bad("deep-closed", "closed again", b"[" * 100_000 + b"]" * 100_000, "damaged"),
    _bad(
        "items-object",
        "items that are an object",
        json.dumps(feed() | {"items": {}}).encode(),
        "json",
    ),
    _bad("items-missing", "no items", b'{"version": "https://jsonfeed.org/version/1"}', "json"),
    _bad("activity", "another format with items", b'{"items": [], "kind": "x"}', "json"),
    _bad("words", "braces around words", b"{this is not json}", "damaged"),
]
JSON = GOOD + ODD + BAD
