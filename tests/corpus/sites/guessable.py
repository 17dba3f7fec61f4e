"""Feeds nobody names: only a guess finds them."""

from tests.corpus.sites.building import (
    Answer,
    Shape,
    atom,
    html,
    json_feed,
    link,
    moved,
    page,
    rss,
    site,
)


def _guessed(path: str, feed: Answer, **rest) -> Shape:
    return site(
        f"only {path}",
        "a page that names no feed",
        {"/": html(), path: feed},
        **({"canonical": f"{{base0}}{path}", "origin": "guess"} | rest),
    )


SHAPES = (
    _guessed("/feed", rss()),
    _guessed("/rss", rss()),
    _guessed("/rss.xml", rss()),
    _guessed("/feed.xml", atom()),
    _guessed("/index.xml", rss()),
    _guessed("/atom.xml", atom()),
    _guessed("/feed.json", json_feed()),
    _guessed("/index.rss", rss()),
    _guessed("/?feed=rss2", rss()),
    _guessed("/blog/feed", rss(site_path="/blog/")),
    site(
        "two sites on one host",
        "a person's folder: her feed, not the host's",
        {
            "/~ann/": html(),
            "/~ann/feed.xml": rss(site_path="/~ann/"),
            "/": html(link("/~ben/feed.xml", title="Ben")),
            "/~ben/feed.xml": rss("Ben", site_path="/~ben/"),
            "/~ann": moved("/~ann/"),
        },
        pasted="{base0}/~ann/",
        canonical="{base0}/~ann/feed.xml",
        origin="guess",
    ),
    site(
        "article in a folder site",
        "the folder's front page names the feed; so does the host's, another one",
        {
            "/~ann/walk.html": html(),
            "/~ann/": html(link("feed.xml")),
            "/~ann/feed.xml": rss(site_path="/~ann/"),
            "/": html(link("/all.xml")),
            "/all.xml": rss("Everybody"),
        },
        pasted="{base0}/~ann/walk.html",
        canonical="{base0}/~ann/feed.xml",
        origin="html",
    ),
    site(
        "article whose front page names the feed",
        "the article names nothing",
        {"/2024/05/walk.html": html(), "/": html(link("/feed.xml")), "/feed.xml": rss()},
        pasted="{base0}/2024/05/walk.html",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "blog behind a front page",
        "the front page of a company links to its blog, which names the feed",
        {
            "/": html("", '<a href="/shop">Shop</a><a href="/journal/">Blog</a>'),
            "/journal/": html(link("/journal/all.xml")),
            "/journal/all.xml": rss(site_path="/journal/"),
        },
        canonical="{base0}/journal/all.xml",
        origin="html",
    ),
    site(
        "every path is the front page",
        "a server that answers 200 with a page to everything",
        {"/": html(), "/atom.xml": atom()},
        missing=Answer(page("", "<p>Oops.</p>")),
        canonical="{base0}/atom.xml",
        origin="guess",
    ),
    site(
        "every path leads home",
        "a server that redirects everything to its front page",
        {"/": html()},
        missing=moved("{base0}/", 302),
        ending="no_feed",
    ),
    site(
        "every path is a feed",
        "a server that answers everything with the same feed",
        {"/": html()},
        missing=rss(),
        canonical="{base0}/rss",
        origin="guess",
    ),
)
