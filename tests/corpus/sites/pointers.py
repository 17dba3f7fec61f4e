"""Pages that lead to a feed by other ways: lists, data, text, walls and signposts."""

import json

from tests.corpus.sites.building import Answer, Shape, atom, html, link, moved, page, rss, site

_DESKS = ("world", "sports", "culture", "science", "travel", "food", "health")
_LIST = "".join(f'<li>{desk.title()} <a href="/rss/{desk}.xml">RSS</a></li>' for desk in _DESKS)
_DESK_FEEDS = {f"/rss/{desk}.xml": rss(desk.title()) for desk in _DESKS}
_WALL = html("", "<h1>Before you continue</h1><form><button>Accept</button></form>")
_ISLAND = json.dumps({"props": {"pageProps": {"site": {"rssUrl": "{base0}/api/out?id=17&v=2"}}}})


def _written(name: str, shows: str, body: str, path: str = "/out/17/rss.xml", **rest):
    return site(
        name,
        shows,
        {"/": html("", body), path: rss()},
        canonical=f"{{base0}}{path}",
        origin="anchor",
        **{"requests": 2, **rest},
    )


_SECTIONS = "".join(f'<a href="/{desk}">{desk.title()}</a>' for desk in _DESKS)


def _blog(name: str, anchor: str) -> Shape:
    """Write down a front page without a feed, and a link to the blog that has one."""
    return site(
        f"blog behind {name}",
        "the front page has no feed; what is called or placed like a blog is looked at",
        {
            "/": html("", f"{_SECTIONS}{anchor}"),
            "/blog/": html(link("/out/17")),
            "/p/17": html(link("/out/17")),
            "/out/17": rss(),
        },
        canonical="{base0}/out/17",
        origin="html",
        requests=3,
    )


SHAPES = (
    _written(
        "relative address in an attribute", "data-rss-url", '<div data-rss-url="/out/17/rss.xml">'
    ),
    _written(
        "button that leads to a feed",
        "data-href",
        '<button data-href="/out/17/rss.xml">Follow</button>',
    ),
    _written(
        "script that leads to a feed",
        "location.href",
        """<a href="#" onclick="location.href='/out/17/rss.xml'">Follow</a>""",
    ),
    _written(
        "address in an object of a script",
        "a key without quotes, slashes as numbers",
        r'<script>window.state={rss_link:"\u002Fout\u002F17\u002Frss.xml"}</script>',
    ),
    site(
        "newspaper without feeds in its pages",
        "its sections are news of something; their feeds are not its own",
        {
            "/": html("", "".join(f'<a href="/{desk}">{desk.title()} News</a>' for desk in _DESKS)),
            **{f"/{desk}": html(link(f"/{desk}/rss.xml")) for desk in _DESKS},
            **{f"/{desk}/rss.xml": rss(desk.title()) for desk in _DESKS},
            "/feed": rss(),
        },
        canonical="{base0}/feed",
        origin="guess",
    ),
    site(
        "blog without a link to its feed",
        "the usual names are tried beside the blog as well",
        {
            "/": html("", '<a href="/blog/">Blog</a>'),
            "/blog/": html(),
            "/blog/index.xml": rss(site_path="/blog/"),
        },
        canonical="{base0}/blog/index.xml",
        origin="guess",
    ),
    _blog("an arrow", '<a href="/p/17">Read our blog →</a>'),
    _blog("an adjective", '<a href="/p/17">Engineering Blog</a>'),
    _blog("two names", '<a href="/p/17">News &amp; Blog</a>'),
    _blog("a russian name", '<a href="/p/17">Новости компании</a>'),
    _blog("a picture", '<a href="/blog/"><img src="/b.png"></a>'),
    _blog("other words", '<a href="/blog/">Thoughts</a>'),
    site(
        "news site with a list of feeds",
        "the footer leads to a page with a feed for each desk; the top stories come last",
        {
            "/": html("", '<footer><a href="/services/rss">RSS feeds</a></footer>'),
            "/services/rss": html(
                "", f'<ul>{_LIST}<li><a href="/rss/top.xml">Top stories</a></li></ul>'
            ),
            **_DESK_FEEDS,
            "/rss/top.xml": rss("Top"),
        },
        canonical="{base0}/rss/top.xml",
        origin="anchor",
    ),
    site(
        "list of feeds without a main one",
        "the first of the list is meant",
        {
            "/": html("", '<a href="/rss">RSS</a>'),
            "/rss": html("", f"<ul>{_LIST}</ul>"),
            **_DESK_FEEDS,
        },
        canonical="{base0}/rss/world.xml",
        origin="anchor",
    ),
    site(
        "list whose feeds have plain names",
        "on a page of feeds a plain label for everything may lead to one",
        {
            "/": html("", '<a href="/page/rss-feeds-17">RSS</a>'),
            "/page/rss-feeds-17": Answer(
                page(
                    "",
                    '<a href="/shop">Shop</a><a href="/out/topstories">Top Stories</a>'
                    '<a href="/out/usheadlines">US Headlines</a>',
                    title="RSS Feeds",
                )
            ),
            "/out/topstories": rss("Top"),
            "/out/usheadlines": rss("US"),
        },
        canonical="{base0}/out/topstories",
        origin="anchor",
    ),
    site(
        "list on another host",
        "the feeds of the list lie elsewhere and are no files",
        {
            "/": html("", '<a href="/rss-info">RSS</a>'),
            "/rss-info": Answer(
                page(
                    "",
                    '<a href="{base1}/export/rss/sports">Sports</a>'
                    '<a href="{base1}/export/rss/news">All news</a>',
                    title="RSS",
                )
            ),
        },
        {"/export/rss/sports": rss("Sports"), "/export/rss/news": rss("News")},
        canonical="{base1}/export/rss/news",
        origin="anchor",
    ),
    site(
        "list beside a podcast",
        "a feed of one topic does not keep us from reading the list",
        {
            "/": html("", '<a href="/talks/podcast.rss">Podcast</a><a href="/rss">RSS feeds</a>'),
            "/talks/podcast.rss": rss("Talks"),
            "/rss": html("", '<a href="/rss/all.xml">All articles</a>'),
            "/rss/all.xml": rss(),
        },
        canonical="{base0}/rss/all.xml",
        origin="anchor",
    ),
    site(
        "list that is only guessed",
        "nothing leads to the list; it answers to a usual name",
        {
            "/": html("", "<div id=app></div>"),
            "/rss": html("", f'{_LIST}<a href="/rss/latest.xml">Latest</a>', lang="en"),
            **_DESK_FEEDS,
            "/rss/latest.xml": rss(),
        },
        canonical="{base0}/rss/latest.xml",
        origin="anchor",
    ),
    site(
        "pasted list of feeds",
        "a person pastes the list itself",
        {
            "/rss": html("", f'{_LIST}<a href="/rss/main.xml">Main</a>'),
            **_DESK_FEEDS,
            "/rss/main.xml": rss(),
        },
        pasted="{base0}/rss",
        canonical="{base0}/rss/main.xml",
        origin="anchor",
    ),
    site(
        "list in plain text",
        "the addresses stand in a table, to be copied",
        {
            "/": html("", '<a href="/help/rss">RSS</a>'),
            "/help/rss": html(
                "", "<table><tr><td>All</td><td>{base0}/out/all.rss</td></tr></table>"
            ),
            "/out/all.rss": rss(),
        },
        canonical="{base0}/out/all.rss",
        origin="anchor",
        requests=3,
    ),
    site(
        "vague type with a title",
        "a type that feeds share with other documents, and a title that says RSS",
        {
            "/": html('<link rel="alternate" type="application/xml" title="Ann RSS" href="/o/1">'),
            "/o/1": rss(),
        },
        canonical="{base0}/o/1",
        origin="html",
        requests=2,
    ),
    site(
        "no type with a title",
        "no type at all, and a title that says feed",
        {
            "/": html(
                '<link rel="alternate" hreflang="de" href="/de/">'
                '<link rel="alternate" title="News feed" href="/o/1">'
            ),
            "/o/1": rss(),
        },
        canonical="{base0}/o/1",
        origin="html",
        requests=2,
    ),
    site(
        "feed scheme in a link",
        "the head names the feed by the feed: scheme",
        {"/": html(link("feed:{base0}/out.xml")), "/out.xml": rss()},
        canonical="{base0}/out.xml",
        origin="html",
        requests=2,
    ),
    site(
        "page data of a framework",
        "a page that a script fills; its data names the feed",
        {
            "/": html("", f'<script id="__DATA__" type="application/json">{_ISLAND}</script>'),
            "/api/out?id=17&v=2": rss(),
        },
        canonical="{base0}/api/out?id=17&v=2",
        origin="anchor",
        requests=2,
    ),
    _written(
        "page data within data",
        "the data is text within data, its quotes and slashes escaped",
        r'<script>push("{\"feedUrl\":\"{base0}\/out\/17\/rss.xml\"}")</script>',
    ),
    _written(
        "linked data",
        "a podcast that names its feed as schema.org has it",
        '<script type="application/ld+json">{"@type":"PodcastSeries",'
        '"webFeed":"{base0}/out/17/rss.xml"}</script>',
    ),
    _written(
        "relative address in data",
        "a path is enough",
        '<script>window.app={"rss_url":"/out/17/rss.xml"}</script>',
    ),
    _written(
        "field to copy from",
        "the address stands in an input",
        '<input type="text" readonly value="{base0}/out/17/rss.xml">',
    ),
    _written(
        "attribute of a player",
        "a player is told the feed it plays",
        '<div class="player" data-feed-url="{base0}/out/17/rss.xml"></div>',
    ),
    _written(
        "address in a sentence",
        "a sentence tells the address and does not link it",
        "<p>Subscribe to <code>{base0}/out/17/rss.xml</code>.</p>",
    ),
    _written(
        "icon of a font",
        "an icon drawn by a class, inside a link without words",
        '<a href="/abo/17"><i class="fa fa-rss"></i></a>',
        "/abo/17",
    ),
    _written(
        "icon from a sprite",
        "an icon taken out of a sprite",
        '<a href="/abo/17"><svg><use href="/s.svg#rss"></use></svg></a>',
        "/abo/17",
    ),
    _written(
        "icon of a material font",
        "an icon that a word of a font draws",
        '<a href="/abo/17"><span class="material-icons">rss_feed</span></a>',
        "/abo/17",
    ),
    _written(
        "address in a script",
        "a script opens the feed",
        "<button onclick=\"open('/out/17/rss.xml')\">Follow</button>",
    ),
    _written(
        "frame of a player",
        "the address of a frame has the feed in it",
        '<iframe src="{base1}/embed?feed={base0}/out/17&amp;w=1"></iframe>',
        "/out/17",
    ),
    _written(
        "link to a reader after the hash",
        "a reader that takes the address behind a hash",
        '<a href="https://feedly.com/#subscription/feed/{base0}/out/17">Follow</a>',
        "/out/17",
    ),
    site(
        "blog in a frame",
        "a frame shows the blog, whose page names the feed",
        {
            "/": html("", '<iframe src="/embed/blog/"></iframe>'),
            "/embed/blog/": html(link("feed.xml")),
            "/embed/blog/feed.xml": rss(),
        },
        canonical="{base0}/embed/blog/feed.xml",
        origin="html",
        requests=3,
    ),
    site(
        "choice of languages",
        "a page with nothing but ways in; the first is taken",
        {
            "/": html("", '<a href="/en/">English</a><a href="/de/">Deutsch</a>'),
            "/en/": html(link("feed.xml")),
            "/en/feed.xml": rss(),
        },
        canonical="{base0}/en/feed.xml",
        origin="html",
        requests=3,
    ),
    *(
        site(
            f"company with {word.lower()}",
            "the page for news names the feed",
            {
                "/": html("", f'<a href="/shop">Shop</a><a href="/n/">{word}</a>'),
                "/n/": html(link("rss.xml")),
                "/n/rss.xml": rss(),
            },
            canonical="{base0}/n/rss.xml",
            origin="html",
            requests=3,
        )
        for word in ("Newsroom", "Press releases", "News &amp; Events", "Pressemitteilungen")
    ),
    _written(
        "type on an anchor",
        "an anchor says its type as a link would",
        '<a href="/abo/17" rel="alternate" type="application/rss+xml">Keep up</a>',
        "/abo/17",
    ),
    site(
        "signpost of a script",
        "a page that is only a script which goes elsewhere",
        {
            "/": Answer("<html><script>window.location.href='/start/'</script></html>"),
            "/start/": html(link("/feed.xml")),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="html",
        requests=3,
    ),
    site(
        "consent wall",
        "every page leads to a wall: a few requests show it, and no more are made",
        {"/consent/wall": _WALL},
        missing=moved("{base0}/consent/wall", 302),
        ending="no_feed",
        requests=6,
    ),
    site(
        "consent wall elsewhere",
        "the wall is on a host of its own and says nothing of this site",
        {"/": moved("{base1}/collectConsent?sessionId=17", 302), "/feed": atom()},
        {"/collectConsent?sessionId=17": _WALL},
        canonical="{base0}/feed",
        origin="guess",
        requests=4,
    ),
)
