"""Extensions: Media RSS, iTunes, Dublin Core terms and their many spellings."""

from tests.corpus.feeds.pieces import AT, cases, declared, item, rss

VIDEO = '<media:content url="https://v.example/a.mp4" type="video/mp4" fileSize="9"/>'

EXTENSIONS = cases(
    "extension",
    (
        "thumbnail",
        "a thumbnail",
        rss(
            item('<media:thumbnail url="https://i.example/t.jpg" width="80"/>'),
            spaces=declared("media"),
        ),
        {"thumbnail_url": "https://i.example/t.jpg"},
    ),
    (
        "thumbnail-relative",
        "a thumbnail relative to the feed",
        rss(item('<media:thumbnail url="/t.jpg"/>'), spaces=declared("media")),
        {"thumbnail_url": "https://example.org/t.jpg"},
    ),
    (
        "thumbnail-script",
        "a script for a thumbnail",
        rss(item('<media:thumbnail url="javascript:x"/>'), spaces=declared("media")),
        {"thumbnail_url": None},
    ),
    (
        "thumbnails",
        "the first of several thumbnails",
        rss(
            item('<media:thumbnail url="/1.jpg"/><media:thumbnail url="/2.jpg"/>'),
            spaces=declared("media"),
        ),
        {"thumbnail_url": "https://example.org/1.jpg"},
    ),
    (
        "media-picture",
        "a picture as media content",
        rss(item('<media:content url="/p.jpg" medium="image"/>'), spaces=declared("media")),
        {"thumbnail_url": "https://example.org/p.jpg", "enclosures": ()},
    ),
    (
        "media-picture-type",
        "a picture known by its type",
        rss(item('<media:content url="/p.jpg" type="image/jpeg"/>'), spaces=declared("media")),
        {"thumbnail_url": "https://example.org/p.jpg"},
    ),
    (
        "media-video",
        "a film as media content",
        rss(item(VIDEO), spaces=declared("media")),
        {"enclosures": (("https://v.example/a.mp4", "video/mp4", 9),)},
    ),
    (
        "media-medium",
        "a film known by its medium",
        rss(item('<media:content url="/a" medium="video"/>'), spaces=declared("media")),
        {"enclosures": (("https://example.org/a", None, None),)},
    ),
    (
        "media-group",
        "a group of media",
        rss(
            item(f'<media:group>{VIDEO}<media:thumbnail url="/t.jpg"/></media:group>'),
            spaces=declared("media"),
        ),
        {"thumbnail_url": "https://example.org/t.jpg"},
    ),
    (
        "media-nested-thumbnail",
        "a thumbnail inside media content",
        rss(
            item(
                '<media:content url="/a.jpg" medium="image"><media:thumbnail'
                ' url="/t.jpg"/><media:title>No</media:title></media:content>'
            ),
            spaces=declared("media"),
        ),
        {"thumbnail_url": "https://example.org/t.jpg", "title": "A title"},
    ),
    (
        "media-caption",
        "a caption does not displace the description",
        rss(
            item(
                '<media:content url="/a.jpg" medium="image"><media:description>Caption'
                "</media:description></media:content>"
            ),
            spaces=declared("media"),
        ),
        {"content_html": "Some words."},
        {"content": "feedparser lets the caption win"},
    ),
    (
        "media-caption-alone",
        "a caption is better than nothing",
        rss(
            item("<media:description>Caption</media:description>", description=""),
            spaces=declared("media"),
        ),
        {"content_html": "<p>Caption</p>"},
    ),
    (
        "media-title-alone",
        "the title of the media when there is no other",
        rss(item("<media:title>Film</media:title>", title=""), spaces=declared("media")),
        {"title": "Film"},
    ),
    (
        "media-without-slash",
        "the namespace without its last slash",
        rss(
            item('<media:thumbnail url="/t.jpg"/>'),
            spaces=' xmlns:media="http://search.yahoo.com/mrss"',
        ),
        {"thumbnail_url": "https://example.org/t.jpg"},
    ),
    (
        "media-https",
        "the namespace with https",
        rss(
            item('<media:thumbnail url="/t.jpg"/>'),
            spaces=' xmlns:media="https://search.yahoo.com/mrss/"',
        ),
        {"thumbnail_url": "https://example.org/t.jpg"},
    ),
    (
        "media-other-prefix",
        "the namespace under another prefix",
        rss(item('<m:thumbnail url="/t.jpg"/>'), spaces=' xmlns:m="http://search.yahoo.com/mrss/"'),
        {"thumbnail_url": "https://example.org/t.jpg"},
    ),
    (
        "itunes-image",
        "the cover of an episode",
        rss(item('<itunes:image href="/c.jpg"/>'), spaces=declared("itunes")),
        {"thumbnail_url": "https://example.org/c.jpg"},
    ),
    (
        "itunes-author",
        "the author of an episode",
        rss(item("<itunes:author>Ann</itunes:author>"), spaces=declared("itunes")),
        {"author": "Ann"},
    ),
    (
        "itunes-summary",
        "the summary of an episode without a description",
        rss(
            item("<itunes:summary>About it</itunes:summary>", description=""),
            spaces=declared("itunes"),
        ),
        {"content_html": "<p>About it</p>"},
    ),
    (
        "itunes-summary-beside",
        "the summary does not displace the description",
        rss(item("<itunes:summary>About it</itunes:summary>"), spaces=declared("itunes")),
        {"content_html": "Some words."},
        {"content": "feedparser lets the summary win"},
    ),
    (
        "itunes-title",
        "the title of an episode when there is no other",
        rss(item("<itunes:title>Ep</itunes:title>", title=""), spaces=declared("itunes")),
        {"title": "Ep"},
        {"title": "feedparser keeps the iTunes title apart"},
    ),
    (
        "itunes-duration",
        "a duration does no harm",
        rss(
            item(
                "<itunes:duration>01:02:03</itunes:duration><itunes:explicit>no"
                "</itunes:explicit><itunes:episode>4</itunes:episode>"
            ),
            spaces=declared("itunes"),
        ),
    ),
    (
        "itunes-case",
        "the namespace as it was first written",
        rss(
            item('<itunes:image href="/c.jpg"/>'),
            spaces=' xmlns:itunes="http://www.itunes.com/DTDs/Podcast-1.0.dtd"',
        ),
        {"thumbnail_url": "https://example.org/c.jpg"},
    ),
    (
        "itunes-channel",
        "a podcast's channel",
        rss(
            item(),
            spaces=declared("itunes"),
            channel=(
                '<itunes:image href="/show.jpg"/><itunes:author>Ann</itunes:author>'
                "<itunes:owner><itunes:name>Bob</itunes:name></itunes:owner>"
                '<itunes:category text="Arts"><itunes:category text="Books"/>'
                "</itunes:category>"
            ),
        ),
        {"feed.icon_url": "https://example.org/show.jpg", "author": None},
    ),
    (
        "googleplay",
        "the other podcast namespace",
        rss(
            item('<googleplay:image href="/g.jpg"/><googleplay:author>Ann</googleplay:author>'),
            spaces=declared("googleplay"),
        ),
        {"thumbnail_url": "https://example.org/g.jpg", "author": "Ann"},
        {"author": "feedparser does not know this namespace"},
    ),
    (
        "podcast",
        "a whole episode",
        rss(
            item(
                '<enclosure url="https://cdn.example/1.mp3" length="99"'
                ' type="audio/mpeg"/><itunes:duration>63</itunes:duration>'
                '<itunes:image href="/c.jpg"/><content:encoded><![CDATA[<p>Notes</p>]]>'
                "</content:encoded>"
            ),
            spaces=declared("itunes", "content"),
        ),
        {
            "enclosures": (("https://cdn.example/1.mp3", "audio/mpeg", 99),),
            "thumbnail_url": "https://example.org/c.jpg",
            "content_html": "<p>Notes</p>",
        },
    ),
    (
        "podcast-chapters",
        "chapters in a file of their own, and in the feed",
        rss(
            item(
                '<podcast:chapters url="/c.json" type="application/json+chapters"/>'
                '<psc:chapters><psc:chapter start="00:00:00.000" title="Hi &amp; ho"/>'
                '<psc:chapter start="1:02:03.5" title="Later"/>'
                '<psc:chapter start="soon" title="x"/>'
                '<psc:chapter start="70"/></psc:chapters>'
                '<enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/>'
            ),
            spaces=declared("podcast", "psc"),
        ),
        {"chapters": ("https://example.org/c.json", ((0.0, "Hi & ho"), (3723.5, "Later")))},
    ),
    (
        "itunes-duration-of-files",
        "how long the sound of an entry plays; other files play not at all",
        rss(
            item(
                "<itunes:duration>1:02:03</itunes:duration>"
                '<enclosure url="https://cdn.example/1.pdf" type="application/pdf"/>'
                '<enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/>'
            ),
            spaces=declared("itunes"),
        ),
        {"durations": (None, 3723)},
    ),
    (
        "itunes-duration-odd",
        "a duration that is none",
        rss(
            item(
                "<itunes:duration>about an hour</itunes:duration>"
                '<enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/>'
            ),
            spaces=declared("itunes"),
        ),
        {"durations": (None,)},
    ),
    (
        "media-duration",
        "how long a film plays",
        rss(
            item(
                '<media:content url="https://cdn.example/1.mp4" type="video/mp4" duration="245"/>'
            ),
            spaces=declared("media"),
        ),
        {"durations": (245,)},
    ),
    (
        "dcterms-issued",
        "the date in Dublin Core terms",
        rss(
            item("<dcterms:issued>2025-07-01T10:00:00Z</dcterms:issued>", pubDate=""),
            spaces=declared("dcterms"),
        ),
        {"published_at": AT},
    ),
    (
        "dcterms-modified",
        "the change in Dublin Core terms",
        rss(
            item("<dcterms:modified>2025-07-01T10:00:00Z</dcterms:modified>", pubDate=""),
            spaces=declared("dcterms"),
        ),
        {"updated_at": AT},
    ),
    (
        "dcterms-created",
        "the creation in Dublin Core terms",
        rss(
            item("<dcterms:created>2025-07-01T10:00:00Z</dcterms:created>", pubDate=""),
            spaces=declared("dcterms"),
        ),
        {"published_at": AT},
    ),
    (
        "dc-date",
        "dc:date stands in for a missing date",
        rss(item("<dc:date>2025-07-01T10:00:00Z</dc:date>", pubDate=""), spaces=declared("dc")),
        {"published_at": AT},
    ),
    (
        "dc-date-beside",
        "pubDate is better than dc:date",
        rss(item("<dc:date>2025-06-01T10:00:00Z</dc:date>"), spaces=declared("dc")),
        {"published_at": AT},
    ),
    (
        "dc-description",
        "dc:description stands in for a missing description",
        rss(
            item("<dc:description>Core words</dc:description>", description=""),
            spaces=declared("dc"),
        ),
        {"content_html": "<p>Core words</p>"},
    ),
    (
        "dc-title",
        "dc:title stands in for a missing title",
        rss(item("<dc:title>Core</dc:title>", title=""), spaces=declared("dc")),
        {"title": "Core"},
    ),
    (
        "dc-own-address",
        "a known prefix with an address of its own",
        rss(item("<dc:creator>Ann</dc:creator>"), spaces=' xmlns:dc="urn:my-own"'),
        {"author": "Ann"},
    ),
    (
        "dc-other-prefix",
        "Dublin Core under another prefix",
        rss(
            item("<x:creator>Ann</x:creator>"), spaces=' xmlns:x="http://purl.org/dc/elements/1.1/"'
        ),
        {"author": "Ann"},
    ),
    (
        "feedburner",
        "the link FeedBurner hides",
        rss(
            item(
                "<feedburner:origLink>https://real.example/1</feedburner:origLink>",
                link="https://feeds.example/~r/1",
            ),
            spaces=declared("feedburner"),
        ),
        {"url": "https://real.example/1"},
    ),
    (
        "atom-link-in-item",
        "an Atom link when there is no other",
        rss(
            item('<atom:link href="/a1" rel="alternate"/>', link="", guid="q"),
            spaces=declared("atom"),
        ),
        {"url": "https://example.org/a1"},
    ),
    (
        "atom-author-in-item",
        "an Atom author in RSS",
        rss(item("<atom:author><atom:name>Ann</atom:name></atom:author>"), spaces=declared("atom")),
        {"author": "Ann"},
    ),
    (
        "atom-enclosure",
        "an Atom enclosure in RSS",
        rss(
            item('<atom:link rel="enclosure" href="/e.mp3" type="audio/mpeg"/>'),
            spaces=declared("atom"),
        ),
        {"enclosures": (("https://example.org/e.mp3", "audio/mpeg", None),)},
    ),
    (
        "content-own-address",
        "content:encoded under an address of its own",
        rss(
            item("<content:encoded>&lt;p&gt;All&lt;/p&gt;</content:encoded>"),
            spaces=' xmlns:content="http://example.org/content"',
        ),
        {"content_html": "<p>All</p>"},
    ),
)
