"""RSS 1.0, 0.9 and 1.1: the feeds that are RDF."""

from tests.corpus.feeds.pieces import AT, PROLOG, cases, declared, rdf, rdf_item

NETSCAPE = (
    f'{PROLOG}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>The feed</title>'
    "<link>https://example.org/</link></channel><item><title>A title</title>"
    "<link>https://example.org/1</link></item></rdf:RDF>"
)

RDF = cases(
    "rdf",
    (
        "plain",
        "RSS 1.0",
        rdf(rdf_item("<description>Some words.</description>")),
        {
            "title": "A title",
            "guid": "https://example.org/1",
            "count": 1,
            "url": "https://example.org/1",
            "feed.format": "rdf",
            "feed.title": "The feed",
            "content_html": "Some words.",
        },
    ),
    (
        "dc-date",
        "the date in Dublin Core",
        rdf(rdf_item("<dc:date>2025-07-01T10:00:00+00:00</dc:date>"), spaces=declared("dc")),
        {"published_at": AT},
    ),
    (
        "dc-creator",
        "the author in Dublin Core",
        rdf(rdf_item("<dc:creator>Ann</dc:creator>"), spaces=declared("dc")),
        {"author": "Ann"},
    ),
    (
        "dc-subject",
        "subjects in Dublin Core",
        rdf(
            rdf_item("<dc:subject>Bees</dc:subject><dc:subject>Honey</dc:subject>"),
            spaces=declared("dc"),
        ),
        {"categories": ("Bees", "Honey")},
    ),
    (
        "about-differs",
        "rdf:about is the identity, not the link",
        rdf(rdf_item(about="urn:x:1")),
        {"guid": "urn:x:1"},
    ),
    (
        "encoded",
        "the full text",
        rdf(
            rdf_item("<content:encoded><![CDATA[<p>All</p>]]></content:encoded>"),
            spaces=declared("content"),
        ),
        {"content_html": "<p>All</p>"},
    ),
    (
        "dc-language",
        "the language in Dublin Core",
        rdf(rdf_item(), spaces=declared("dc")).replace(
            "<items>", "<dc:language>ja</dc:language><items>"
        ),
        {"feed.language": "ja"},
    ),
    ("two-items", "two items", rdf(rdf_item() + rdf_item(about="urn:x:2")), {"count": 2}),
    (
        "version-090",
        "RSS 0.9",
        NETSCAPE,
        {"title": "A title", "guid": "https://example.org/1", "feed.format": "rdf"},
    ),
    (
        "channel-netscape",
        "RSS 0.9 under another address",
        NETSCAPE.replace("my.netscape", "channel.netscape"),
        {"title": "A title"},
    ),
    (
        "image",
        "a picture beside the channel is not an item",
        rdf(
            "<image rdf:about='x'><title>No</title><url>https://example.org/i.png</url>"
            "<link>https://other.example/</link></image>" + rdf_item()
        ),
        {"count": 1, "title": "A title", "feed.title": "The feed"},
    ),
    (
        "syndication",
        "a syndication wish",
        rdf(rdf_item(), spaces=declared("sy")).replace(
            "<items>", "<sy:updatePeriod>hourly</sy:updatePeriod><items>"
        ),
        {"feed.asked.ttl_s": 3600},
    ),
    (
        "prefixed",
        "RSS 1.0 under a prefix",
        (
            f'{PROLOG}<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
            ' xmlns:s="http://purl.org/rss/1.0/"><s:channel r:about="c"><s:title>The feed'
            "</s:title><s:link>https://example.org/</s:link></s:channel>"
            '<s:item r:about="i"><s:title>A title</s:title>'
            "<s:link>https://example.org/1</s:link></s:item></r:RDF>"
        ),
        {"title": "A title", "guid": "i", "feed.title": "The feed"},
    ),
)

ODD_RDF = cases(
    "rdf",
    (
        "version-11",
        "RSS 1.1, which wraps its items",
        (
            f'{PROLOG}<Channel xmlns="http://purl.org/net/rss1.1#"'
            ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="c">'
            "<title>The feed</title><link>https://example.org/</link><items"
            ' rdf:parseType="Collection"><item rdf:about="i"><title>A title</title>'
            "<link>https://example.org/1</link></item></items></Channel>"
        ),
        {"title": "A title", "feed.title": "The feed", "count": 1},
    ),
    (
        "no-channel",
        "items without a channel",
        rdf(rdf_item()).partition("<channel")[0] + rdf_item() + "</rdf:RDF>",
        {"count": 1},
    ),
    ordinary=False,
)
