"""Sites that are broken, hostile, empty, busy or gone."""

from tests.corpus.sites.building import Answer, as_type, html, link, page, rss, site

_CYRILLIC = page(
    '<meta charset="windows-1251">' + link("/лента.xml"), title="Страницы Анны"
).encode("windows-1251")

SHAPES = (
    site(
        "dead article that names the feed",
        "an error page in the site's own design",
        {"/gone": html(link("/feed.xml"), status=404), "/feed.xml": rss()},
        pasted="{base0}/gone",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "dead article on a living site",
        "a bare error page; the front page names the feed",
        {"/": html(link("/feed.xml")), "/feed.xml": rss()},
        pasted="{base0}/gone/article.html",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "404 with a feed in it",
        "a feed served as an error is no feed: the next refresh would call it gone",
        {"/": html(link("/feed.xml")), "/feed.xml": as_type(rss(), "text/xml", status=404)},
        ending="no_feed",
    ),
    site(
        "pasted 404 with a feed in it",
        "the same, pasted",
        {"/feed.xml": as_type(rss(), "text/xml", status=404)},
        pasted="{base0}/feed.xml",
        ending="not_found",
    ),
    site(
        "page gone, nothing left",
        "410 everywhere",
        {"/": Answer("Gone.", status=410)},
        missing=Answer("Gone.", status=410),
        ending="not_found",
    ),
    site(
        "server error, working feed",
        "the page is broken, the feed is not",
        {"/": Answer("Oops", status=500), "/feed": rss()},
        canonical="{base0}/feed",
        origin="guess",
    ),
    site(
        "forbidden page, open feed",
        "a wall against robots that lets feeds through",
        {"/": Answer("Forbidden", status=403), "/rss.xml": rss()},
        canonical="{base0}/rss.xml",
        origin="guess",
    ),
    site(
        "all forbidden",
        "a wall without a gate is not hammered at",
        {},
        missing=Answer("Forbidden", status=403),
        ending="refused",
    ),
    site(
        "busy",
        "a server that asks to be left alone",
        {"/": Answer("Later", status=503, headers={"retry-after": "60"}), "/feed": rss()},
        ending="failing",
    ),
    site(
        "script only",
        "an empty page that a script would fill",
        {"/": html('<script src="/app.js"></script>', '<div id="root"></div>')},
        missing=html('<script src="/app.js"></script>', '<div id="root"></div>'),
        ending="no_feed",
    ),
    site(
        "nothing at all",
        "an honest page without any feed",
        {"/": html("", "<h1>Hello</h1><p>This is all.</p>")},
        ending="no_feed",
    ),
    site("empty answer", "no bytes", {"/": Answer("")}, ending="no_feed"),
    site(
        "picture",
        "not a page; the site around it has a feed",
        {
            "/i/cat.png": Answer(b"\x89PNG\r\n\x1a\n" + bytes(range(256)), type="image/png"),
            "/": html(link("/feed.xml")),
            "/feed.xml": rss(),
        },
        pasted="{base0}/i/cat.png",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "broken markup",
        "unclosed tags, stray brackets, an attribute that never ends",
        {
            "/": Answer(
                "<html><head><title>Ann<meta foo <b <i><<<link></title>"
                "<link rel=alternate type='application/rss+xml' href='/feed.xml'"
                " <p>Oops <a href='x><td></html></html><div"
            ),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "huge head",
        "half a megabyte of styles before the link",
        {
            "/": html("<style>" + "a{color:red}\n" * 40_000 + "</style>" + link("/f/1")),
            "/f/1": rss(),
        },
        canonical="{base0}/f/1",
        origin="html",
    ),
    site(
        "deep nesting",
        "twenty thousand nested elements around the link",
        {"/": Answer(page("", "<div>" * 20_000 + '<a href="/f.rss">RSS</a>')), "/f.rss": rss()},
        canonical="{base0}/f.rss",
        origin="anchor",
    ),
    site(
        "tag with a thousand attributes",
        "a tag of hundreds of kilobytes before the link",
        {
            "/": html("<meta " + " ".join(f"a{n}=1" for n in range(60_000)) + ">" + link("/f.rss")),
            "/f.rss": rss(),
        },
        canonical="{base0}/f.rss",
        origin="html",
    ),
    site(
        "windows-1251",
        "an old encoding, also in the address of the feed",
        {
            "/": Answer(_CYRILLIC, type="text/html"),
            "/%D0%BB%D0%B5%D0%BD%D1%82%D0%B0.xml": rss("Страницы Анны"),
        },
        canonical="{base0}/%D0%BB%D0%B5%D0%BD%D1%82%D0%B0.xml",
        origin="html",
    ),
    site(
        "utf-16",
        "a page in UTF-16 with its mark",
        {
            "/": Answer(b"\xff\xfe" + page(link("/f.rss")).encode("utf-16-le"), type="text/html"),
            "/f.rss": rss(),
        },
        canonical="{base0}/f.rss",
        origin="html",
    ),
    site(
        "wrong charset",
        "a charset that does not exist",
        {"/": html(link("/f.rss"), type="text/html; charset=klingon"), "/f.rss": rss()},
        canonical="{base0}/f.rss",
        origin="html",
    ),
    site(
        "protected feed",
        "the only feed asks for a password",
        {"/": html(link("/feed.xml")), "/feed.xml": Answer("Password?", status=401)},
        ending="no_feed",
    ),
    site("dead host", "nobody answers", {}, down=frozenset({0}), ending="unreachable"),
    site(
        "feed on a dead host",
        "the page names a feed on a host that is gone; another is guessable",
        {"/": html(link("{base1}/feed.xml")), "/feed": rss()},
        {},
        down=frozenset({1}),
        canonical="{base0}/feed",
        origin="guess",
    ),
    site(
        "empty feed",
        "a feed without entries is still a feed",
        {"/": html(link("/feed.xml")), "/feed.xml": rss(items=0)},
        canonical="{base0}/feed.xml",
        origin="html",
    ),
)
