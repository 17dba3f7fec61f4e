"""Feeds named by HTTP ``Link`` headers."""

from tests.corpus.sites.building import Answer, html, link, rss, site

SHAPES = (
    site(
        "header only",
        "the page says nothing, the header does",
        {
            "/": html(
                headers={"link": '<{base0}/feed.xml>; rel="alternate"; type="application/rss+xml"'}
            ),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="headers",
    ),
    site(
        "several header links",
        "style sheets, an API and, between them, the feed; commas inside",
        {
            "/": html(
                headers={
                    "link": '</a,b.css>; rel=preload; as=style, <{base0}/wp-json/>; rel="api", '
                    '</feed.xml>; title="News, and \\"more\\""; '
                    'type="application/rss+xml"; rel="alternate", </next>; rel=next'
                }
            ),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="headers",
    ),
    site(
        "header without quotes",
        "parameters as bare words, relation in capitals",
        {
            "/": html(headers={"link": "<feed.xml>;REL=ALTERNATE;Type=application/rss+xml"}),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="headers",
    ),
    site(
        "header on a text file",
        "a page that is not HTML at all",
        {
            "/notes.txt": Answer(
                "Plain notes.",
                type="text/plain",
                headers={"link": '</feed.xml>; rel="alternate"; type="application/atom+xml"'},
            ),
            "/feed.xml": rss(),
        },
        pasted="{base0}/notes.txt",
        canonical="{base0}/feed.xml",
        origin="headers",
    ),
    site(
        "header and link",
        "two feeds: the tag in the page is trusted more than the header",
        {
            "/": html(
                link("/long-name-of-the-feed.xml"),
                headers={"link": '</h.xml>; rel="alternate"; type="application/rss+xml"'},
            ),
            "/long-name-of-the-feed.xml": rss(),
            "/h.xml": rss(),
        },
        canonical="{base0}/long-name-of-the-feed.xml",
        origin="html",
        also=("{base0}/h.xml",),
    ),
    site(
        "broken header",
        "a header that ends in the middle of a word",
        {
            "/": html(link("/feed.xml"), headers={"link": '<<>>, <x>; rel="; <{base0}/y; rel='}),
            "/feed.xml": rss(),
        },
        canonical="{base0}/feed.xml",
        origin="html",
    ),
)
