"""Feeds named by ``<link>`` elements, written in all the ways people write them."""

from tests.corpus.sites.building import (
    Answer,
    Shape,
    as_type,
    atom,
    html,
    json_feed,
    link,
    rdf,
    rss,
    site,
)

_FOUND = {"canonical": "{base0}/feed.xml", "origin": "html"}


def _linked(name: str, shows: str, head: str, **rest) -> Shape:
    hosts = ({"/": html(head), "/feed.xml": rss()},)
    return site(name, shows, *hosts, **(_FOUND | rest))


SHAPES = (
    _linked("host without a scheme", "what looks like a folder", link("{host0}/feed.xml")),
    _linked("two schemes", "an address pasted behind a scheme", link("http://{base0}/feed.xml")),
    _linked("backslashes", "as browsers read them", link("\\feed.xml")),
    _linked("rss link", "the plainest autodiscovery", link("{base0}/feed.xml")),
    _linked(
        "feed scheme and host",
        "feed: alone, as browsers once had it",
        link("feed://{host0}/feed.xml"),
    ),
    site(
        "atom link",
        "the same with Atom",
        {"/": html(link("{base0}/atom.xml", "atom")), "/atom.xml": atom()},
        canonical="{base0}/atom.xml",
        origin="html",
    ),
    site(
        "json feed only",
        "a site whose only feed is a JSON Feed",
        {"/": html(link("/feed.json", "json")), "/feed.json": json_feed()},
        canonical="{base0}/feed.json",
        origin="html",
    ),
    site(
        "json feed with the old type",
        "application/json as the type of the link, and of the answer",
        {
            "/": html('<link rel="alternate" type="application/json" href="/feed.json">'),
            "/feed.json": json_feed(mime="application/json"),
        },
        canonical="{base0}/feed.json",
        origin="html",
    ),
    site(
        "rss 1.0",
        "an RDF feed",
        {"/": html(link("/index.rdf", "rdf")), "/index.rdf": rdf()},
        canonical="{base0}/index.rdf",
        origin="html",
    ),
    site(
        "rss and atom",
        "two formats of the same: Atom is the tie breaker",
        {
            "/": html(link("/rss.xml") + link("/atom.xml", "atom")),
            "/rss.xml": rss(),
            "/atom.xml": atom(),
        },
        canonical="{base0}/atom.xml",
        origin="html",
        also=("{base0}/rss.xml",),
    ),
    site(
        "rss, atom and json",
        "three formats: Atom and JSON Feed are equal, the first of them wins",
        {
            "/": html(link("/rss.xml") + link("/atom.xml", "atom") + link("/f.json", "json")),
            "/rss.xml": rss(),
            "/atom.xml": atom(),
            "/f.json": json_feed(),
        },
        canonical="{base0}/atom.xml",
        origin="html",
    ),
    site(
        "relative link",
        "an address relative to the page's folder",
        {"/blog/": html(link("feed.xml")), "/blog/feed.xml": rss(site_path="/blog/")},
        pasted="{base0}/blog/",
        canonical="{base0}/blog/feed.xml",
        origin="html",
    ),
    site(
        "relative link that climbs",
        "an address with dots from a deep page",
        {"/a/b/c.html": html(link("../../feed.xml")), "/feed.xml": rss()},
        pasted="{base0}/a/b/c.html",
        **_FOUND,
    ),
    _linked("root-relative link", "an address relative to the host", link("/feed.xml")),
    _linked("protocol-relative link", "no scheme", link("//{host0}/feed.xml")),
    _linked(
        "base tag",
        "links are relative to the base, not to the page",
        '<base href="{base0}/">' + link("feed.xml"),
        pasted="{base0}/",
    ),
    site(
        "base tag in a folder",
        "a page in a folder whose base is another one",
        {
            "/a/page.html": html('<base href="/sub/">' + link("feed.xml")),
            "/sub/feed.xml": rss(),
            "/a/feed.xml": rss("Wrong one", items=0),
        },
        pasted="{base0}/a/page.html",
        canonical="{base0}/sub/feed.xml",
        origin="html",
    ),
    site(
        "base tag of another host",
        "a mirror whose links belong to the original",
        {"/": html('<base href="{base1}/">' + link("feed.xml"))},
        {"/feed.xml": rss(at="{base1}")},
        canonical="{base1}/feed.xml",
        origin="html",
    ),
    _linked(
        "upper case",
        "names and values in capitals",
        '<LINK REL="ALTERNATE" TYPE="APPLICATION/RSS+XML" HREF="/feed.xml">',
    ),
    _linked(
        "no quotes",
        "attributes without quotes",
        "<link rel=alternate type=application/rss+xml href=/feed.xml>",
    ),
    _linked(
        "single quotes and order",
        "attributes in another order",
        "<link href='/feed.xml' title='Ann&#39;s' type='application/rss+xml' rel='alternate'/>",
    ),
    site(
        "entities in the address",
        "an ampersand written as an entity",
        {"/": html(link("/out?format=rss&amp;lang=en")), "/out?format=rss&lang=en": rss()},
        canonical="{base0}/out?format=rss&lang=en",
        origin="html",
    ),
    _linked(
        "several words in rel",
        "alternate among other relations",
        '<link rel="home alternate nofollow" type="application/rss+xml" href="/feed.xml">',
    ),
    _linked(
        "rel feed",
        "the relation HTML once had for feeds, without a type",
        '<link rel="feed" href="/feed.xml">',
    ),
    _linked(
        "no type",
        "an alternate without a type, but spelled like a feed",
        '<link rel="alternate" href="/feed.xml">',
    ),
    _linked(
        "type with parameters",
        "a type that carries its charset",
        '<link rel="alternate" type="application/rss+xml; charset=utf-8" href="/feed.xml">',
    ),
    _linked(
        "type text/xml", "a vague type", '<link rel="alternate" type="text/xml" href="/feed.xml">'
    ),
    _linked(
        "misspelt type",
        "a type nobody registered",
        '<link rel="alternate" type="application/rss" href="/feed.xml">',
    ),
    _linked(
        "misspelt rel",
        "alternative instead of alternate",
        '<link rel="alternative" type="application/rss+xml" href="/feed.xml">',
    ),
    site(
        "link in the body",
        "a link element where it does not belong",
        {"/": html("", f"<div>{link('/feed.xml')}</div>"), "/feed.xml": rss()},
        **_FOUND,
    ),
    _linked(
        "link in noscript",
        "only for visitors without scripts",
        f"<noscript>{link('/feed.xml')}</noscript>",
    ),
    _linked(
        "link in a comment",
        "a feed that was commented out must not count",
        f"<!-- {link('/old.xml')} -->{link('/feed.xml')}",
    ),
    _linked(
        "link in a script",
        "markup inside a string is not markup",
        f"<script>var x = '{link('/trap.xml')}';</script>{link('/feed.xml')}",
    ),
    _linked(
        "space in the address",
        "line breaks and blanks around the address",
        '<link rel="alternate" type="application/rss+xml" href="\n  /feed.xml \t">',
    ),
    _linked(
        "the same link three times",
        "a template included too often",
        link("/feed.xml") * 2 + link("{base0}/feed.xml"),
    ),
    _linked(
        "empty link first",
        "a theme setting nobody filled in",
        link("") + link("#") + link("/feed.xml"),
    ),
    _linked(
        "translations and styles",
        "alternates that are no feeds",
        '<link rel="alternate" hreflang="de" href="/de/">'
        '<link rel="alternate stylesheet" type="text/css" href="/dark.css">'
        '<link rel="alternate" media="handheld" href="/m/">' + link("/feed.xml"),
    ),
    _linked(
        "oembed and activitypub",
        "machine-readable alternates that are no feeds",
        '<link rel="alternate" type="application/json+oembed" href="/oembed?u=1">'
        '<link rel="alternate" type="text/xml+oembed" href="/oembed?u=1&amp;format=xml">'
        '<link rel="alternate" type="application/activity+json" href="/actor">'
        '<link rel="https://api.example/" type="application/json" href="/api/posts/7">'
        + link("/feed.xml"),
    ),
    site(
        "dead link first",
        "the first link is a 404",
        {"/": html(link("/gone.xml") + link("/feed.xml")), "/feed.xml": rss()},
        **_FOUND,
    ),
    site(
        "page behind the first link",
        "the first link leads to a page, not a feed",
        {
            "/": html(link("/subscribe") + link("/feed.xml")),
            "/subscribe": html("", "<p>Get our newsletter.</p>"),
            "/feed.xml": rss(),
        },
        **_FOUND,
    ),
    _linked(
        "addresses of other kinds",
        "script, data and file addresses are not followed",
        link("javascript:feed()")
        + link("data:text/xml,x")
        + link("file:///etc/feed")
        + link("/feed.xml"),
    ),
    site(
        "feed on a feed host",
        "a feed that lives elsewhere but speaks of this site",
        {"/": html(link("{base1}/ann"))},
        {"/ann": rss(at="{base0}")},
        canonical="{base1}/ann",
        origin="html",
    ),
    site(
        "own feed and a foreign one",
        "a blogroll's feed beside the own: the own site wins",
        {
            "/": html(link("{base1}/feed.xml", title="A friend") + link("/own/feed.xml")),
            "/own/feed.xml": rss(),
        },
        {"/feed.xml": rss("A friend", at="{base1}")},
        canonical="{base0}/own/feed.xml",
        origin="html",
        also=("{base1}/feed.xml",),
    ),
    site(
        "feed as html type",
        "a feed served as a page",
        {"/": html(link("/feed.xml")), "/feed.xml": as_type(rss(), "text/html")},
        **_FOUND,
    ),
    site(
        "feed as a download",
        "a feed served as bytes",
        {"/": html(link("/feed.xml")), "/feed.xml": as_type(rss(), "application/octet-stream")},
        **_FOUND,
    ),
    site(
        "damaged feed first",
        "the first feed is cut off in the middle",
        {
            "/": html(link("/cut.xml") + link("/feed.xml")),
            "/cut.xml": Answer("<?xml version='1.0'?><rss><cha", type="text/xml"),
            "/feed.xml": rss(),
        },
        **_FOUND,
    ),
)
