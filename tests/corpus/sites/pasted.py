"""What people paste: feeds themselves, bare hosts, brackets, handles, other schemes."""

from tests.corpus.sites.building import (
    Answer,
    as_type,
    atom,
    html,
    json_feed,
    link,
    moved,
    rss,
    site,
)

_SITE = {"/": html(link("/feed.xml")), "/feed.xml": rss()}
_PASTED = {"canonical": "{base0}/feed.xml", "origin": "pasted"}
_BOM_FEED = "\ufeff\n" + str(rss().body).partition("?>")[2]

SHAPES = (
    site("feed", "the feed itself", _SITE, pasted="{base0}/feed.xml", **_PASTED),
    site(
        "feed served as html",
        "the feed itself, with the type of a page",
        {"/feed.xml": as_type(rss(), "text/html")},
        pasted="{base0}/feed.xml",
        **_PASTED,
    ),
    site(
        "feed served as text",
        "the feed itself, with the type of a text",
        {"/feed.xml": as_type(atom(), "text/plain")},
        pasted="{base0}/feed.xml",
        **_PASTED,
    ),
    site(
        "json feed",
        "a JSON Feed served as JSON",
        {"/feed.xml": json_feed(mime="application/json")},
        pasted="{base0}/feed.xml",
        **_PASTED,
    ),
    site(
        "feed with a mark before it",
        "a byte order mark and a line break before the document",
        {"/feed.xml": Answer(_BOM_FEED, type="application/xml")},
        pasted="{base0}/feed.xml",
        **_PASTED,
    ),
    site(
        "feed scheme", "feed: before the address", _SITE, pasted="feed:{base0}/feed.xml", **_PASTED
    ),
    site(
        "feed scheme with slashes",
        "feed:// instead of a scheme; https is tried first",
        _SITE,
        pasted="feed://{host0}/feed.xml",
        canonical="{base0}/feed.xml",
        origin="pasted",
    ),
    site(
        "comments feed",
        "a person who pastes the comments wants the comments",
        {
            "/": html(link("/feed.xml") + link("/comments/feed.xml")),
            "/feed.xml": rss(),
            "/comments/feed.xml": rss("Comments"),
        },
        pasted="{base0}/comments/feed.xml",
        canonical="{base0}/comments/feed.xml",
        origin="pasted",
        also=("{base0}/feed.xml",),
    ),
    site(
        "category feed",
        "the same for a category, even an empty one",
        {
            "/": html(link("/feed.xml")),
            "/feed.xml": rss(),
            "/category/tea/feed": rss("Tea", items=0),
        },
        pasted="{base0}/category/tea/feed",
        canonical="{base0}/category/tea/feed",
        origin="pasted",
        also=("{base0}/feed.xml",),
    ),
    site(
        "feed that moved for good",
        "a permanent redirect: the new address is the one to keep",
        {"/old.xml": moved("{base0}/feed.xml"), "/feed.xml": rss()},
        pasted="{base0}/old.xml",
        **_PASTED,
    ),
    site(
        "feed that moved for now",
        "a temporary redirect: the old address stays",
        {"/feed.xml": moved("{base0}/cache/7.xml", 302), "/cache/7.xml": rss()},
        pasted="{base0}/feed.xml",
        **_PASTED,
    ),
    site(
        "brackets and blanks",
        "an address copied from a mail",
        _SITE,
        pasted="  <{base0}/feed.xml>, ",
        **_PASTED,
    ),
    site(
        "a sentence",
        "an address in the middle of a message",
        _SITE,
        pasted="Look at {base0}/ it is great",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "bare host",
        "no scheme: https does not answer, http does",
        _SITE,
        pasted="{host0}",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "bare host with a path",
        "no scheme and a path",
        {"/blog": html(link("/feed.xml")), "/feed.xml": rss()},
        pasted="{host0}/blog",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "campaign parameters",
        "an address from a newsletter",
        {"/?utm_source=mail&utm_campaign=x": html(link("/feed.xml")), "/feed.xml": rss()},
        pasted="{base0}/?utm_source=mail&utm_campaign=x",
        canonical="{base0}/feed.xml",
        origin="html",
    ),
    site(
        "handle",
        "an account of the fediverse, found by its handle",
        {
            "/.well-known/webfinger?resource=acct:ann@{host0}": Answer(
                '{"subject": "acct:ann", "links": [{"rel": '
                '"http://webfinger.net/rel/profile-page", "href": "{base0}/@ann"}]}',
                type="application/jrd+json",
            ),
            "/@ann": html(link("{base0}/@ann.rss")),
            "/@ann.rss": rss("Ann", site_path="/@ann"),
        },
        pasted="@ann@{host0}",
        canonical="{base0}/@ann.rss",
        origin="html",
    ),
    site(
        "handle on another host",
        "the name belongs to one host, the server to another",
        {
            "/.well-known/webfinger?resource=acct:ann@{host0}": Answer(
                '{"links": [{"rel": "self", "href": "{base1}/users/ann"}, {"rel": '
                '"http://webfinger.net/rel/profile-page", "href": "{base1}/@ann"}]}',
                type="application/jrd+json",
            )
        },
        {
            "/@ann": html('<script id="initial-state"></script>'),
            "/@ann.rss": rss("Ann", at="{base1}", site_path="/@ann"),
        },
        pasted="@ann@{host0}",
        canonical="{base1}/@ann.rss",
        origin="platform",
    ),
    site(
        "handle without webfinger",
        "a server that only shows the profile",
        {"/@ann": html(), "/users/ann/feed.atom": atom("Ann", site_path="/@ann")},
        pasted="ann@{host0}",
        canonical="{base0}/users/ann/feed.atom",
        origin="platform",
    ),
)
