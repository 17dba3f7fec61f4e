"""Reading pages: what they say, in which encoding, and how hostile ones are survived."""

import time

import pytest

from feedloom.discover import read_page
from feedloom.model.stages import FetchResponse

URL = "https://site.example/a/page.html"
_PROFILE = "http://webfinger.net/rel/profile-page"
_SELF = '{"rel": "self", "href": "https://s.example/u"}'


def page_of(body: str | bytes, content_type: str = "text/html", url: str = URL):
    data = body if isinstance(body, bytes) else body.encode()
    return read_page(FetchResponse(url, 200, {"content-type": content_type}, data))


def test_title_generator_canonical_and_icon_are_read():
    page = page_of(
        "<title> Ann's \n pages </title><meta name=Generator content='Loom 1'>"
        "<link rel=canonical href=/c><link rel='shortcut icon' href=i.png>"
    )

    assert page.title == "Ann's pages"
    assert page.generator == "Loom 1"
    assert page.canonical_url == "https://site.example/c"
    assert page.favicon_url == "https://site.example/a/i.png"


def test_the_name_of_the_site_is_preferred_to_the_title_of_the_page():
    page = page_of("<title>A walk</title><meta property='og:site_name' content=Ann>")

    assert page.title == "Ann"


def test_without_a_named_icon_the_usual_place_is_taken():
    assert page_of("<p>x").favicon_url == "https://site.example/favicon.ico"


def test_a_touch_icon_is_better_than_a_guess():
    page = page_of("<link rel=apple-touch-icon href=/t.png>")

    assert page.favicon_url == "https://site.example/t.png"


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("<base href='/b/'>", "https://site.example/b/x"),
        ("<base href='//other.example/'>", "https://other.example/x"),
        ("<base href='javascript:x'>", "https://site.example/a/x"),
        ("<base target=_top>", "https://site.example/a/x"),
        ("<base href=''>", "https://site.example/a/x"),
        ("<base href='/b/'><base href='/c/'>", "https://site.example/b/x"),
    ],
)
def test_links_are_resolved_against_the_base(base, expected):
    page = page_of(f"{base}<link rel=alternate href=x><a href=x>y</a>")

    assert page.links[-1].url == expected
    assert page.anchors[-1].url == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=/b", "https://site.example/b"),
        ("5;URL='https://other.example/'", "https://other.example/"),
        ("0.0 ; /b", "https://site.example/b"),
        ("3,url=/b", "https://site.example/b"),
        ("300; url=/b", None),
        ("99999999999; url=/b", None),
        ("0", None),
        ("", None),
        ("now; url=/b", None),
        ("0; url=javascript:x", None),
    ],
)
def test_a_quick_refresh_is_a_signpost(content, expected):
    page = page_of(f'<meta http-equiv="refresh" content="{content}">')

    assert page.refresh_url == expected


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ("<frame src=a.html><frame src=b.html>", "https://site.example/a/b.html"),
        ("<frame src=m.html name=main><frame src=b.html>", "https://site.example/a/m.html"),
        ("<frame>", None),
    ],
)
def test_a_set_of_frames_leads_to_its_content(frames, expected):
    assert page_of(f"<frameset>{frames}</frameset>").refresh_url == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f'{{"links": [{_SELF}, {{"rel": "{_PROFILE}", "href": "https://s.example/@u"}}]}}',
            "https://s.example/@u",
        ),
        ('{"links": [{"rel": "self", "href": "https://s.example/u"}]}', "https://s.example/u"),
        ('{"links": [{"rel": "self", "href": 7}]}', None),
        ('{"links": [{"rel": "self", "href": "javascript:x"}]}', None),
        ('{"links": "none"}', None),
        ('{"links": [7]}', None),
        ("[]", None),
        ("7", None),
        ("{", None),
        ("[" * 100_000, None),
    ],
)
def test_an_account_document_leads_to_its_profile_page(body, expected):
    assert page_of(body, "application/jrd+json; charset=utf-8").refresh_url == expected


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<title>Łódź</title>".encode(), "text/html"),
        ("\ufeff<title>Łódź</title>".encode(), "text/html; charset=latin-1"),
        ("<title>Łódź</title>".encode("iso-8859-2"), "text/html; charset=ISO-8859-2"),
        ("<meta charset=iso-8859-2><title>Łódź</title>".encode("iso-8859-2"), "text/html"),
        ("\ufeff<title>Łódź</title>".encode("utf-16-le"), "text/html"),
        ("\ufeff<title>Łódź</title>".encode("utf-16-be"), "text/html"),
        ("<meta charset=utf-16><title>Łódź</title>".encode(), "text/html"),
        ("<meta charset=unicode_escape><title>Łódź</title>".encode(), "text/html"),
        ("<meta charset=no-such><title>Łódź</title>".encode(), "text/html; charset=\u00e9"),
    ],
)
def test_the_encoding_is_found_out(body, content_type):
    assert page_of(body, content_type).title == "Łódź"


def test_what_calls_itself_latin_is_read_as_browsers_do():
    page = page_of("<title>\u2019</title>".encode("cp1252"), "text/html; charset=iso-8859-1")

    assert page.title == "\u2019"


def test_pages_called_blog_are_noted_and_those_of_the_same_site_are_ways_on():
    page = page_of(
        "<a href=/shop>Shop</a><a href='https://blog.site.example/'>Our blog</a>"
        "<a href=/n>News</a><a href=/n>News</a><a href='https://other.example/'>Blog</a>"
        "<a href='mailto:x'>Blog</a>"
    )

    ours = ("https://blog.site.example/", "https://site.example/n")
    assert page.blogs == (*ours, "https://other.example/")
    assert page.ways_on[:2] == ours
    assert "https://other.example/" not in page.ways_on


def test_anchors_keep_their_words_and_what_else_they_say():
    page = page_of('<a href="x" title="T" class="c"><b>In</b> side<img alt="A" src="s.png"></a>')

    assert page.anchors[0].text == "In side"
    assert page.anchors[0].hints == "T c A s.png"


def test_of_a_huge_page_start_and_end_are_read():
    body = "<a href=/first>1</a>" + "<p>word</p>" * 300_000 + "<a href=/last>2</a>"

    page = page_of(body)

    assert [anchor.href for anchor in page.anchors] == ["/first", "/last"]


def test_of_very_many_anchors_the_first_and_the_last_are_kept():
    page = page_of("".join(f"<a href=/{n}>x</a>" for n in range(9_000)))

    assert len(page.anchors) == 4_000
    assert (page.anchors[0].href, page.anchors[-1].href) == ("/0", "/8999")


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 200_000,
        "<div>" * 390 + "<div></div>" * 80_000,
        "<b><a href=x>" * 60_000,
        "<a " + " ".join(f"a{n}=1" for n in range(100_000)) + " href=/x>",
        ("<a " + " ".join(f"{n:x}" for n in range(900)) + ">t</a>") * 250,
        "<ul><li>" * 100_000,
        "<table>" * 100_000,
        "<" * 1_200_000,
        "<!--" * 300_000,
        "<a href='" + "x" * 1_000_000,
        "<svg><math>" * 80_000,
        "<script><!--<script>" * 60_000,
        "<a " + " ".join(f'a{n}=">"' for n in range(100_000)) + ">",
        "<a " + " ".join(f"a{n}<" for n in range(100_000)) + ">",
        '<a x=">"' * 140_000,
        '<div title="</div>">' * 60_000,
        "<div><!--</div>-->" * 60_000,
        "<div><script></div></script>" * 40_000,
        "<svg><div></svg>" * 70_000,
        "<svg>" + "<path></div>" * 90_000,
        "<select>" + "<option>" * 140_000,
        "".join(f"<p><b title={n}>x" for n in range(60_000)),
        "<svg><style>" + "<g></x>" * 140_000,
        "<template>" * 100_000,
        "<title " + " ".join(f'a{n}=">"' for n in range(100_000)) + ">",
        "<title>" * 150_000,
        "".join(f"<html a{n}>" for n in range(80_000)),
        "".join(f"<body a{n}>" for n in range(80_000)),
    ],
    ids=lambda body: body[:12],
)
def test_hostile_markup_is_read_in_seconds_not_minutes(body):
    started = time.perf_counter()

    page = page_of(body + "<a href='/end'>x</a>")

    # Without taming most of these take minutes on the same machine.
    assert time.perf_counter() - started < 10
    assert page.url == URL


def test_links_survive_the_taming_of_a_page_that_is_too_deep():
    page = page_of("<div>" * 5_000 + "<link rel=alternate href=/f><a href=/g>RSS</a>")

    assert page.links[0].url == "https://site.example/f"
    assert page.anchors[0].text == "RSS"


def test_what_is_looked_for_survives_the_flattening_of_a_page():
    page = page_of(
        "<!-- <a href=/no>no</a> --><title>A <b>page</b></title>"
        "<script>'<a href=/no>'</script><style><a href=/no></style>"
        "<meta name=generator content='a > b'><base href=/b/>"
        "<div title='>'><table><td><A class=x HREF = 'f?a=1>2'>One<br><b>two</b>"
        "<svg class=rss><title>RSS</title><path d=''/></svg></a>3 < 4 <img src=/i>"
    )

    assert page.title == "A <b>page</b>"
    assert page.generator == "a > b"
    (anchor,) = page.anchors
    assert anchor.url == "https://site.example/b/f?a=1%3E2"
    assert anchor.text == "One two RSS"
    assert "rss" in anchor.hints


@pytest.mark.parametrize("empty", ["style/", "title/", 'script href="x" /', "STYLE />x<g/"])
def test_an_element_that_closes_itself_in_a_drawing_hides_nothing(empty):
    page = page_of(
        f"<title>T</title><a href=/><svg><defs><{empty}></defs></svg>Home</a>"
        "<footer><a href=/rss.xml>RSS</a></footer>"
    )

    assert page.title == "T"
    assert [(anchor.href, anchor.text) for anchor in page.anchors][-1] == ("/rss.xml", "RSS")
