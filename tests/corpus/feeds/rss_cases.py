"""RSS 0.9x and 2.0 as publishers write it."""
# ruff: noqa: RUF001 - dashes and foreign letters are meant

from tests.corpus.feeds.pieces import AT, cases, declared, item, rss

LONG = "word " * 400

RSS = cases(
    "rss",
    (
        "plain",
        "the smallest useful document",
        rss(item()),
        {
            "title": "A title",
            "url": "https://example.org/1",
            "count": 1,
            "guid": "https://example.org/1",
            "published_at": AT,
            "content_html": "Some words.",
            "summary_html": "",
            "feed.title": "The feed",
            "feed.site_url": "https://example.org/",
            "feed.description": "About",
            "feed.format": "rss",
            "feed.fast": True,
        },
    ),
    ("no-items", "a feed nobody has written in yet", rss(), {"count": 0}),
    (
        "version-091",
        "RSS 0.91",
        rss(item(guid="", pubDate=""), version="0.91"),
        {"guid": "https://example.org/1", "published_at": None},
    ),
    ("version-092", "RSS 0.92", rss(item(), version="0.92")),
    ("version-093", "RSS 0.93", rss(item(), version="0.93")),
    ("version-094", "RSS 0.94", rss(item(), version="0.94")),
    ("version-201", "a version number nobody defined", rss(item(), version="2.0.1")),
    ("no-version", "an rss element without attributes", rss(item()).replace(' version="2.0"', "")),
    (
        "escaped-body",
        "HTML as escaped text",
        rss(item(description="&lt;p&gt;Hello &lt;b&gt;you&lt;/b&gt;&lt;/p&gt;")),
        {"content_html": "<p>Hello <b>you</b></p>"},
    ),
    (
        "cdata-body",
        "HTML in a CDATA section",
        rss(item(description="<![CDATA[<p>Hello &amp; you</p>]]>")),
        {"content_html": "<p>Hello &amp; you</p>"},
    ),
    (
        "split-cdata",
        "text and CDATA side by side",
        rss(item(description="one <![CDATA[<b>two</b>]]> three")),
        {"content_html": "one <b>two</b> three"},
    ),
    (
        "cdata-end",
        "the end of a CDATA section written inside one",
        rss(item(description="<![CDATA[a ]]]]><![CDATA[> b]]>")),
        {"content_html": "a ]]> b"},
    ),
    (
        "full-text",
        "content:encoded beside a description",
        rss(
            item(
                "<content:encoded><![CDATA[<p>All of it</p>]]></content:encoded>",
                description="A part",
            ),
            spaces=declared("content"),
        ),
        {"content_html": "<p>All of it</p>", "summary_html": "A part"},
    ),
    (
        "only-full-text",
        "content:encoded alone",
        rss(
            item("<content:encoded>&lt;p&gt;All&lt;/p&gt;</content:encoded>", description=""),
            spaces=declared("content"),
        ),
        {"content_html": "<p>All</p>", "summary_html": ""},
    ),
    (
        "same-text-twice",
        "description and content:encoded say the same",
        rss(item("<content:encoded>Some words.</content:encoded>"), spaces=declared("content")),
        {"content_html": "Some words.", "summary_html": ""},
    ),
    (
        "empty-full-text",
        "an empty content:encoded does not hide the description",
        rss(item("<content:encoded/>"), spaces=declared("content")),
        {"content_html": "Some words."},
    ),
    (
        "no-description",
        "an item that is only a link",
        rss(item(description="")),
        {"content_html": "", "summary_html": ""},
    ),
    (
        "no-title",
        "an item without a title",
        rss(item(title="")),
        {"title": "", "guid": "https://example.org/1"},
    ),
    ("no-guid", "the link is the identity", rss(item(guid="")), {"guid": "https://example.org/1"}),
    (
        "title-is-guid",
        "the title is the identity when there is nothing else",
        rss(item(guid="", link="")),
        {"guid": "A title", "url": None},
    ),
    (
        "guid-is-link",
        "a permalink GUID stands in for the link",
        rss(item(link="", guid="https://example.org/permalink")),
        {"url": "https://example.org/permalink"},
    ),
    (
        "guid-not-link",
        "a GUID that says it is no permalink",
        rss(item('<guid isPermaLink="false">abc-1</guid>', link="", guid="")),
        {"guid": "abc-1", "url": None},
    ),
    (
        "guid-false-with-link",
        "an opaque GUID beside a link",
        rss(item('<guid isPermaLink="false">abc-1</guid>', guid="")),
        {"guid": "abc-1", "url": "https://example.org/1"},
    ),
    (
        "guid-padded",
        "white space around a GUID",
        rss(item(guid="\n   https://example.org/1\n  ")),
        {"guid": "https://example.org/1"},
    ),
    (
        "guid-with-tracking",
        "tracking parameters stay in the GUID",
        rss(item(guid="", link="https://example.org/1?utm_source=rss&amp;id=4")),
        {"guid": "https://example.org/1?utm_source=rss&id=4"},
    ),
    (
        "same-guid-twice",
        "the first of two entries with one GUID wins",
        rss(item(title="First") + item(title="Second")),
        {"count": 1, "title": "First"},
    ),
    (
        "nothing-to-hold",
        "an item without id, link and title is skipped and counted",
        rss(item() + "<item><description>lost</description></item>"),
        {"count": 1, "feed.skipped": 1},
    ),
    (
        "relative-link",
        "a link relative to the feed",
        rss(item(link="/posts/2", guid="2")),
        {"url": "https://example.org/posts/2"},
    ),
    (
        "protocol-relative-link",
        "a link without a scheme",
        rss(item(link="//example.net/x", guid="2")),
        {"url": "https://example.net/x"},
    ),
    (
        "padded-link",
        "line breaks around a link",
        rss(item(link="\n https://example.org/1 \n")),
        {"url": "https://example.org/1"},
    ),
    (
        "link-with-fragment",
        "entries told apart by the fragment only",
        rss(
            item(link="https://example.org/#one", guid="1")
            + item(link="https://example.org/#two", guid="2")
        ),
        {"url": "https://example.org/#one", "count": 2},
    ),
    (
        "link-in-cdata",
        "an address with an ampersand in CDATA",
        rss(item(link="<![CDATA[https://example.org/?a=1&b=2]]>", guid="3")),
        {"url": "https://example.org/?a=1&b=2"},
    ),
    (
        "link-with-umlaut",
        "an address with letters that must be encoded",
        rss(item(link="https://example.org/übung", guid="3")),
        {"url": "https://example.org/%C3%BCbung"},
    ),
    (
        "international-host",
        "a host name that must be encoded",
        rss(item(link="https://bücher.example/x", guid="3")),
        {"url": "https://xn--bcher-kva.example/x"},
    ),
    (
        "title-ampersand",
        "an escaped ampersand in a title",
        rss(item(title="Fish &amp; Chips")),
        {"title": "Fish & Chips"},
    ),
    (
        "title-twice-escaped",
        "a title escaped as HTML and again as XML",
        rss(item(title="Fish &amp;amp; Chips")),
        {"title": "Fish & Chips"},
    ),
    (
        "title-entities",
        "HTML entities inside an escaped title",
        rss(item(title="Caf&amp;eacute; &amp;#8211; open")),
        {"title": "Café – open"},
    ),
    (
        "title-markup",
        "formatting in a title is removed",
        rss(item(title="&lt;b&gt;Bold&lt;/b&gt; claim")),
        {"title": "Bold claim"},
    ),
    (
        "title-less-than",
        "a less-than sign is no tag",
        rss(item(title="1 &lt; 2 and 3 > 2")),
        {"title": "1 < 2 and 3 > 2"},
    ),
    (
        "title-generic",
        "angle brackets of a programming language stay",
        rss(item(title="Vec&lt;T&gt; explained")),
        {"title": "Vec<T> explained"},
    ),
    (
        "title-element-name",
        "a title about an HTML element keeps its name",
        rss(item(title="The &lt;canvas&gt; element")),
        {"title": "The <canvas> element"},
    ),
    (
        "title-cdata",
        "a title in CDATA",
        rss(item(title="<![CDATA[Fish & Chips]]>")),
        {"title": "Fish & Chips"},
    ),
    (
        "title-lines",
        "line breaks and tabs in a title",
        rss(item(title="One\n\t  two")),
        {"title": "One two"},
    ),
    (
        "title-script",
        "a script in a title leaves nothing",
        rss(item(title="a&lt;script&gt;x()&lt;/script&gt;b")),
        {"title": "ab"},
        {"title": "feedparser without its sanitiser keeps the script's text"},
    ),
    ("title-long", "an endless title is cut", rss(item(title=LONG)), {}),
    (
        "title-emoji",
        "letters beyond the basic plane",
        rss(item(title="Party 🎉 time")),
        {"title": "Party 🎉 time"},
    ),
    (
        "title-rtl",
        "a title that runs right to left",
        rss(item(title="שלום עולם")),
        {"title": "שלום עולם"},
    ),
    (
        "title-numeric-reference",
        "numeric references in a title",
        rss(item(title="&#x41;&#66;C &#8212; &#x1F600;")),
        {"title": "ABC — 😀"},
    ),
    (
        "author-mail-name",
        "the address and name RSS asks for",
        rss(item("<author>ann@example.org (Ann Example)</author>")),
        {"author": "Ann Example"},
    ),
    (
        "author-name-mail",
        "the same the other way round",
        rss(item("<author>Ann Example &lt;ann@example.org&gt;</author>")),
        {"author": "Ann Example"},
    ),
    (
        "author-name",
        "an author element with just a name",
        rss(item("<author>Ann Example</author>")),
        {"author": "Ann Example"},
    ),
    (
        "author-mail",
        "an author element with just an address",
        rss(item("<author>ann@example.org</author>")),
        {"author": "ann@example.org"},
    ),
    (
        "creator",
        "dc:creator",
        rss(item("<dc:creator>Ann</dc:creator>"), spaces=declared("dc")),
        {"author": "Ann"},
    ),
    (
        "creator-over-author",
        "a name is better than an address",
        rss(
            item("<author>a@example.org</author><dc:creator>Ann</dc:creator>"),
            spaces=declared("dc"),
        ),
        {"author": "Ann"},
        {"author": "feedparser takes whichever comes last or first"},
    ),
    (
        "several-creators",
        "two people wrote it",
        rss(
            item("<dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator>"), spaces=declared("dc")
        ),
        {"author": "Ann, Bob"},
    ),
    (
        "categories",
        "several categories, one repeated",
        rss(
            item(
                "<category>News</category><category domain='x'>Tech</category>"
                "<category>news</category>"
            )
        ),
        {"categories": ("News", "Tech")},
    ),
    (
        "category-cdata",
        "a category in CDATA",
        rss(item("<category><![CDATA[R&D]]></category>")),
        {"categories": ("R&D",)},
    ),
    (
        "category-escaped",
        "an entity in a category",
        rss(item("<category>R&amp;amp;D</category>")),
        {"categories": ("R&D",)},
    ),
    (
        "category-empty",
        "an empty category is none",
        rss(item("<category/><category> </category>")),
        {"categories": ()},
    ),
    (
        "subject",
        "dc:subject is a category",
        rss(item("<dc:subject>Bees</dc:subject>"), spaces=declared("dc")),
        {"categories": ("Bees",)},
    ),
    (
        "enclosure",
        "a podcast episode",
        rss(item('<enclosure url="https://cdn.example/a.mp3" length="1234" type="audio/mpeg"/>')),
        {"enclosures": (("https://cdn.example/a.mp3", "audio/mpeg", 1234),)},
    ),
    (
        "enclosures",
        "two files, one of them twice",
        rss(
            item(
                '<enclosure url="/a.mp3" type="audio/mpeg"/>'
                '<enclosure url="/b.mp3"/><enclosure url="/a.mp3"/>'
            )
        ),
        {
            "enclosures": (
                ("https://example.org/a.mp3", "audio/mpeg", None),
                ("https://example.org/b.mp3", None, None),
            )
        },
    ),
    (
        "enclosure-picture",
        "a picture as enclosure is the thumbnail too",
        rss(item('<enclosure url="/p.jpg" type="image/jpeg" length="0"/>')),
        {"thumbnail_url": "https://example.org/p.jpg"},
    ),
    (
        "enclosure-odd-length",
        "a length that is no number",
        rss(item('<enclosure url="/a.mp3" length="12 MB" type="AUDIO/MPEG"/>')),
        {"enclosures": (("https://example.org/a.mp3", "audio/mpeg", None),)},
    ),
    (
        "enclosure-script",
        "an enclosure with a script for an address is dropped",
        rss(item('<enclosure url="javascript:alert(1)" type="audio/mpeg"/>')),
        {"enclosures": ()},
    ),
    (
        "comments",
        "the page with comments",
        rss(item("<comments>https://example.org/1#comments</comments>")),
        {"comments_url": "https://example.org/1#comments"},
    ),
    (
        "comments-feed",
        "only the feed of comments is known",
        rss(
            item("<wfw:commentRss>https://example.org/1/feed</wfw:commentRss>"),
            spaces=declared("wfw"),
        ),
        {"comments_url": "https://example.org/1/feed"},
    ),
    (
        "comment-count",
        "a number of comments is no address",
        rss(item("<slash:comments>7</slash:comments>"), spaces=declared("slash")),
        {"comments_url": None},
    ),
    (
        "source",
        "where an item was taken from is not where it is",
        rss(item('<source url="https://other.example/feed">Other</source>')),
        {"url": "https://example.org/1", "title": "A title"},
    ),
    (
        "language",
        "the language of the channel",
        rss(item(), channel="<language>de-AT</language>"),
        {"feed.language": "de-AT"},
    ),
    (
        "language-underscore",
        "a language spelled as a locale",
        rss(item(), channel="<language>pt_BR</language>"),
        {"feed.language": "pt-BR"},
    ),
    (
        "language-nonsense",
        "a language that is none",
        rss(item(), channel="<language>English, please</language>"),
        {"feed.language": None},
    ),
    (
        "language-dc",
        "dc:language",
        rss(item(), channel="<dc:language>fr</dc:language>", spaces=declared("dc")),
        {"feed.language": "fr"},
    ),
    (
        "language-xml",
        "xml:lang on the root",
        rss(item()).replace("<rss ", '<rss xml:lang="nl" '),
        {"feed.language": "nl"},
    ),
    (
        "self-and-hub",
        "where the feed is and who announces it",
        rss(
            item(),
            spaces=declared("atom"),
            channel=(
                '<atom:link rel="self" href="https://example.org/feed.xml"/>'
                '<atom:link rel="hub" href="https://hub.example/"/>'
            ),
        ),
        {
            "feed.self_url": "https://example.org/feed.xml",
            "feed.hub_url": "https://hub.example/",
            "feed.site_url": "https://example.org/",
        },
    ),
    (
        "image",
        "the picture of a channel",
        rss(
            item(),
            channel="<image><url>/logo.png</url><title>No</title>"
            "<link>https://other.example/</link></image>",
        ),
        {
            "feed.icon_url": "https://example.org/logo.png",
            "feed.title": "The feed",
            "feed.site_url": "https://example.org/",
        },
    ),
    ("ttl", "how long to wait", rss(item(), channel="<ttl>90</ttl>"), {"feed.asked.ttl_s": 5400}),
    (
        "ttl-nonsense",
        "a time to live that is no number",
        rss(item(), channel="<ttl>soon</ttl>"),
        {"feed.asked.ttl_s": None},
    ),
    (
        "update-period",
        "twice a day",
        rss(
            item(),
            spaces=declared("sy"),
            channel="<sy:updatePeriod>daily"
            "</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>",
        ),
        {"feed.asked.ttl_s": 43200},
    ),
    (
        "longest-pause",
        "the longer of two wishes",
        rss(
            item(),
            spaces=declared("sy"),
            channel="<ttl>5</ttl><sy:updatePeriod>\n hourly \n</sy:updatePeriod>",
        ),
        {"feed.asked.ttl_s": 3600},
    ),
    (
        "skip",
        "hours and days without news",
        rss(
            item(),
            channel="<skipHours><hour>0</hour><hour>23</hour><hour>99</hour>"
            "</skipHours><skipDays><day>Sunday</day><day>monday</day></skipDays>",
        ),
        {"feed.asked.skip_hours": frozenset({0, 23}), "feed.asked.skip_days": frozenset({0, 6})},
    ),
    (
        "channel-noise",
        "elements of a channel that mean nothing to us",
        rss(
            item(),
            channel="<generator>x</generator><docs>y</docs><cloud domain='z'/>"
            "<managingEditor>m@example.org</managingEditor><textInput><title>T</title>"
            "<link>https://other.example/</link></textInput><rating>r</rating>",
        ),
        {"feed.title": "The feed", "feed.site_url": "https://example.org/"},
    ),
    (
        "item-noise",
        "elements of an item that mean nothing to us",
        rss(
            item(
                "<georss:point>1 2</georss:point><views>7</views><rating>5</rating>"
                "<podcast:chapters url='x'/>"
            ),
            spaces=declared("georss", "podcast"),
        ),
    ),
    (
        "description-markup-feed",
        "the feed's description is plain text",
        rss(item()).replace("About", "&lt;p&gt;All &amp;amp; more&lt;/p&gt;"),
        {"feed.description": "All & more"},
    ),
    (
        "newest-first",
        "entries are ordered by date, not by place",
        rss(
            item(guid="old", title="Old", pubDate="Mon, 02 Jun 2025 10:00:00 GMT")
            + item(guid="new", title="New")
        ),
        {"title": "New", "count": 2},
    ),
    (
        "sixty-items",
        "no more than fifty entries are kept, all GUIDs are listed",
        rss(
            "".join(
                item(guid=f"g{n}", title=f"T{n}", pubDate=(f"Tue, 01 Jul 2025 10:{n:02}:00 GMT"))
                for n in range(60)
            )
        ),
        {"count": 50, "title": "T59", "feed.truncated": True, "listed": 60},
    ),
    (
        "undated-in-order",
        "without dates the order of the document counts",
        rss("".join(item(guid=f"g{n}", title=f"T{n}", pubDate="") for n in range(60))),
        {"count": 50, "title": "T0"},
    ),
    (
        "comments-in-xml",
        "comments and instructions anywhere",
        rss("<!-- one --><?two three?>" + item("<!-- four -->")),
        {"count": 1},
    ),
    (
        "unknown-prefix",
        "a namespace nobody knows",
        rss(item("<x:title>No</x:title><x:link>No</x:link>"), spaces=' xmlns:x="urn:x"'),
        {"title": "A title"},
    ),
    ("space-before-items", "much white space", rss("\n\n   " + item() + "\n\n")),
    ("one-line", "no white space at all", rss(item()).replace("\n", "")),
    (
        "wordpress",
        "what WordPress writes",
        rss(
            item(
                "<dc:creator><![CDATA[Ann]]></dc:creator><category><![CDATA[News]]>"
                "</category><content:encoded><![CDATA[<p>All</p>]]></content:encoded>"
                "<wfw:commentRss>https://example.org/1/feed/</wfw:commentRss>"
                "<slash:comments>0</slash:comments>"
                "<comments>https://example.org/1/#respond</comments>"
            ),
            spaces=declared("content", "wfw", "dc", "atom", "sy", "slash"),
        ),
        {"author": "Ann", "content_html": "<p>All</p>", "categories": ("News",)},
    ),
    (
        "date-and-updated",
        "published and changed later",
        rss(item("<atom:updated>2025-07-03T00:00:00Z</atom:updated>"), spaces=declared("atom")),
        {"published_at": AT},
    ),
    (
        "summary-with-base",
        "xml:base on the channel resolves links in content",
        rss(item(link="p/1", guid="9", description='&lt;a href="q"&gt;q&lt;/a&gt;')).replace(
            "<channel>", '<channel xml:base="https://base.example/dir/">'
        ),
        {
            "url": "https://base.example/dir/p/1",
            "content_html": '<a href="https://base.example/dir/q">q</a>',
            "guid": "9",
        },
        {"count": "feedparser resolves GUIDs, ours are as published"},
    ),
    (
        "base-script",
        "a script as xml:base is ignored",
        rss(item(link="p/1", guid="9")).replace("<rss ", '<rss xml:base="javascript:alert(1)//" '),
        {"url": "https://example.org/p/1"},
    ),
)
