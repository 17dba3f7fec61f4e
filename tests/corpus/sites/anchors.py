"""Feeds that a page only links to, in words of many languages."""

from tests.corpus.sites.building import Answer, Shape, atom, html, page, rss, site


def _anchored(name: str, shows: str, body: str, path: str = "/feed.xml", **rest) -> Shape:
    found = {"canonical": f"{{base0}}{path}", "origin": "anchor"} | rest
    return site(name, shows, {"/": html("", body), path: rss()}, **found)


SHAPES = (
    _anchored("anchor", "a link in the text", '<a href="/feed.xml">RSS</a>'),
    _anchored(
        "anchor with a plain word",
        "only the word says that it is a feed",
        '<a href="/out/17">RSS feed</a>',
        "/out/17",
    ),
    _anchored(
        "anchor with an image",
        "an orange icon without words",
        '<a href="/out/17"><img src="/i/x.png" alt="RSS"></a>',
        "/out/17",
    ),
    _anchored(
        "anchor with a class",
        "an icon drawn by a style sheet",
        '<a href="/abo" class="icon icon-rss" aria-label="RSS"></a>',
        "/abo",
    ),
    _anchored(
        "anchor by its address",
        "the words say nothing",
        '<a href="/index.php?format=feed&amp;type=rss">here</a>',
        "/index.php?format=feed&type=rss",
    ),
    _anchored("german anchor", "auf Deutsch", '<a href="/abo">RSS-Feed abonnieren</a>', "/abo"),
    _anchored("french anchor", "en français", '<a href="/abo">Flux d&#39;actualité</a>', "/abo"),
    _anchored("spanish anchor", "en español", '<a href="/abo">Sindicación</a>', "/abo"),
    _anchored("russian anchor", "по-русски", '<a href="/abo">Лента</a>', "/abo"),
    _anchored("japanese anchor", "日本語", '<a href="/abo">フィード</a>', "/abo"),
    _anchored("chinese anchor", "中文", '<a href="/abo">订阅源</a>', "/abo"),
    _anchored("arabic anchor", "بالعربية", '<a href="/abo">خلاصات</a>', "/abo"),
    _anchored("finnish anchor", "suomeksi", '<a href="/abo">Syöte</a>', "/abo"),
    _anchored(
        "anchor with the feed scheme",
        "a link with the feed: scheme",
        '<a href="feed://{host0}/feed.xml">Subscribe</a>',
    ),
    _anchored(
        "reader button",
        "a button that adds the feed to a reader; the address is inside",
        '<a href="https://feedly.com/i/subscription/feed/{base0}/news?out=1">Follow</a>',
        "/news?out=1",
    ),
    _anchored(
        "image map", "a link in an image map", '<map><area href="/feed.xml" title="RSS"></map>'
    ),
    _anchored(
        "share buttons",
        "links that share or log in are no feeds",
        '<a href="/share?u=feed">Share</a><a href="/login?next=/feed">Feed</a>'
        '<a href="https://social.example/sharer?u=x">RSS</a>'
        '<a href="https://encyclopedia.example/wiki/RSS">What is RSS?</a>'
        '<a href="/feed.xml">News</a>',
    ),
    site(
        "page that lists feeds",
        "the button leads to a page, and that page to the feeds",
        {
            "/": html("", '<a href="/rss">RSS</a>'),
            "/rss": html(
                "",
                '<ul><li><a href="/rss/all.xml">Everything</a>'
                '<li><a href="/rss/tag/tea.xml">Tea</a></ul>',
            ),
            "/rss/all.xml": rss(),
            "/rss/tag/tea.xml": rss("Tea"),
        },
        canonical="{base0}/rss/all.xml",
        origin="anchor",
        also=("{base0}/rss/tag/tea.xml",),
    ),
    site(
        "anchor at the end of a huge page",
        "almost two megabytes, the most that is read, before the footer",
        {
            "/": Answer(page("", "<p>" + "word " * 390_000 + '</p><a href="/f/x.rss">RSS</a>')),
            "/f/x.rss": rss(),
        },
        canonical="{base0}/f/x.rss",
        origin="anchor",
    ),
    site(
        "headline with the word feed",
        "an article about feeding is not tried as a feed",
        {
            "/": html(
                "",
                '<a href="/a-long-story">How we feed ten thousand people a day</a>'
                '<a href="/feed.xml">RSS</a>',
            ),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="anchor",
    ),
    site(
        "sitemaps and other xml",
        "files that end in .xml and are no feeds",
        {
            "/": html("", '<a href="/sitemap.xml">Map</a><a href="/rsd.xml">Edit</a>'),
            "/sitemap.xml": Answer("<urlset/>", type="application/xml"),
        },
        ending="no_feed",
    ),
    site(
        "feed of a friend",
        "a page links to the feed of another site; its own is found where feeds usually are",
        {"/": html("", '<a href="{base1}/feed.xml">Ben</a>'), "/atom.xml": atom()},
        {"/feed.xml": rss("Ben", at="{base1}")},
        canonical="{base0}/atom.xml",
        origin="guess",
    ),
    site(
        "podcast button",
        "a link with the scheme of a podcast player",
        {
            "/": html("", '<a href="itpc://{host0}/show.xml">Listen</a>'),
            "/show.xml": rss("The show"),
        },
        canonical="{base0}/show.xml",
        origin="anchor",
    ),
)
