"""Sites with several feeds: which of them is the one a person means."""

from tests.corpus.sites.building import atom, html, link, rss, site

_COMMENTS = rss("Comments for Ann's pages")
_WORDPRESS_HEAD = link("/feed/", title="Ann's pages &raquo; Feed") + link(
    "/comments/feed/", title="Ann's pages &raquo; Comments Feed"
)
_WORDPRESS = {"/feed/": rss(), "/comments/feed/": _COMMENTS}

SHAPES = (
    site(
        "main and comments",
        "the two feeds of every WordPress",
        {"/": html(_WORDPRESS_HEAD), **_WORDPRESS},
        canonical="{base0}/feed/",
        origin="html",
        also=("{base0}/comments/feed/",),
    ),
    site(
        "comments first",
        "the comments stand before the main feed",
        {"/": html(link("/comments/feed/") + link("/feed/")), **_WORDPRESS},
        canonical="{base0}/feed/",
        origin="html",
    ),
    site(
        "article with its own comments",
        "a post names the main feed and two feeds of comments",
        {
            "/2024/05/a-walk/": html(
                _WORDPRESS_HEAD + link("/2024/05/a-walk/feed/", title="A walk Comments Feed")
            ),
            "/2024/05/a-walk/feed/": rss("Comments on: A walk"),
            **_WORDPRESS,
        },
        pasted="{base0}/2024/05/a-walk/",
        canonical="{base0}/feed/",
        origin="html",
    ),
    site(
        "comments known by title only",
        "an address that says nothing; the feed says it is about comments",
        {
            "/": html(link("/a.xml") + link("/bb.xml")),
            "/a.xml": rss("Kommentare zu Anns Seiten"),
            "/bb.xml": rss(),
        },
        canonical="{base0}/bb.xml",
        origin="html",
    ),
    site(
        "only comments are named",
        "the page names its comments, the main feed must be guessed",
        {
            "/": html(link("/comments/feed/", title="Comments Feed")),
            "/comments/feed/": _COMMENTS,
            "/feed": rss(),
        },
        canonical="{base0}/feed",
        origin="guess",
        also=("{base0}/comments/feed/",),
    ),
    site(
        "only comments exist",
        "better a feed of comments than none",
        {"/": html(link("/comments/feed/", title="Comments Feed")), "/comments/feed/": _COMMENTS},
        canonical="{base0}/comments/feed/",
        origin="html",
    ),
    site(
        "category feeds on the front page",
        "a newspaper names its sections first",
        {
            "/": html(link("/category/sports/feed") + link("/category/world/feed") + link("/feed")),
            "/category/sports/feed": rss("Sports", full=True),
            "/category/world/feed": rss("World"),
            "/feed": rss(newest=20),
        },
        canonical="{base0}/feed",
        origin="html",
        also=("{base0}/category/sports/feed", "{base0}/category/world/feed"),
    ),
    site(
        "category page",
        "a person who pastes a category wants that category",
        {
            "/category/python/": html(
                _WORDPRESS_HEAD + link("/category/python/feed/", title="Python Category Feed")
            ),
            "/category/python/feed/": rss("Python"),
            **_WORDPRESS,
        },
        pasted="{base0}/category/python/",
        canonical="{base0}/category/python/feed/",
        origin="html",
        also=("{base0}/feed/",),
    ),
    site(
        "tag page",
        "the same for a tag whose feed is a file",
        {
            "/tags/python.html": html(link("/index.xml") + link("/tags/python.xml")),
            "/tags/python.xml": rss("Python"),
            "/index.xml": rss(),
        },
        pasted="{base0}/tags/python.html",
        canonical="{base0}/tags/python.xml",
        origin="html",
    ),
    site(
        "author page",
        "the same for an author",
        {
            "/author/ben/": html(link("/feed/") + link("/author/ben/feed/")),
            "/author/ben/feed/": rss("Posts by Ben"),
            "/feed/": rss(),
        },
        pasted="{base0}/author/ben/",
        canonical="{base0}/author/ben/feed/",
        origin="html",
    ),
    site(
        "search page",
        "the same for a search",
        {
            "/?s=tea": html(link("/feed/") + link("/search/tea/feed/rss2/")),
            "/search/tea/feed/rss2/": rss("Search results for tea"),
            "/feed/": rss(),
        },
        pasted="{base0}/?s=tea",
        canonical="{base0}/search/tea/feed/rss2/",
        origin="html",
        also=("{base0}/feed/",),
    ),
    site(
        "category page without links",
        "the feed of a category is guessed beside it",
        {"/category/tea": html(), "/category/tea/feed": rss("Tea"), "/feed": rss()},
        pasted="{base0}/category/tea",
        canonical="{base0}/category/tea/feed",
        origin="guess",
    ),
    site(
        "article with a category feed",
        "the page names one section; the front page names the main feed",
        {
            "/walks/a-walk.html": html(link("/topics/walks/feed.xml")),
            "/topics/walks/feed.xml": rss("Walks"),
            "/": html(link("/feed.xml")),
            "/feed.xml": rss(),
        },
        pasted="{base0}/walks/a-walk.html",
        canonical="{base0}/feed.xml",
        origin="html",
        also=("{base0}/topics/walks/feed.xml",),
    ),
    site(
        "fresh and stale",
        "two feeds alike, one without news for a year",
        {
            "/": html(link("/a.xml") + link("/news.xml")),
            "/a.xml": rss(newest=400),
            "/news.xml": rss(),
        },
        canonical="{base0}/news.xml",
        origin="html",
    ),
    site(
        "full and short",
        "one feed gives whole articles",
        {
            "/": html(link("/a.xml") + link("/full.xml")),
            "/a.xml": rss(),
            "/full.xml": rss(full=True),
        },
        canonical="{base0}/full.xml",
        origin="html",
    ),
    site(
        "full text beats the format",
        "a whole article is worth more than a nicer format",
        {
            "/": html(link("/atom.xml", "atom") + link("/full.xml")),
            "/atom.xml": atom(),
            "/full.xml": rss(full=True),
        },
        canonical="{base0}/full.xml",
        origin="html",
    ),
    site(
        "empty and filled",
        "a feed with entries beats one without",
        {
            "/": html(link("/a.xml") + link("/filled.xml")),
            "/a.xml": rss(items=0),
            "/filled.xml": rss(newest=400),
        },
        canonical="{base0}/filled.xml",
        origin="html",
    ),
    site(
        "deep and shallow",
        "the feed of a sub-project lies deeper",
        {
            "/": html(link("/projects/loom/news.xml") + link("/main-feed-of-all.xml")),
            "/projects/loom/news.xml": rss("Loom"),
            "/main-feed-of-all.xml": rss(),
        },
        canonical="{base0}/main-feed-of-all.xml",
        origin="html",
    ),
    site(
        "order of the page",
        "all else equal, the page's own order decides",
        {"/": html(link("/b.xml") + link("/a.xml")), "/b.xml": rss(), "/a.xml": rss()},
        canonical="{base0}/b.xml",
        origin="html",
    ),
    site(
        "very many feeds",
        "sixty links; the budget does not allow to ask them all",
        {
            "/": html("".join(link(f"/category/c{n}/feed") for n in range(60)) + link("/feed")),
            **{f"/category/c{n}/feed": rss(f"C{n}") for n in range(60)},
            "/feed": rss(),
        },
        canonical="{base0}/feed",
        origin="html",
    ),
)
