"""Pages and feeds that are not where they were."""

from tests.corpus.sites.building import Answer, html, link, moved, page, rss, site

SHAPES = (
    site(
        "page moved to another host",
        "the site has a new domain",
        {"/": moved("{base1}/")},
        {"/": html(link("/feed.xml")), "/feed.xml": rss(at="{base1}")},
        canonical="{base1}/feed.xml",
        origin="html",
    ),
    site(
        "page behind three redirects",
        "a chain, one hop relative",
        {
            "/": moved("/a", 302),
            "/a": moved("//{host0}/b", 307),
            "/b": moved("c/", 308),
            "/c/": html(link("feed.xml")),
            "/c/feed.xml": rss(site_path="/c/"),
        },
        canonical="{base0}/c/feed.xml",
        origin="html",
    ),
    site(
        "redirect loop",
        "two pages that send to each other",
        {"/": moved("/a", 302), "/a": moved("/", 302)},
        ending="unreachable",
    ),
    site(
        "meta refresh",
        "a page that sends its visitors on",
        {
            "/": html('<meta http-equiv="refresh" content="0; url=/start/">'),
            "/start/": html(link("/start/feed.xml")),
            "/start/feed.xml": rss(site_path="/start/"),
        },
        canonical="{base0}/start/feed.xml",
        origin="html",
    ),
    site(
        "meta refresh in odd spelling",
        "capitals, quotes, no url word, a decimal",
        {"/": html("<META HTTP-EQUIV='Refresh' CONTENT=\"0.5;'{base1}/'\">")},
        {"/": html(link("/feed.xml")), "/feed.xml": rss(at="{base1}")},
        canonical="{base1}/feed.xml",
        origin="html",
    ),
    site(
        "meta refresh to a feed",
        "the page sends straight to the feed",
        {"/": html('<meta http-equiv="refresh" content="0; url=/news/out">'), "/news/out": rss()},
        canonical="{base0}/news/out",
        origin="html",
    ),
    site(
        "page that reloads itself",
        "a slow refresh is no signpost",
        {
            "/": html('<meta http-equiv="refresh" content="300; url=/?r=1">' + link("/feed.xml")),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "refresh circle",
        "two pages that refresh to each other; the feed is guessable",
        {
            "/": html('<meta http-equiv="refresh" content="0; url=/a">'),
            "/a": html('<meta http-equiv="refresh" content="0; url=/">'),
            "/feed": rss(),
        },
        canonical="{base0}/feed",
        origin="guess",
    ),
    site(
        "frames",
        "a site from another century",
        {
            "/": Answer(
                "<html><head><title>Ann</title></head><frameset cols='20%,80%'>"
                "<frame src='menu.html' name=menu><frame src='main.html' name=main>"
                "</frameset></html>"
            ),
            "/main.html": html("", '<a href="news.xml">XML</a>'),
            "/news.xml": rss(),
        },
        canonical="{base0}/news.xml",
        origin="anchor",
    ),
    site(
        "copy for telephones",
        "a stripped page names the original, which names the feed",
        {
            "/amp/walk": html('<link rel="canonical" href="{base0}/w/walk">'),
            "/w/walk": html(link("/w/feed.xml")),
            "/w/feed.xml": rss(site_path="/w/"),
        },
        pasted="{base0}/amp/walk",
        canonical="{base0}/w/feed.xml",
        origin="html",
    ),
    site(
        "feed moved to a feed host",
        "the named feed redirects for good",
        {"/": html(link("/feed")), "/feed": moved("{base1}/ann")},
        {"/ann": rss()},
        canonical="{base1}/ann",
        origin="html",
    ),
    site(
        "feed redirected for now",
        "the named feed redirects for the moment",
        {"/": html(link("/feed")), "/feed": moved("{base1}/ann", 302)},
        {"/ann": rss()},
        canonical="{base0}/feed",
        origin="html",
    ),
    site(
        "two names of one feed",
        "two links that end at the same document are one feed",
        {
            "/": html(link("/feed") + link("/rss")),
            "/feed": moved("{base0}/all.xml"),
            "/rss": moved("{base0}/all.xml"),
            "/all.xml": rss(),
        },
        canonical="{base0}/all.xml",
        origin="html",
    ),
    site(
        "feed behind a login",
        "the named feed redirects to a login page; another is open",
        {
            "/": html(link("/private.xml") + link("/feed.xml")),
            "/private.xml": moved("/login", 302),
            "/login": Answer(page("", "<form><input name=password></form>")),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="html",
    ),
)
