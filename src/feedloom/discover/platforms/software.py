"""Site generators and content systems, known by what they write into every page.

Unlike the named platforms these live on any host, so their marks are looked for in the
page. A wrong match costs a request, never a wrong feed: what is offered is validated.
"""

from feedloom.discover.platforms.matcher import Provider, platform, rule


def _made_by(name: str, *feeds: tuple[str, str], marks: tuple[str, ...] = ()) -> Provider:
    return platform(name, rule("/.*", *feeds), generators=name, marks=marks)


def _collections(name: str, *, marks: tuple[str, ...] = ()) -> Provider:
    """Write down a software that keeps a feed for each first folder of a site."""
    return platform(
        name,
        rule(r"/(?P<folder>[\w-]+)(?:/.*)?", ("{origin}/{folder}/rss.xml", "Posts")),
        rule("/", ("{origin}/blog/rss.xml", "Posts")),
        generators=name,
        marks=marks,
    )


SQUARESPACE = platform(
    "squarespace",
    rule(r"/[\w-]+", ("{origin}{path}?format=rss", "Posts")),
    rule(r"/(?P<blog>[\w-]+)/.*", ("{origin}/{blog}?format=rss", "Posts")),
    rule("/", ("{origin}/blog?format=rss", "Posts")),
    marks=("<!-- this is squarespace", "static1.squarespace.com/static/"),
)

PROVIDERS = (
    SQUARESPACE,
    _made_by("wix", ("{origin}/blog-feed.xml", "Posts"), marks=("static.parastorage.com/",)),
    _made_by("hugo", ("{origin}/index.xml", "Posts")),
    _made_by("jekyll", ("{origin}/feed.xml", "Posts")),
    _made_by("hexo", ("{origin}/atom.xml", "Posts")),
    _made_by("gatsby", ("{origin}/rss.xml", "Posts")),
    _made_by("astro", ("{origin}/rss.xml", "Posts")),
    _made_by("drupal", ("{origin}/rss.xml", "Posts")),
    _made_by("pelican", ("{origin}/feeds/all.atom.xml", "Posts")),
    _made_by("docusaurus", ("{origin}/blog/atom.xml", "Posts"), ("{origin}/blog/rss.xml", "Posts")),
    _made_by(
        "joomla",
        ("{origin}{path}/?format=feed&type=rss", "Articles"),
        ("{origin}{path}/?format=feed&type=atom", "Articles"),
    ),
    _made_by(
        "mediawiki",
        ("{origin}/index.php?title=Special:NewPages&feed=atom", "New pages"),
        ("{origin}/index.php?title=Special:RecentChanges&feed=atom", "Changes"),
    ),
    _made_by("phpbb", ("{origin}/app.php/feed", "Posts"), marks=('id="phpbb"',)),
    _made_by(
        "xenforo",
        ("{origin}/forums/-/index.rss", "Threads"),
        marks=('<html id="xf"', "data-xf-init="),
    ),
    _made_by("writefreely", ("{origin}{path}/feed/", "Posts")),
    _made_by("movable", ("{origin}/atom.xml", "Posts"), ("{origin}/index.xml", "Posts")),
    _made_by("typecho", ("{origin}/feed/", "Posts")),
    _made_by("textpattern", ("{origin}/rss/", "Posts"), ("{origin}/atom/", "Posts")),
    _made_by("serendipity", ("{origin}/feeds/index.rss2", "Posts")),
    _made_by("dotclear", ("{origin}/feed/atom", "Posts")),
    _made_by("zola", ("{origin}/atom.xml", "Posts"), ("{origin}/rss.xml", "Posts")),
    _made_by("nikola", ("{origin}/rss.xml", "Posts")),
    _made_by("eleventy", ("{origin}/feed.xml", "Posts"), ("{origin}/feed/feed.xml", "Posts")),
    _made_by("spip", ("{origin}/spip.php?page=backend", "Articles")),
    _made_by("mkdocs", ("{origin}{path}/feed_rss_created.xml", "Posts")),
    _made_by("pluxml", ("{origin}/feed.php?rss", "Articles")),
    _made_by("blogengine", ("{origin}/syndication.axd", "Posts")),
    _made_by("emlog", ("{origin}/rss.php", "Posts")),
    _made_by("discuz", ("{origin}/forum.php?mod=rss", "Threads")),
    _made_by("dokuwiki", ("{origin}/feed.php", "Changes")),
    _made_by("plone", ("{origin}{path}/RSS", "Items"), ("{origin}{path}/rss.xml", "Items")),
    _made_by("vbulletin", ("{origin}/external.php?type=RSS2", "Threads")),
    _made_by("mybb", ("{origin}/syndication.php", "Threads"), marks=("my_post_key",)),
    _made_by("nodebb", ("{origin}/recent.rss", "Topics"), marks=("window.nodebb", '"nodebb')),
    _made_by("flarum", ("{origin}/atom", "Discussions"), marks=('id="flarum-',)),
    _collections("webflow"),
    _collections("hubspot", marks=("cdn2.hubspot.net/", "js.hs-scripts.com/")),
    _made_by(
        "arc",
        ("{origin}/arc/outboundfeeds/rss/?outputType=xml", "News"),
        marks=('id="fusion-app"', "fusion.arcsite"),
    ),
)
