"""Documents that are nearly XML, nearly a feed, or neither."""
# ruff: noqa: RUF001 - dashes and foreign letters are meant

from tests.corpus.feeds.pieces import PROLOG, Case, atom, cases, declared, entry, item, rss

BODY = rss(item())

MENDED = cases(
    "damage",
    (
        "space-first",
        "white space before the declaration",
        "\n \n" + BODY,
        {"title": "A title", "feed.fast": True},
    ),
    (
        "bare-ampersand",
        "an ampersand nobody escaped",
        rss(item(title="Fish & Chips")),
        {"title": "Fish & Chips", "feed.fast": True},
    ),
    (
        "bare-ampersand-link",
        "an ampersand nobody escaped in a link",
        rss(item(link="https://example.org/?a=1&b=2&copy=3", guid="a")),
        {"url": "https://example.org/?a=1&b=2&copy=3"},
    ),
    (
        "html-entity",
        "an entity XML does not know",
        rss(item(title="Caf&eacute;&nbsp;&ndash; open")),
        {"title": "Café – open", "feed.fast": True},
    ),
    (
        "html-entity-beside-cdata",
        "references in CDATA stay as they are",
        rss(item(title="&eacute;", description="<![CDATA[&eacute; & <b>x</b>]]>")),
        {"title": "é", "content_html": "&eacute; & <b>x</b>"},
    ),
    (
        "unknown-entity",
        "an entity nobody knows",
        rss(item(title="a &bogus; b")),
        {"title": "a &bogus; b"},
    ),
    (
        "doctype",
        "a harmless document type",
        BODY.replace(
            "<rss",
            '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS'
            ' 0.91//EN" "http://example.org/rss-0.91.dtd">\n<rss',
        ),
        {"title": "A title", "feed.fast": True},
    ),
    (
        "doctype-system",
        "a document type elsewhere",
        BODY.replace("<rss", '<!DOCTYPE rss SYSTEM "rss.dtd"><rss'),
        {"title": "A title"},
    ),
    (
        "doctype-subset",
        "a document type with a greater-than sign inside",
        rss(item(title="&who; &amp; co"))
        .replace("<rss", '<!DOCTYPE rss [<!ELEMENT rss (channel)><!ENTITY who "A > B">]><rss')
        .replace("A > B", "Ann"),
        {"title": "Ann & co"},
    ),
    (
        "doctype-latin-entities",
        "entities declared by reference to a file",
        rss(item(title="Caf&eacute;")).replace(
            "<rss",
            "<!DOCTYPE rss [<!ENTITY % HTMLlat1 PUBLIC"
            ' "-//W3C//ENTITIES Latin 1//EN" "http://example.org/lat1.ent">'
            "%HTMLlat1;]><rss",
        ),
        {"title": "Café"},
    ),
    (
        "doctype-lower",
        "a document type in small letters",
        BODY.replace("<rss", "<!doctype rss><rss"),
        {"title": "A title"},
    ),
    (
        "junk-before",
        "a warning of the server in front",
        "<br />\n<b>Warning</b>: something in <b>x.php</b> on line 3<br />\n" + BODY,
        {"title": "A title"},
    ),
    (
        "junk-after",
        "a comment of the host behind",
        BODY + "\n<script>var a = 1 && 2;</script>",
        {"title": "A title"},
    ),
    (
        "cut",
        "a document cut off in the middle of an item",
        rss(item() + item(guid="2", title="Second"))[:-80],
        {"count": 1, "title": "A title", "feed.truncated": True},
        {"count": "feedparser keeps the half entry, with half a GUID"},
    ),
    (
        "cut-atom",
        "an Atom document cut off",
        atom(entry() + entry(id="x2"))[:-60],
        {"count": 1, "feed.truncated": True},
        {"count": "feedparser keeps the half entry, with half a GUID"},
    ),
    (
        "undeclared-prefix",
        "prefixes nobody declared",
        rss(item('<media:thumbnail url="/t.jpg"/><dc:creator>Ann</dc:creator>')),
        {"author": "Ann", "thumbnail_url": "https://example.org/t.jpg"},
    ),
    (
        "repeated-attribute",
        "an attribute written twice",
        rss(item('<enclosure url="/a.mp3" url="/b.mp3" type="audio/mpeg"/>')),
        {"enclosures": (("https://example.org/a.mp3", "audio/mpeg", None),)},
        {"enclosures": "feedparser takes the last, libxml2 the first"},
    ),
    ("xml-11", "XML 1.1", BODY.replace('version="1.0"', 'version="1.1"'), {"title": "A title"}),
    (
        "stylesheet",
        "a style sheet for browsers",
        BODY.replace(PROLOG, PROLOG + '<?xml-stylesheet href="x.xsl"?>\n'),
        {"title": "A title", "feed.fast": True},
    ),
    (
        "control-in-text",
        "a form feed in the text",
        rss(item(title="One\x0ctwo")),
        {"title": "Onetwo"},
    ),
    ordinary=False,
)

GUESSED = cases(
    "damage",
    (
        "unclosed-title",
        "a title nobody closed",
        rss(item()).replace("A title</title>", "A title"),
        {"feed.fast": False},
    ),
    (
        "open-paragraph",
        "unescaped HTML that is no XML",
        rss(item(description="<p>One<br>two<p>three")),
        {"title": "A title", "feed.fast": False},
    ),
    (
        "crossed-tags",
        "tags that cross",
        rss(item(description="<b><i>x</b></i>")),
        {"title": "A title"},
    ),
    (
        "attribute-without-quotes",
        "an attribute without quotes",
        BODY.replace('version="2.0"', "version=2.0"),
        {"title": "A title"},
    ),
    (
        "less-than",
        "a less-than sign nobody escaped",
        rss(item(title="1 < 2")),
        {"feed.fast": False},
    ),
    ("two-roots", "two documents in one", BODY + BODY.removeprefix(PROLOG)),
    ordinary=False,
)


def _other(name: str, shows: str, body: bytes, error: str) -> Case:
    return Case(f"other-{name}", shows, body, ordinary=False, error=error)


HTML = b"<!doctype html><html><head><title>x</title></head><body><p>y</body></html>"
OTHER = [
    _other("empty", "nothing", b"", "empty"),
    _other("blank", "white space", b" \r\n\t ", "empty"),
    _other("html", "a web page", HTML, "html"),
    _other("html-bare", "a page without a document type", b"<HTML><body>x", "html"),
    _other("html-fragment", "a piece of a page", b"<div><p>x</p></div>", "html"),
    _other("html-with-comment", "a page behind a comment", b"<!-- x -->" + HTML, "html"),
    _other(
        "html-login",
        "a page for signing in",
        HTML.replace(b"<p>y", b"<form><input name=q></form>"),
        "html",
    ),
    _other(
        "xhtml",
        "a page in XML",
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
        "html",
    ),
    _other("json", "JSON that is no feed", b'{"a": [1, 2]}', "json"),
    _other("json-list", "a list in JSON", b"[1, 2]", "json"),
    _other("png", "a picture", b"\x89PNG\r\n\x1a\n" + bytes(64), "image"),
    _other("gif", "a small picture", b"GIF89a" + bytes(64), "image"),
    _other("jpeg", "a photograph", b"\xff\xd8\xff\xe0" + bytes(64), "image"),
    _other("svg", "a drawing", b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image"),
    _other("pdf", "a document to print", b"%PDF-1.7\n" + bytes(64), "pdf"),
    _other("zip", "an archive", b"PK\x03\x04" + bytes(64), "archive"),
    _other("gzip", "compressed data", b"\x1f\x8b\x08" + bytes(64), "archive"),
    _other("elf", "a program", b"\x7fELF" + bytes(64), "program"),
    _other("mp3", "a sound", b"ID3\x04" + bytes(64), "audio"),
    _other(
        "opml",
        "a list of feeds",
        b'<?xml version="1.0"?><opml version="2.0"><body/></opml>',
        "opml",
    ),
    _other(
        "sitemap",
        "a map of a site",
        b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/"/>',
        "sitemap",
    ),
    _other("xml", "another XML document", b'<?xml version="1.0"?><note/>', "xml"),
    _other("text", "plain text", b"Not here.", "text"),
    _other("path", "bytes that look like a path", b"/etc/passwd", "text"),
    _other("address", "bytes that look like an address", b"http://127.0.0.1:9/feed.xml", "text"),
    _other(
        "entities-nested",
        "entities that expand",
        rss(item(title="&b;"))
        .replace("<rss", '<!DOCTYPE rss [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><rss')
        .encode(),
        "damaged",
    ),
    _other(
        "entity-outside",
        "an entity that is a file",
        rss(item(title="&a;"))
        .replace("<rss", '<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss')
        .encode(),
        "damaged",
    ),
    _other(
        "entity-parameter",
        "a parameter entity with a value",
        rss(item())
        .replace("<rss", "<!DOCTYPE rss [<!ENTITY % a '<!ENTITY b \"x\">'>%a;]><rss")
        .encode(),
        "damaged",
    ),
]
UNDECLARED = [
    Case(
        "damage-type-html",
        "a feed served as a web page",
        BODY.encode(),
        {"title": "A title"},
        content_type="text/html; charset=utf-8",
    ),
    Case(
        "damage-type-plain",
        "a feed served as text",
        BODY.encode(),
        {"title": "A title"},
        content_type="text/plain",
    ),
    Case(
        "damage-type-image",
        "a feed served as a picture",
        BODY.encode(),
        {"title": "A title"},
        content_type="image/png",
    ),
    Case(
        "damage-xhtml-in-atom",
        "a feed about HTML is no page",
        atom(entry("<summary>&lt;!doctype html&gt;&lt;html&gt;</summary>")).encode(),
        {"title": "A title"},
    ),
    Case(
        "damage-media-declared",
        "declared but unused namespaces",
        rss(item(), spaces=declared("media", "itunes", "georss")).encode(),
        {"title": "A title"},
    ),
]
DAMAGE = MENDED + GUESSED + OTHER + UNDECLARED
