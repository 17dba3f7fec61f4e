"""RSS that leaves more than one reading, or goes beyond what anybody needs."""

from tests.corpus.feeds.pieces import AT, DATE, cases, declared, item, rss

ODD_RSS = cases(
    "rss",
    ("two-titles", "two different titles", rss(item("<title>Another</title>")), {}, {}),
    ("two-links", "two different links", rss(item("<link>https://example.org/2</link>"))),
    (
        "atom-content",
        "Atom's content inside an RSS item",
        rss(
            item("<atom:content type='html'>&lt;p&gt;x&lt;/p&gt;</atom:content>"),
            spaces=declared("atom"),
        ),
    ),
    (
        "markup-in-title",
        "unescaped markup in a title",
        rss(item(title="Some <b>bold</b> claim")),
        {"title": "Some bold claim"},
    ),
    (
        "markup-in-description",
        "unescaped markup in a description",
        rss(item(description="<p>One</p><p>Two<br/>three</p>")),
        {"content_html": "<p>One</p><p>Two<br/>three</p>"},
    ),
    (
        "xhtml-body",
        "an XHTML body inside an item",
        rss(
            item("<xhtml:body><xhtml:p>One</xhtml:p><xhtml:a/></xhtml:body>", description=""),
            spaces=declared("xhtml"),
        ),
        {"content_html": "<p>One</p><a></a>"},
    ),
    (
        "capitals",
        "elements in capital letters",
        rss(item()).replace("title>", "TITLE>").replace("pubDate>", "PUBDATE>"),
        {"title": "A title", "published_at": AT, "feed.title": "The feed"},
    ),
    (
        "items-outside",
        "items after the channel",
        rss().replace("</channel>", "</channel>" + item()),
        {"count": 1},
    ),
    (
        "two-channels",
        "two channels",
        rss(item()).replace("</rss>", "<channel><title>B</title></channel></rss>"),
    ),
    (
        "no-channel",
        "items right below the root",
        rss(item()).replace("<channel>", "").replace("</channel>", ""),
        {"count": 1},
    ),
    (
        "channel-root",
        "a channel without an rss element",
        rss(item()).replace('<rss version="2.0">', "").replace("</rss>", ""),
        {"count": 1},
    ),
    (
        "link-attribute",
        "a link in an attribute",
        rss(item('<link href="https://example.org/7"/>', link="", guid="7")),
        {"url": "https://example.org/7"},
    ),
    (
        "magnet-link",
        "a link that is not of the web",
        rss(item(link="magnet:?xt=urn:btih:abc", guid="m1")),
        {"url": None},
    ),
    (
        "script-link",
        "a script for a link",
        rss(item(link="javascript:alert(1)", guid="m2")),
        {"url": None},
    ),
    (
        "namespaced-rss",
        "RSS 2.0 in a namespace of its own",
        rss(item()).replace("<rss ", '<rss xmlns="http://backend.userland.com/rss2" '),
        {"title": "A title"},
    ),
    (
        "no-feed-title",
        "a channel without a title",
        rss(item()).replace("<title>The feed</title>", ""),
        {"feed.title": ""},
    ),
    ("nested-item", "an item inside an item", rss(item(item(guid="inner")))),
    ("description-twice", "two descriptions", rss(item("<description>Other words.</description>"))),
    (
        "guid-huge",
        "a GUID of a hundred kilobytes keeps its identity",
        rss(item(guid="x" * 100_000) + item(guid="x" * 99_999 + "y")),
        {"count": 2},
    ),
    (
        "many-categories",
        "a thousand categories",
        rss(item("".join(f"<category>c{n}</category>" for n in range(1000)))),
        {},
    ),
    (
        "many-enclosures",
        "a thousand enclosures",
        rss(item("".join(f'<enclosure url="/{n}"/>' for n in range(1000)))),
        {},
    ),
    (
        "author-element-children",
        "an Atom person inside RSS",
        rss(item("<author><name>Ann</name><email>a@example.org</email></author>")),
        {"author": "Ann"},
    ),
    (
        "empty-item",
        "an item with nothing in it",
        rss(item() + "<item/>"),
        {"count": 1, "feed.skipped": 1},
    ),
    (
        "date-in-title",
        "everything in one field",
        rss(f"<item><title>{DATE}</title></item>"),
        {"title": DATE, "guid": DATE},
    ),
    ("space-title", "a title of white space", rss(item(title="  \n ")), {"title": ""}),
    ordinary=False,
)
