"""Which links and anchors of a page count as feeds."""

import pytest

from feedloom.discover import page_candidates, read_page
from feedloom.model.stages import FetchResponse, Origin
from feedloom.model.urls import MAX_URL

URL = "https://site.example/a/page.html"


def candidates_of(body: str, *, header: str = "", url: str = URL):
    headers = {"content-type": "text/html", "link": header}
    return page_candidates(read_page(FetchResponse(url, 200, headers, body.encode())))


def found(body: str, **rest) -> list[str]:
    return [one.url for one in candidates_of(body, **rest)]


@pytest.mark.parametrize(
    "link",
    [
        "<link rel=alternate type='application/rss+xml' href='/f'>",
        "<link rel=alternate type='application/atom+xml' href='/f'>",
        "<link rel=alternate type='application/feed+json' href='/f'>",
        "<link rel=alternate type='application/rdf+xml' href='/f'>",
        "<link rel=alternate type='application/x.atom+xml' href='/f'>",
        "<link rel='feed' href='/f'>",
        "<link rel='ALTERNATE home' type='Application/RSS+XML;x=1' href='/f'>",
        "<link rel=alternates type='text/rss' href='/f'>",
        "<link rel=alternate type='application/xml+rss' href='/f'>",
        "<link rel=alternate type='application/rss2+xml' href='/f'>",
        "<link rel='service.feed' href='/f'>",
        "<link rel=rss href='/f'>",
        "<link type='application/rss+xml' href='/f'>",
    ],
)
def test_links_that_name_a_feed(link):
    assert found(link) == ["https://site.example/f"]


@pytest.mark.parametrize(
    "link",
    [
        "<link rel=alternate type='application/json+oembed' href='/feed'>",
        "<link rel=alternate type='application/activity+json' href='/feed'>",
        "<link rel=alternate type='application/json' href='/wp-json/wp/v2/posts/1'>",
        "<link rel=alternate hreflang=de href='/de/'>",
        "<link rel='alternate stylesheet' type='text/css' href='/feed.css'>",
        "<link rel='canonical alternate' href='/feed.xml'>",
        "<link rel=stylesheet type='application/rss+xml' href='/f'>",
        "<link type='text/xml' href='/f'>",
        "<link rel=alternate type='application/rss+xml'>",
        "<link rel=alternate type='application/rss+xml' href='javascript:x'>",
        "<link rel=alternate type='text/xml' href='/sitemap.xml'>",
        "<link rel=alternate type='application/pdf' href='/feed.pdf'>",
    ],
)
def test_links_that_name_something_else(link):
    assert found(link) == []


def test_vague_types_count_when_the_address_looks_like_a_feed():
    assert found("<link rel=alternate type='text/xml' href='/rss'>") == ["https://site.example/rss"]


@pytest.mark.parametrize(
    ("header", "urls", "title"),
    [
        ("</f>; rel=alternate; type=application/rss+xml", ["https://site.example/f"], ""),
        (
            '<f>; type="application/atom+xml"; title="A, \\"b\\""; rel="alternate nofollow"',
            ["https://site.example/a/f"],
            'A, "b"',
        ),
        (
            "</x>; rel=next, </f>; rel=alternate; type=text/rss; title=n; title*=UTF-8''caf%C3%A9",
            ["https://site.example/f"],
            "café",
        ),
        ("</f>;rel=alternate ; type=text/html", [], ""),
        ("</feed>", [], ""),
        ("<>; rel=alternate", [], ""),
        ("<javascript:x>; rel=alternate; type=application/rss+xml", [], ""),
        ("rel=alternate; type=application/rss+xml", [], ""),
        ("<" * 20_000, [], ""),
        ('</f>; rel="alternate', [], ""),
    ],
)
def test_link_headers(header, urls, title):
    named = candidates_of("", header=header)

    assert [one.url for one in named] == urls
    assert all(one.origin is Origin.HEADERS and one.title == title for one in named)


@pytest.mark.parametrize(
    ("anchor", "url"),
    [
        ("<a href='/feed.xml'>x</a>", "https://site.example/feed.xml"),
        ("<a href='/x.rss'>x</a>", "https://site.example/x.rss"),
        ("<a href='/feeds/all'>x</a>", "https://site.example/feeds/all"),
        ("<a href='/?feed=rss2'>x</a>", "https://site.example/?feed=rss2"),
        ("<a href='/out?format=atom'>x</a>", "https://site.example/out?format=atom"),
        ("<a href='/rss.php'>x</a>", "https://site.example/rss.php"),
        ("<a href='/feed.json'>x</a>", "https://site.example/feed.json"),
        ("<a href='/y'>RSS</a>", "https://site.example/y"),
        ("<a href='/y'>Atom feed</a>", "https://site.example/y"),
        ("<a href='/y'>Flux</a>", "https://site.example/y"),
        ("<a href='/y'>피드</a>", "https://site.example/y"),
        ("<a href='/y' title='RSS'></a>", "https://site.example/y"),
        ("<a href='/y'><img src='/img/rss.png'></a>", "https://site.example/y"),
        ("<a href='/y'><svg class='fa-rss'></svg></a>", "https://site.example/y"),
        ("<a href='feed:https://b.example/f'>x</a>", "https://b.example/f"),
        ("<a href='feed://b.example/f'>x</a>", "https://b.example/f"),
        ("<a href='podcast://b.example/f'>x</a>", "https://b.example/f"),
        ("<a href='https://feeds.feedburner.com/ann'>x</a>", "https://feeds.feedburner.com/ann"),
        ("<a href='https://feeds.other.example/ann'>RSS</a>", "https://feeds.other.example/ann"),
        ("<a href='https://other.example/x.rss'>RSS</a>", "https://other.example/x.rss"),
        (
            "<a href='https://www.inoreader.com/feed/https%3A%2F%2Fb.example%2Ff'>x</a>",
            "https://b.example/f",
        ),
        ("<a href='https://newsblur.com/?url=https://b.example/f'>x</a>", "https://b.example/f"),
        (
            "<a href='https://validator.w3.org/feed/check.cgi?url=http%3A%2F%2Fb.example%2Ff'>x</a>",
            "http://b.example/f",
        ),
    ],
)
def test_anchors_that_lead_to_a_feed(anchor, url):
    named = candidates_of(anchor)

    assert [(one.url, one.origin) for one in named] == [(url, Origin.ANCHOR)]


@pytest.mark.parametrize(
    "anchor",
    [
        "<a href='/about'>About</a>",
        "<a href='/sitemap.xml'>Map</a>",
        "<a href='/opensearch.xml'>Search</a>",
        "<a href='/share?u=x'>RSS</a>",
        "<a href='/login?next=/feed'>Feed</a>",
        "<a href='/newsletter'>Feed by mail</a>",
        "<a href='https://other.example/rss'>RSS</a>",
        "<a href='https://other.example/wiki/RSS'>RSS</a>",
        "<a href='https://social.example/sharer?u=https://site.example/feed.xml'>RSS</a>",
        "<a href='mailto:feed@site.example'>Feed</a>",
        "<a href='javascript:rss()'>RSS</a>",
        "<a href='#rss'>RSS</a>",
        "<a href=''>RSS</a>",
        "<a href='/page-about-how-cows-feed'>How cows feed their young in the far north</a>",
        "<a href='/blog/how-to-feed-a-cat'>Cats</a>",
        "<a href='page.html'>RSS</a>",
        "<a href='feed:'>x</a>",
        "<a href='https://newsblur.com/?url=nothing'>x</a>",
    ],
)
def test_anchors_that_do_not(anchor):
    assert found(anchor) == []


def test_the_surest_anchors_come_first_and_are_few():
    words = "".join(f"<a href='/w{n}'>RSS</a>" for n in range(20))
    named = candidates_of(words + "<a href='/z.rss'>RSS</a>")

    assert named[0].url == "https://site.example/z.rss"
    assert len(named) == 12
    assert [one.rank for one in named] == list(range(12))


def test_an_anchor_is_known_by_its_clearest_words():
    named = candidates_of("<a href='/y'>RSS</a><a href='/y' title='RSS'>Atom</a><a href=/y>z</a>")

    assert [(one.url, one.title) for one in named] == [("https://site.example/y", "RSS")]


def test_a_feed_of_a_secure_page_is_asked_for_securely():
    body = "<link rel=alternate type='application/rss+xml' href='http://{}/f'>"

    assert found(body.format("site.example")) == ["https://site.example/f"]
    assert found(body.format("other.example")) == ["http://other.example/f"]
    assert found(body.format("site.example"), url="http://site.example/") == [
        "http://site.example/f"
    ]


def test_the_longest_address_stays_as_it_is():
    long = "http://site.example/".ljust(MAX_URL, "a")
    header = f'<{long}>; rel="alternate"; type="application/rss+xml"'

    assert found("", header=header) == [long]


@pytest.mark.threat("S6")
@pytest.mark.parametrize("host", ["a" * 64, "a." * 130 + "example", "a..b", "1.2.3"])
def test_a_link_to_no_host_is_left_out(host):
    link = f'<link rel="alternate" type="application/rss+xml" href="http://{host}/f">'

    assert found(f"{link}<a href='http://{host}/feed.xml'>RSS</a>") == []


@pytest.mark.parametrize(
    "url",
    [
        "https://feeds.another.example/ann/1001",
        "https://rss.another.example/ann",
        "https://newsfeed.another.example/all",
        "https://feeds2.feedburner.com/ann",
        "https://feed.podbean.com/ann/feed.xml",
    ],
)
def test_anchors_to_hosts_of_feeds_are_taken_without_a_word(url):
    assert found(f"<a href='{url}'>Follow</a>") == [url]


@pytest.mark.parametrize(
    "url", ["https://feeds.other.example/", "https://rss.example/podcasts/ann"]
)
def test_what_is_no_feed_host_or_only_its_front_page_is_not_taken(url):
    assert found(f"<a href='{url}'>Follow</a>") == []


def test_of_many_anchors_those_of_the_site_and_for_everything_are_kept():
    others = "".join(f"<a href='https://o{n}.example/feed.xml'>x</a>" for n in range(9))
    desks = "".join(f"<a href='/desk/{n}/rss.xml'>Desk</a>" for n in range(20))
    body = f"{others}{desks}<a href='/rss/17.xml'>All news</a>"

    kept = found(body)

    assert len(kept) == 12
    assert kept[0] == "https://site.example/desk/0/rss.xml"
    assert kept[-1] == "https://site.example/rss/17.xml"


def test_data_may_name_a_feed_in_ways_that_lead_nowhere():
    data = """{"feedUrl":"javascript:x","rssUrl":"http://","rss":"/out/17"}"""

    assert found(f"<script>{data}</script>") == ["https://site.example/out/17"]
