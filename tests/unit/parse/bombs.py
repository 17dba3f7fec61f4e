"""Documents made to cost more than they are worth, each of at most ten megabytes.

Written by code, because nobody wants them in a repository.
"""

import json
from collections.abc import Callable

from tests.corpus.feeds.pieces import atom, entry, item, rss

MEGABYTE = 1_000_000
HEAD = "<rss><channel><title>x</title>"
TAIL = "</channel></rss>"
BASED = '<item xml:base="a/">'
REPEATED = ' a=""'


def _typed(subset: str, inside: str = "&a9;") -> bytes:
    body = rss(item(title=inside)).replace("<rss", f"<!DOCTYPE rss [{subset}]><rss")
    return body.encode()


def _laughs(depth: int) -> str:
    lines = ['<!ENTITY a0 "lol">']
    lines += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, depth + 1)]
    return "".join(lines)


def _attributes(count: int) -> str:
    return "".join(f' a{n}=""' for n in range(count))


def _json(items: str) -> bytes:
    version = '"version":"https://jsonfeed.org/version/1.1","title":"x"'
    return f'{{{version},"items":[{items}]}}'.encode()


def _opml(body: str) -> bytes:
    return f'<opml version="2.0"><body>{body}</body></opml>'.encode()


BOMBS: dict[str, Callable[[], str | bytes]] = {
    # Entities
    "billion-laughs": lambda: _typed(_laughs(9)),
    "billion-laughs-in-attribute": lambda: _typed(_laughs(9)).replace(
        b"<channel>", b'<channel x="&a9;">'
    ),
    "quadratic-entity": lambda: _typed(f'<!ENTITY a9 "{"x" * 100_000}">', "&a9;" * 50_000),
    "small-entity-often": lambda: _typed(f'<!ENTITY a9 "{"x" * 100}">', "&a9;" * 500_000),
    "entity-of-itself": lambda: _typed('<!ENTITY a9 "&a9;">'),
    "entity-file": lambda: _typed('<!ENTITY a9 SYSTEM "file:///etc/passwd">'),
    "entity-device": lambda: _typed('<!ENTITY a9 SYSTEM "file:///dev/zero">'),
    "entity-web": lambda: _typed('<!ENTITY a9 SYSTEM "http://127.0.0.1:9/">'),
    "entity-parameter": lambda: _typed('<!ENTITY % b SYSTEM "http://127.0.0.1:9/">%b;'),
    "entity-parameter-value": lambda: _typed("<!ENTITY % b \"<!ENTITY a9 'x'>\">%b;"),
    "many-entities": lambda: _typed("".join(f'<!ENTITY e{n} "x">' for n in range(300_000))),
    "outside-type": lambda: rss(item()).replace(
        "<rss", '<!DOCTYPE rss SYSTEM "http://127.0.0.1:9/x.dtd"><rss'
    ),
    "unfinished-type": lambda: b"<!DOCTYPE rss [" + b"<!--" * 1_000_000,
    "late-type": lambda: b"<!--" + b"x" * 5_000 + b"-->" + _typed(_laughs(9)),
    "inclusion": lambda: rss(
        item('<xi:include href="/etc/passwd" parse="text"/>'),
        spaces=' xmlns:xi="http://www.w3.org/2001/XInclude"',
    ),
    # Depth
    "deep": lambda: f"{HEAD}{'<a>' * 200_000}{'</a>' * 200_000}{TAIL}",
    "deep-open": lambda: HEAD + "<a>" * 1_000_000,
    "deep-items": lambda: HEAD + "<item>" * 200_000,
    "deep-broken": lambda: f"{HEAD}<item><title>a & b</x>{'<a>' * 300_000}",
    "deep-xhtml": lambda: atom(
        entry(f"<content type='xhtml'><div>{'<b>' * 240}{'</b>' * 240}</div></content>") * 500
    ),
    "deep-bases": lambda: f"{HEAD}{BASED * 240}{'</item>' * 240}{TAIL}",
    # Width
    "empty-items": lambda: f"{HEAD}{'<item/>' * 1_300_000}{TAIL}",
    "items": lambda: (
        HEAD + "".join(f"<item><guid>{n}</guid></item>" for n in range(200_000)) + TAIL
    ),
    "items-broken": lambda: (
        HEAD + "".join(f"<item><guid>{n}</guid><br></item>" for n in range(100_000))
    ),
    "entries": lambda: atom("".join(f"<entry><id>{n}</id></entry>" for n in range(200_000))),
    "attributes": lambda: f"{HEAD}<item{_attributes(800_000)}/>{TAIL}",
    "attributes-repeated": lambda: f"{HEAD}<item{REPEATED * 1_500_000}/>{TAIL}",
    "attributes-broken": lambda: f"{HEAD}<item{_attributes(60_000)}><title>a</x></item>{TAIL}",
    "attributes-everywhere": lambda: f"{HEAD}{f'<a{_attributes(90)}>' * 8_000}",
    "namespaces": lambda: rss(
        item(), spaces="".join(f' xmlns:n{n}="urn:{n}"' for n in range(200_000))
    ),
    "tag-names": lambda: HEAD + "".join(f"<t{n}/>" for n in range(900_000)) + TAIL,
    "tag-names-in-item": lambda: rss(item("".join(f"<t{n}/>" for n in range(300_000)))),
    "long-name": lambda: f"{HEAD}<{'a' * 9_000_000}/>{TAIL}",
    "categories": lambda: rss(item("<category>x</category>" * 400_000)),
    "enclosures": lambda: rss(item('<enclosure url="/x"/>' * 400_000)),
    "skip-hours": lambda: rss(channel=f"<skipHours>{'<hour>1</hour>' * 500_000}</skipHours>"),
    "authors": lambda: atom(entry("<author><name>x</name></author>" * 250_000)),
    # Length
    "long-title": lambda: rss(item(title="<b>x</b>".join(["y"] * 900_000))),
    "long-title-escaped": lambda: rss(item(title="&lt;b" * 1_700_000)),
    "long-guid": lambda: rss(item(guid="x" * 9 * MEGABYTE)),
    "long-link": lambda: rss(item(link="https://x.example/" + "a/" * 4_000_000)),
    "long-date": lambda: rss(item(pubDate="1" * 9 * MEGABYTE)),
    "long-author": lambda: rss(item(f"<author>{'(' * 9_000_000}</author>")),
    "long-author-mail": lambda: rss(item(f"<author>{'a@' * 4_000_000}</author>")),
    "long-language": lambda: rss(channel=f"<language>{'en-' * 3_000_000}</language>"),
    "long-attribute": lambda: f"{HEAD}<item a='{'x' * 9_900_000}'/>{TAIL}",
    "long-text": lambda: rss(item(description="x" * 9_900_000)),
    "too-long": lambda: rss(item(description="x" * 20_000_000)),
    "long-comment": lambda: b"<rss><!--" + b"-" * 9_000_000,
    "long-section": lambda: b"<rss><![CDATA[" + b"]]" * 4_500_000,
    "long-instruction": lambda: b"<?xml " + b"x" * 9_000_000,
    # Signs
    "less-than": lambda: b"<" * 9_900_000,
    "ampersands": lambda: rss(item(title="&" * 9_000_000)),
    "references": lambda: rss(item(title="&#65;" * 1_800_000)),
    "names": lambda: rss(item(title="&nbsp;" * 1_500_000)),
    "unknown-names": lambda: rss(item(title="&zz;" * 900_000)),
    "nul": lambda: bytes(9_900_000),
    "blanks": lambda: b" " * 9_900_000,
    "crossed": lambda: f"{HEAD}{'<a></b>' * 1_000_000}",
    "sections": lambda: rss(item(title="<![CDATA[x]]>" * 700_000)),
    "undeclared-prefixes": lambda: f"{HEAD}{'<media:x/>' * 380_000}{TAIL}",
    "open-tags": lambda: b"<rss " * 1_900_000,
    "open-quotes": lambda: b'<rss a="' * 1_200_000,
    # Encodings
    "stray-bytes": lambda: rss(item(title="@")).encode("utf-8").replace(b"@", b"\xe9" * 9_000_000),
    "stray-bytes-few": lambda: (
        rss(item(title="@")).encode("utf-8").replace(b"@", b"\xe9x" * 150_000)
    ),
    "utf-16": lambda: rss(item(title="x" * 4_000_000)).encode("utf-16"),
    "utf-32": lambda: rss(item(title="x" * 2_000_000)).encode("utf-32"),
    "odd-codec": lambda: rss(item(title="x-" * 3_000_000)).replace("UTF-8", "punycode"),
    "zip-codec": lambda: rss(item(title="x" * 3_000_000)).replace("UTF-8", "bz2"),
    # JSON
    "json-lists": lambda: b"[" * 5_000_000,
    "json-lists-closed": lambda: b"[" * 120_000 + b"]" * 120_000,
    "json-objects": lambda: b'{"a":' * 1_000_000,
    "json-wide": lambda: _json(",".join(["{}"] * 3_000_000)),
    "json-items": lambda: _json(",".join(f'{{"id":{n}}}' for n in range(100_000))),
    "json-number": lambda: _json('{"id":' + "9" * 9_000_000 + "}"),
    "json-keys": lambda: _json("{" + ",".join(['"id":1'] * 1_000_000) + "}"),
    "json-escapes": lambda: _json('{"id":"' + "\\u0041" * 1_500_000 + '"}'),
    "json-tags": lambda: _json(json.dumps({"id": "1", "tags": ["x" * 10] * 250_000})),
    # Other
    "html": lambda: b"<html><body>" + b"<div>" * 1_900_000,
    "program": lambda: b"\x7fELF" + rss(item() * 10_000).encode("utf-8"),
    "archive": lambda: b"PK\x03\x04" + bytes(9_000_000),
    "print": lambda: b"%PDF-1.7" + rss(item() * 10_000).encode("utf-8"),
    "words": lambda: b"lorem ipsum " * 800_000,
}

LIST_BOMBS: dict[str, Callable[[], str | bytes]] = {
    "laughs": lambda: _opml("<outline text='&a9;'/>").replace(
        b"<opml", f"<!DOCTYPE opml [{_laughs(9)}]><opml".encode()
    ),
    "file": lambda: _opml("<outline text='&a;'/>").replace(
        b"<opml", b'<!DOCTYPE opml [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml'
    ),
    "deep": lambda: _opml("<outline text='x'>" * 200_000),
    "deep-closed": lambda: _opml("<outline text='x'>" * 200_000 + "</outline>" * 200_000),
    "wide": lambda: _opml("<outline/>" * 900_000),
    "rows": lambda: _opml("<outline xmlUrl='http://x.example/'/>" * 120_000),
    "attributes": lambda: _opml(f"<outline{_attributes(500_000)}/>"),
    "long-name": lambda: _opml(f"<outline text='{'<b>' * 900_000}'/>"),
    "long-address": lambda: _opml(f"<outline xmlUrl='http://{'a' * 9_000_000}'/>"),
    "too-long": lambda: _opml("<outline/>" * 5_000_000),
}


def made(bombs: dict[str, Callable[[], str | bytes]], name: str) -> bytes:
    """Make a bomb."""
    body = bombs[name]()
    return body.encode() if isinstance(body, str) else body
