"""Atom 1.0 and 0.3, and RSS 1.0 (RDF), as publishers write them."""

from tests.corpus.feeds.pieces import AT, atom, atom03, cases, declared, entry

DIV = '<div xmlns="http://www.w3.org/1999/xhtml">'

ATOM = cases(
    "atom",
    (
        "plain",
        "the smallest useful document",
        atom(entry()),
        {
            "title": "A title",
            "guid": "tag:example.org,2025:1",
            "count": 1,
            "url": "https://example.org/1",
            "updated_at": AT,
            "published_at": None,
            "feed.title": "The feed",
            "feed.site_url": "https://example.org/",
            "feed.format": "atom",
            "feed.fast": True,
        },
    ),
    ("no-entries", "a feed nobody has written in yet", atom(), {"count": 0}),
    (
        "html-content",
        "escaped HTML",
        atom(entry('<content type="html">&lt;p&gt;One &amp;amp; two&lt;/p&gt;</content>')),
        {"content_html": "<p>One &amp; two</p>"},
    ),
    (
        "html-cdata",
        "HTML in CDATA",
        atom(entry('<content type="html"><![CDATA[<p>One</p>]]></content>')),
        {"content_html": "<p>One</p>"},
    ),
    (
        "xhtml-content",
        "XHTML in a div",
        atom(entry(f'<content type="xhtml">{DIV}<p>One<br/>two</p></div></content>')),
        {"content_html": "<p>One<br/>two</p>"},
    ),
    (
        "xhtml-prefixed",
        "XHTML under a prefix",
        atom(
            entry('<content type="xhtml"><h:div><h:p>One</h:p><h:i/></h:div></content>'),
            spaces=' xmlns:h="http://www.w3.org/1999/xhtml"',
        ),
        {"content_html": "<p>One</p><i></i>"},
    ),
    (
        "xhtml-empty-anchor",
        "an empty element must not swallow the rest",
        atom(entry(f'<content type="xhtml">{DIV}<a name="x"/>text</div></content>')),
        {"content_html": '<a name="x"></a>text'},
    ),
    (
        "text-content",
        "plain text becomes paragraphs",
        atom(entry("<content>One &lt; two\n\nthree\nfour</content>")),
        {"content_html": "<p>One &lt; two</p><p>three<br>four</p>"},
    ),
    (
        "text-that-is-html",
        "HTML that calls itself text",
        atom(entry("<content>&lt;p&gt;One&lt;/p&gt;</content>")),
        {"content_html": "<p>One</p>"},
    ),
    (
        "mime-type",
        "a type written as media type",
        atom(entry('<content type="text/html">&lt;b&gt;x&lt;/b&gt;</content>')),
        {"content_html": "<b>x</b>"},
    ),
    (
        "summary",
        "a summary beside the content",
        atom(entry('<summary>Short</summary><content type="html">Long</content>')),
        {"content_html": "Long", "summary_html": "<p>Short</p>"},
    ),
    (
        "only-summary",
        "a summary alone",
        atom(entry('<summary type="html">&lt;i&gt;Short&lt;/i&gt;</summary>')),
        {"content_html": "<i>Short</i>", "summary_html": ""},
    ),
    (
        "title-html",
        "markup in an HTML title",
        atom(entry('<title type="html">&lt;b&gt;Fish&lt;/b&gt; &amp;amp; Chips</title>', title="")),
        {"title": "Fish & Chips"},
    ),
    (
        "title-xhtml",
        "markup in an XHTML title",
        atom(entry(f'<title type="xhtml">{DIV}Fish <b>&amp;</b> Chips</div></title>', title="")),
        {"title": "Fish & Chips"},
    ),
    (
        "title-text",
        "a text title may show angle brackets",
        atom(entry("<title>Use &lt;b&gt; sparingly</title>", title="")),
        {"title": "Use <b> sparingly"},
    ),
    (
        "title-text-entity",
        "entities in a text title are decoded, as people expect",
        atom(entry("<title>Fish &amp;amp; Chips</title>", title="")),
        {"title": "Fish & Chips"},
    ),
    ("no-title", "an entry without a title", atom(entry(title="")), {"title": ""}),
    ("no-id", "the link is the identity", atom(entry(id="")), {"guid": "https://example.org/1"}),
    (
        "no-link",
        "an id that is an address is not a link",
        atom(entry('<link rel="self" href="https://example.org/x.atom"/>')),
        {"url": None},
    ),
    (
        "published",
        "published and updated",
        atom(entry("<published>2025-06-01T00:00:00+02:00</published>")),
        {"updated_at": AT},
    ),
    (
        "alternate-types",
        "several alternates, one of them a page",
        atom(
            entry(
                '<link rel="alternate" type="application/json" href="/1.json"/>'
                '<link rel="alternate" type="text/html" href="/1.html"/>'
            )
        ),
        {"url": "https://example.org/1.html"},
    ),
    (
        "alternate-not-html",
        "the only alternate is no page",
        atom(entry('<link rel="alternate" type="application/pdf" href="/1.pdf"/>')),
        {"url": "https://example.org/1.pdf"},
        {"url": "feedparser takes the id"},
    ),
    (
        "rel-capitals",
        "a relation in capital letters",
        atom(entry('<link rel="Alternate" href="/1"/>')),
        {"url": "https://example.org/1"},
    ),
    (
        "enclosure",
        "an enclosure among the links",
        atom(
            entry(
                '<link href="/1"/><link rel="enclosure" href="/a.mp3"'
                ' type="audio/mpeg" length="5"/>'
            )
        ),
        {"enclosures": (("https://example.org/a.mp3", "audio/mpeg", 5),)},
    ),
    (
        "replies",
        "the page with replies",
        atom(entry('<link href="/1"/><link rel="replies" type="text/html" href="/1#r"/>')),
        {"comments_url": "https://example.org/1#r"},
    ),
    (
        "other-relations",
        "links that are not the entry",
        atom(
            entry(
                '<link rel="edit" href="/e"/><link rel="self" href="/s"/>'
                '<link rel="via" href="/v"/><link rel="related" href="/r"/>'
                '<link href="/1"/>'
            )
        ),
        {"url": "https://example.org/1"},
    ),
    (
        "author",
        "the author of an entry",
        atom(entry("<author><name>Ann</name><email>a@example.org</email></author>")),
        {"author": "Ann"},
    ),
    (
        "authors",
        "two authors",
        atom(entry("<author><name>Ann</name></author><author><name>Bob</name></author>")),
        {"author": "Ann, Bob"},
    ),
    (
        "author-mail",
        "an author known by mail only",
        atom(entry("<author><email>a@example.org</email></author>")),
        {"author": "a@example.org"},
    ),
    (
        "feed-author",
        "entries inherit the author of the feed",
        atom(entry(), head="<author><name>Ann</name></author>"),
        {"author": "Ann"},
        {"author": "feedparser leaves inheriting to its user"},
    ),
    (
        "contributor",
        "a contributor is not the author",
        atom(entry("<contributor><name>Cy</name></contributor>")),
        {"author": None},
    ),
    (
        "categories",
        "terms and labels",
        atom(entry('<category term="news"/><category term="x1" label="Bees"/>')),
        {"categories": ("news", "Bees")},
    ),
    (
        "xml-lang",
        "the language of feed and entry",
        atom(entry().replace("<entry>", '<entry xml:lang="fr">')).replace(
            "<feed ", '<feed xml:lang="en-GB" '
        ),
        {"language": "fr", "feed.language": "en-GB"},
    ),
    (
        "xml-base",
        "xml:base on the feed",
        atom(
            entry('<link href="p/1"/><content type="html">&lt;img src="i.png"&gt;</content>')
        ).replace("<feed ", '<feed xml:base="https://b.example/d/" '),
        {"url": "https://b.example/d/p/1", "content_html": '<img src="https://b.example/d/i.png">'},
    ),
    (
        "xml-base-entry",
        "xml:base on an entry, relative to that of the feed",
        atom(entry('<link href="1"/>').replace("<entry>", '<entry xml:base="sub/">')).replace(
            "<feed ", '<feed xml:base="https://b.example/d/" '
        ),
        {"url": "https://b.example/d/sub/1"},
    ),
    (
        "xml-base-content",
        "xml:base on the content alone",
        atom(
            entry(
                '<content type="html" xml:base="https://c.example/">&lt;a href="q"&gt;'
                "q&lt;/a&gt;</content>"
            )
        ),
        {"content_html": '<a href="https://c.example/q">q</a>'},
    ),
    (
        "icon-and-logo",
        "two pictures",
        atom(entry(), head="<logo>/logo.png</logo><icon>/icon.png</icon>"),
        {"feed.icon_url": "https://example.org/icon.png"},
    ),
    (
        "logo",
        "a logo alone",
        atom(entry(), head="<logo>/logo.png</logo>"),
        {"feed.icon_url": "https://example.org/logo.png"},
    ),
    (
        "self-and-hub",
        "where the feed is and who announces it",
        atom(
            entry(),
            head='<link rel="self" href="https://example.org/feed.xml"/>'
            '<link rel="hub" href="https://hub.example/"/>',
        ),
        {"feed.self_url": "https://example.org/feed.xml", "feed.hub_url": "https://hub.example/"},
    ),
    (
        "subtitle",
        "a subtitle",
        atom(entry(), head="<subtitle>All about</subtitle>"),
        {"feed.description": "All about"},
    ),
    (
        "prefixed",
        "Atom under a prefix",
        atom(entry())
        .replace("xmlns=", "xmlns:a=")
        .replace("<", "<a:")
        .replace("<a:/", "</a:")
        .replace("<a:?", "<?"),
        {"title": "A title", "count": 1},
    ),
    (
        "source",
        "where an entry was taken from",
        atom(
            entry(
                "<source><title>Other</title><id>o</id>"
                '<link href="https://other.example/"/></source>'
                '<link href="https://example.org/1"/>'
            )
        ),
        {"title": "A title", "url": "https://example.org/1"},
    ),
    (
        "youtube",
        "a video with a media group",
        atom(
            entry(
                "<media:group><media:title>Film</media:title><media:content"
                ' url="https://v.example/1" type="application/x-shockwave-flash"/>'
                '<media:thumbnail url="https://i.example/1.jpg"/><media:description>'
                "About the film</media:description></media:group>"
            ),
            spaces=declared("media"),
        ),
        {
            "title": "A title",
            "thumbnail_url": "https://i.example/1.jpg",
            "content_html": "<p>About the film</p>",
        },
    ),
    (
        "update-period",
        "a syndication wish in Atom",
        atom(entry(), head="<sy:updatePeriod>weekly</sy:updatePeriod>", spaces=declared("sy")),
        {"feed.asked.ttl_s": 604800},
    ),
    (
        "generator",
        "noise",
        atom(
            entry("<rights>x</rights><app:edited xmlns:app='u'>2025</app:edited>"),
            head="<generator uri='x'>y</generator>",
        ),
    ),
    (
        "creator",
        "Dublin Core in Atom",
        atom(entry("<dc:creator>Ann</dc:creator>"), spaces=declared("dc")),
        {"author": "Ann"},
    ),
    (
        "content-src",
        "content that is elsewhere",
        atom(entry('<content type="text/html" src="/full"/><summary>Short</summary>')),
        {"content_html": "<p>Short</p>"},
    ),
    (
        "blogger",
        "what Blogger writes",
        atom(
            entry(
                "<published>2025-06-30T10:00:00.001-07:00</published>"
                "<content type='html'>&lt;div&gt;x&lt;/div&gt;</content>"
                "<link rel='replies' type='application/atom+xml' href='/c.xml'/>"
                "<link rel='alternate' type='text/html' href='/1' title='A title'/>"
                "<author><name>Ann</name><uri>u</uri><email>noreply@b.example</email>"
                "</author><thr:total xmlns:thr='http://purl.org/syndication/thread/1.0'>"
                "0</thr:total>"
            )
        ),
        {"author": "Ann", "content_html": "<div>x</div>"},
    ),
)

ODD_ATOM = cases(
    "atom",
    (
        "base64",
        "content in base64",
        atom(entry('<content type="text/html" mode="base64">PGI+eDwvYj4=</content>')),
    ),
    (
        "image-content",
        "a picture for content",
        atom(entry('<content type="image/png">iVBORw0KGgo=</content>')),
    ),
    (
        "two-alternates",
        "two pages claim to be the entry",
        atom(entry('<link href="/1"/><link href="/2"/>')),
    ),
    ("two-titles", "two titles", atom(entry("<title>B</title>"))),
    (
        "no-namespace",
        "Atom without its namespace",
        atom(entry()).replace(' xmlns="http://www.w3.org/2005/Atom"', ""),
        {"title": "A title", "count": 1},
    ),
    (
        "single-entry",
        "a document that is one entry",
        atom(entry()).partition("<entry>")[0].replace("<feed", "<entry").partition(">")[0]
        + "?><entry xmlns='http://www.w3.org/2005/Atom'>"
        + entry().removeprefix("<entry>"),
        {"count": 1, "title": "A title"},
    ),
    (
        "wrong-namespace-case",
        "the namespace in another case",
        atom(entry()).replace("2005/Atom", "2005/atom"),
        {"title": "A title"},
    ),
    (
        "https-namespace",
        "the namespace with https",
        atom(entry()).replace("http://www.w3.org/2005", "https://www.w3.org/2005"),
        {"title": "A title"},
    ),
    (
        "content-encoded",
        "RSS's full text in Atom",
        atom(
            entry("<content:encoded>&lt;p&gt;x&lt;/p&gt;</content:encoded>"),
            spaces=declared("content"),
        ),
    ),
    (
        "markup-in-html",
        "unescaped markup in HTML content",
        atom(entry('<content type="html"><p>One</p></content>')),
        {"content_html": "<p>One</p>"},
    ),
    ("nested-entry", "an entry inside an entry", atom(entry(entry(id="inner")))),
    (
        "link-without-href",
        "a link with its address as text",
        atom(entry("<link>https://example.org/t</link>")),
        {"url": "https://example.org/t"},
    ),
    ordinary=False,
)

ATOM03 = cases(
    "atom03",
    (
        "plain",
        "Atom 0.3",
        atom03(
            "<entry><title>A title</title><id>i1</id><link rel='alternate'"
            " type='text/html' href='https://example.org/1'/>"
            "<issued>2025-07-01T10:00:00Z</issued>"
            "<modified>2025-07-02T10:00:00Z</modified>"
            "<content type='text/html' mode='escaped'>&lt;p&gt;x&lt;/p&gt;</content>"
            "</entry>"
        ),
        {
            "title": "A title",
            "guid": "i1",
            "published_at": AT,
            "content_html": "<p>x</p>",
            "feed.format": "atom",
        },
    ),
    (
        "tagline",
        "the subtitle's old name",
        atom03(head="<tagline>All about</tagline>"),
        {"feed.description": "All about"},
    ),
    (
        "xml-mode",
        "inline XHTML",
        atom03(
            "<entry><title>T</title><id>i1</id><link rel='alternate' type='text/html'"
            " href='/1'/><content type='application/xhtml+xml' mode='xml'>"
            f"{DIV}<p>x</p></div></content></entry>"
        ),
        {"content_html": "<p>x</p>"},
    ),
    (
        "created",
        "only a date of creation",
        atom03(
            "<entry><title>T</title><id>i1</id><link href='/1'/>"
            "<created>2025-07-01T10:00:00Z</created></entry>"
        ),
        {"published_at": AT},
    ),
    (
        "escaped-title",
        "an escaped title",
        atom03(
            "<entry><title type='text/html' mode='escaped'>&lt;b&gt;T&lt;/b&gt;</title>"
            "<id>i1</id><link href='/1'/></entry>"
        ),
        {"title": "T"},
    ),
)
